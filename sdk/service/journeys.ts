/** Journeys: finds them by what a passenger has at hand, lists them, and adds bags. */

import type { DelegationsApi, JourneysApi } from "../api.ts";
import { asResult } from "../flows/operation.ts";
import type { LoadedJourneys } from "./loaded-journeys.ts";
import type { Api } from "./session.ts";

export const journeysApi = (api: Api, loaded: LoadedJourneys): JourneysApi => ({
  fromRecordLocator: (recordLocator, surname, { airline, ...options } = {}) =>
    asResult(options, async (signal) =>
      loaded.cache(
        await api.call(
          "journeyFromRecordLocator",
          { recordLocator, surname, ...(airline === undefined ? {} : { airline }) },
          { signal },
        ),
      ),
    ),
  fromBcbp: (scanData, { airline, ...options } = {}) =>
    asResult(options, async (signal) =>
      loaded.cache(
        await api.call(
          "journeyFromBcbp",
          // Scanners that type add a line end.
          { scanData: scanData.replace(/[\r\n]+$/, ""), ...(airline === undefined ? {} : { airline }) },
          { signal },
        ),
      ),
    ),
  addBag: (journeyId, { lpn, slotNumber, ...options } = {}) =>
    asResult(options, async (signal) =>
      loaded.cache(
        await api.call(
          "baggageTag",
          { ...(lpn === undefined ? {} : { lpn }), ...(slotNumber === undefined ? {} : { slotNumber }) },
          { signal, params: { journeyId }, idempotencyKey: crypto.randomUUID() },
        ),
      ),
    ),
  list: (options) =>
    asResult(options, async (signal) => {
      const { journeys } = await api.call("journeys", {}, { signal });
      loaded.cacheAll(journeys);
      return journeys;
    }),
  get: (journeyId, options) => asResult(options, (signal) => loaded.load(journeyId, signal)),
});

/** Another person's phone that writes tags for a booking. */
export const delegationsApi = (api: Api): DelegationsApi => ({
  create: (journeyId, options) =>
    asResult(options, (signal) => api.call("delegation", { journeyId }, { signal })),
  claim: (code, options) => asResult(options, (signal) => api.call("delegationClaim", { code }, { signal })),
  decide: (delegationId, confirmed, options) =>
    asResult(options, (signal) => api.call("delegationDecision", { delegationId, confirmed }, { signal })),
  list: (options) =>
    asResult(options, async (signal) => (await api.call("delegations", {}, { signal })).delegations),
});
