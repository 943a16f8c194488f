import { type Accessor, createSignal, onMount } from "solid-js";
import type { Journey } from "../../sdk/index.ts";
import type { KeptJourney } from "./kept-journey.ts";

/** Says only that something is kept, so that a first visit loads nothing for this. */
const FLAG = "taglatch.journey-kept";

export interface Keeping {
  /** What was kept when the page started. */
  readonly kept: Accessor<KeptJourney | undefined>;
  /** Something is kept, and has not been read yet. */
  readonly expected: Accessor<boolean>;
  /** Resolves once it has been read, or if there is nothing; never rejects. */
  readonly restored: () => Promise<unknown>;
  /** `isOld`: changed by this page, otherwise as it was kept before. */
  readonly keep: (journey: Journey, isOld?: boolean) => void;
  readonly erase: () => Promise<void>;
}

/** The last journey on this device, for passengers only: a kiosk keeps nothing of anybody. */
export function createKeptJourney(onRestored: (kept: KeptJourney) => void): Keeping {
  const [kept, setKept] = createSignal<KeptJourney>();
  const [expected, setExpected] = createSignal(!isKiosk() && flag());
  let last: Promise<unknown> = Promise.resolve();
  // One after the other: an erasure must not be overtaken by a save that began before it.
  const inTurn = (work: () => Promise<void>) => {
    const turn = last.then(work);
    // A browser without storage keeps nothing; the visit itself continues.
    last = turn.catch(() => undefined);
    return turn;
  };

  onMount(() => {
    if (!expected()) return;
    void inTurn(async () => {
      const { readKeptJourney } = await import("./kept-journey.ts");
      const found = await readKeptJourney(Date.now());
      if (!found) return setFlag(false);
      setKept(found);
      onRestored(found);
    })
      .catch(() => undefined)
      .finally(() => setExpected(false));
  });

  return {
    kept,
    expected,
    restored: () => last,
    keep: (journey, isOld = false) => {
      if (isKiosk()) return;
      void inTurn(async () => {
        const { keepJourney } = await import("./kept-journey.ts");
        const asOf = (isOld ? kept()?.asOf : undefined) ?? Date.now();
        await keepJourney({ journey, asOf });
        setFlag(true);
        setKept({ journey, asOf });
      }).catch(() => undefined);
    },
    erase: () =>
      inTurn(async () => {
        // A logout's answer may have emptied the storage, and the flag with it (Clear-Site-Data).
        if (!(kept() ?? flag())) return;
        const { eraseKeptJourney } = await import("./kept-journey.ts");
        await eraseKeptJourney();
        setFlag(false);
        setKept(undefined);
      }),
  };
}

const isKiosk = () => location.pathname.startsWith("/kiosk");

function flag(): boolean {
  try {
    return localStorage.getItem(FLAG) !== null;
  } catch {
    return false;
  }
}

function setFlag(on: boolean): void {
  try {
    if (on) localStorage.setItem(FLAG, "1");
    else localStorage.removeItem(FLAG);
  } catch {
    // Without storage, nothing is kept.
  }
}
