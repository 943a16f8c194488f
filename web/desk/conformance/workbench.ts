/** The desk of this page: its radio, and the service's certificate and permissions through the page's own session. */
import { fromBase64Url, toBase64Url } from "../../../core/encoding/bytes.ts";
import { assemble } from "../../../sdk/assembly.ts";
import { ServiceError } from "../../../sdk/errors.ts";
import type { TagLink } from "../../../sdk/tag/link.ts";
import { webBluetoothRadio } from "../../../sdk/tag/web-bluetooth-link.ts";
import type { Bench, Permission } from "./probe.ts";
import { makeThrowAway } from "./throw-away.ts";
import { Skipped } from "./types.ts";

export interface Workbench {
  /** The chooser; must be reached within the tap's own task. Throws BluetoothError, `cancelled`. */
  choose(signal: AbortSignal): Promise<TagLink>;
  /** Everything else a run needs. Throws ServiceError, ConfigurationError, `cancelled`. */
  bench(link: TagLink, signal: AbortSignal): Promise<Bench>;
}

export function createWorkbench(): Workbench {
  const { context, api } = assemble({ baseUrl: "" });
  const radio = webBluetoothRadio();
  const permit = async (permission: Permission, signal: AbortSignal) => {
    const { deviceId, generation, nonce, operation, payloadDigest, channelBinding } = permission;
    const body = {
      uniqueDeviceId: deviceId,
      nonce: toBase64Url(nonce),
      operation,
      payloadDigest: toBase64Url(payloadDigest),
      gattVersion: generation,
      ...(channelBinding && { channelBinding: toBase64Url(channelBinding) }),
    };
    try {
      return fromBase64Url((await api.call("ebtAuthorization", body, { signal })).transactionToken);
    } catch (error) {
      if (error instanceof ServiceError) throw new Skipped("notPermitted", error.code);
      throw error;
    }
  };
  return {
    choose: (signal) => radio.choose(undefined, signal),
    async bench(link, signal) {
      const [{ configuration, credential }, throwAway] = await Promise.all([
        context.prepare(signal),
        makeThrowAway(Date.now()),
      ]);
      const { tagRoots } = configuration;
      return { link, credential, tagRoots, throwAway, permit: (permission) => permit(permission, signal) };
    },
  };
}
