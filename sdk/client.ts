/** The public object, assembled from its parts. */
import { fromUtf8 } from "../core/encoding/bytes.ts";
import { PROFILE } from "../core/gatt/profile.ts";
import { decodeBattery } from "../core/gatt/values.ts";
import { neverCancelled } from "./abort.ts";
import { assemble } from "./assembly.ts";
import { OperationError } from "./errors.ts";
import { clearTag } from "./flows/clear.ts";
import { asResult } from "./flows/operation.ts";
import { tagsApi } from "./flows/tags.ts";
import { transferTag } from "./flows/transfer.ts";
import { journeysApi } from "./service/journeys.ts";
import { sessionFacade } from "./service/session-facade.ts";
import { pickedTag } from "./tag/links.ts";
import { decoded } from "./tag/tag.ts";
import type { Taglatch, TaglatchConfig } from "./types.ts";

const LEVEL = PROFILE.battery.characteristics.LEVEL.uuid;
const FIRMWARE = PROFILE.deviceInformation.characteristics.FIRMWARE.uuid;

/** The client. Nothing is loaded, asked or stored before the first call. */
export function createTaglatch(config: TaglatchConfig): Taglatch {
  const parts = assemble(config);
  const { operations, context, api, outbox, session, records, logins, passkey } = parts;
  return {
    ...radioCalls(parts),
    transferTag: (request, collector, options = {}) =>
      operations.start("transfer", request.deviceId, options, (run) =>
        transferTag(context, run, request, collector),
      ),
    clearTag: (request, options = {}) =>
      operations.start("clear", request.deviceId, options, (run) => clearTag(context, run, request)),
    journeys: journeysApi(api),
    tags: tagsApi(api),
    session: sessionFacade({
      session,
      records,
      logins,
      outbox,
      passkey,
      prepare: (signal) => context.prepare(signal),
    }),
    outbox: {
      entries: () => outbox.entries(),
      flush: (options) => asResult(options, (signal) => outbox.flush(signal)),
      subscribe: (listener) => outbox.subscribe(listener),
    },
    diagnostics: {
      runs: () => operations.runs(),
      subscribe: (listener) => operations.ended.add(listener),
    },
  };
}

/** Calls that need a tag but no service. */
function radioCalls({ operations, links, tagNames, context }: ReturnType<typeof assemble>) {
  const picked = async (deviceId: string, signal: AbortSignal, onRetry: () => void) => {
    const link = await links.find(deviceId);
    return tagNames.keep(pickedTag(link, await links.reach(deviceId, false, signal, onRetry)));
  };
  const readFrom = async (deviceId: string, uuid: string, signal: AbortSignal) => {
    if (operations.isBusy(deviceId)) throw new OperationError("busy", "an operation runs on this tag");
    const tag = await links.reach(deviceId, false, signal, () => undefined);
    return tag.connection.read(uuid, signal);
  };
  return {
    pickTag: (options = {}) =>
      operations.start("pick", undefined, options, async ({ progress, signal }) => {
        const link = await links.choose(options.uniqueDeviceId, signal);
        // Prepares what a transfer will need. If this fails, the transfer fails in the same way and reports
        // it.
        context.prepare(neverCancelled()).catch(() => undefined);
        progress.enter("connect");
        const open = await links.open(link, signal, () => progress.retrying("connect_failed"));
        return tagNames.keep(pickedTag(link, open));
      }),
    rememberedTags: async () => {
      const tags = await links.remembered();
      return tagNames.named(tags.map(({ deviceId, name }) => ({ deviceId, name })));
    },
    connect: (deviceId, options = {}) =>
      operations.start("connect", deviceId, options, ({ progress, signal }) => {
        progress.enter("connect");
        return picked(deviceId, signal, () => progress.retrying("connect_failed"));
      }),
    disconnect: async (deviceId) => links.close(deviceId),
    readBattery: (deviceId, options) =>
      asResult(options, async (signal) => decoded(decodeBattery, await readFrom(deviceId, LEVEL, signal))),
    readFirmware: (deviceId, options) =>
      asResult(options, async (signal) => decoded(fromUtf8, await readFrom(deviceId, FIRMWARE, signal))),
  } satisfies Partial<Taglatch>;
}
