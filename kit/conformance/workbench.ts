/** Where checks are run: a radio, and the service's certificate and permissions. */
import {
  createTagTools,
  ServiceError,
  type TagLink,
  type TaglatchConfig,
  type TransactionTokenRequest,
} from "../../sdk/index.ts";
import type { Bench } from "./probe.ts";
import { makeThrowAway } from "./throw-away.ts";
import { NotPermitted } from "./types.ts";

export type Workbench = ReturnType<typeof createWorkbench>;

/** By default the page's own: its browser's radio and its own session. */
export function createWorkbench(config: TaglatchConfig = { baseUrl: "" }) {
  const { radio, prepare, transactionToken } = createTagTools(config);
  const requestToken = async (tokenRequest: TransactionTokenRequest, signal: AbortSignal) => {
    try {
      return await transactionToken(tokenRequest, signal);
    } catch (error) {
      if (error instanceof ServiceError) throw new NotPermitted(error.code, error);
      throw error;
    }
  };
  return {
    /** The chooser; must be reached within the tap's own task. Throws BluetoothError, `cancelled`. */
    choose: (signal: AbortSignal): Promise<TagLink> => radio.choose(undefined, signal),
    /** Everything else a run needs. Throws ServiceError, ConfigurationError, `cancelled`. */
    async bench(link: TagLink, signal: AbortSignal): Promise<Bench> {
      const [prepared, throwAway] = await Promise.all([prepare(signal), makeThrowAway(Date.now())]);
      return {
        link,
        ...prepared,
        throwAway,
        requestToken: (tokenRequest) => requestToken(tokenRequest, signal),
      };
    },
  };
}
