/** The journeys that this visit has loaded last: a label is made of them without loading them again. */
import type { Journey, JourneyWithCompanions } from "../records.ts";
import type { Api } from "./session.ts";

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
