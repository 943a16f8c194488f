import { createSignal, onMount } from "solid-js";
import type { Journey } from "../../sdk/index.ts";
import { keep, kept, whenIdle } from "./browser.ts";
import type { CachedJourney } from "./cached-journey.ts";

/** Says only that something is cached, so that a first visit loads nothing for this. */
const FLAG = "taglatch.journey-kept";

export type JourneyCache = ReturnType<typeof createCachedJourney>;

/** The last journey on this device, for passengers only: a kiosk stores no personal data. */
export function createCachedJourney(onRestored: (cached: CachedJourney) => void) {
  const [cached, setCached] = createSignal<CachedJourney>();
  const [isPending, setPending] = createSignal(!isKiosk() && flag());
  let last: Promise<unknown> = Promise.resolve();
  // One after the other: an erasure must not be overtaken by a save that began before it.
  const inTurn = (work: () => Promise<void>) => {
    const turn = last.then(work);
    // A browser without storage caches nothing; the visit itself continues.
    last = turn.catch(() => undefined);
    return turn;
  };

  onMount(() => {
    if (!isPending()) return;
    void inTurn(async () => {
      const { readCachedJourney } = await import("./cached-journey.ts");
      const found = await readCachedJourney(Date.now());
      if (!found) return setFlag(false);
      setCached(found);
      onRestored(found);
    })
      .catch(() => undefined)
      .finally(() => setPending(false));
  });

  return {
    /** As read when the page started, or as saved since. */
    cached,
    /** Something is cached, and has not been read yet. */
    isPending,
    /** Resolves once it has been read, or if there is nothing; never rejects. */
    restored: () => last,
    /** `isOld`: changed by this page, otherwise as it was cached before. */
    save: (journey: Journey, isOld = false) => {
      if (isKiosk()) return;
      void inTurn(async () => {
        // Its journey is drawn first: key, sealing and storage take the same cores.
        await new Promise<void>(whenIdle);
        const { saveCachedJourney } = await import("./cached-journey.ts");
        const asOf = (isOld ? cached()?.asOf : undefined) ?? Date.now();
        await saveCachedJourney({ journey, asOf });
        setFlag(true);
        setCached({ journey, asOf });
      }).catch(() => undefined);
    },
    erase: () =>
      inTurn(async () => {
        // A logout's answer may have emptied the storage, and the flag with it (Clear-Site-Data).
        if (!(cached() ?? flag())) return;
        const { eraseCachedJourney } = await import("./cached-journey.ts");
        await eraseCachedJourney();
        setFlag(false);
        setCached(undefined);
      }),
  };
}

const isKiosk = () => location.pathname.startsWith("/kiosk");

const flag = () => typeof kept(FLAG) === "string";
const setFlag = (on: boolean) => keep(FLAG, on ? "1" : null);
