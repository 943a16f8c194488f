import type { DelegationsApi, JourneysApi } from "../api.ts";
import { asResult } from "../flows/operation.ts";
import type { Journey, JourneyWithCompanions } from "../records.ts";
import type { Api } from "./session.ts";

/** The journeys that this visit has loaded last: a label is made of them without loading them again. */

export class LoadedJourneys {
  readonly #api: Api;
  readonly #isCached: boolean;
  #loaded = new Map<string, Journey>();

  /** `isCached`: false at a kiosk, whose client outlives its passengers. */
  constructor(api: Api, isCached: boolean) {
    this.#api = api;
    this.#isCached = isCached;
  }

  find(journeyId: string): Journey | undefined {
    return this.#loaded.get(journeyId);
  }

  /** Asks the service. Throws ServiceError, ConfigurationError, `cancelled`. */
  async load(journeyId: string, signal: AbortSignal): Promise<Journey> {
    return this.cache(await this.#api.call("journey", {}, { signal, params: { journeyId } }));
  }

  /** Caches what the service has answered, and returns it. */
  cache<J extends JourneyWithCompanions>(answer: J): J {
    this.cacheAll([answer, ...(answer.companions ?? [])]);
    return answer;
  }

  /** These take the place of all others, unless all of them are there already: a client may run for months. */
  cacheAll(journeys: readonly Journey[]): void {
    if (!this.#isCached) return;
    if (!journeys.every(({ journeyId }) => this.#loaded.has(journeyId))) this.forget();
    for (const journey of journeys) this.#loaded.set(journey.journeyId, journey);
  }

  forget(): void {
    this.#loaded.clear();
  }
}

/** Journeys: finds them by what a passenger has at hand, lists them, and adds bags. */

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
