import { createContext, createEffect, createSignal, type JSX, onCleanup, useContext } from "solid-js";
import type { Taglatch } from "../../sdk/index.ts";
import type { BackgroundSync } from "../service-worker/messages.ts";
import type { InstallUpdate, WatchUpdates } from "../service-worker/watch-updates.ts";
import type { Bag } from "./bags.ts";
import { loadAhead, whenIdle } from "./browser.ts";
import { createCachedJourney } from "./create-cached-journey.ts";
import { createJourneys } from "./create-journeys.ts";
import { createOutbox, markSent } from "./create-outbox.ts";
import { createLoad } from "./create-request.ts";
import type { Arrived, Elsewhere } from "./start.ts";

export type { InstallUpdate };

/** Where a host app's token may come from. */
interface HandOverSource {
  /** Taken from the address and wiped there. */
  readonly token: string | undefined;
  /** The origins that may send one by message. */
  readonly origins: () => Promise<readonly string[]>;
}

/** Wrong proofs of each tag: a new job gives no new tries. */
export type ProofTries = Map<string, { readonly wrong: number; readonly until: number }>;

export interface Typed {
  readonly recordLocator: string;
  readonly surname: string;
}

export const NOTHING_TYPED: Typed = { recordLocator: "", surname: "" };

type AppState = ReturnType<typeof createAppState>;
const Context = createContext<AppState>();

export interface AppStateProps {
  readonly createClient: () => Promise<Taglatch>;
  readonly watchUpdates: WatchUpdates;
  /** Whether this installation is for development: virtual tags, pseudo-locale. */
  readonly isDevelopment: () => Promise<boolean>;
  /** What the airline offers to those whose browser has no Bluetooth. */
  readonly elsewhere: () => Promise<Elsewhere>;
  readonly backgroundSync?: BackgroundSync;
  /** A traveller sent by a host app. */
  readonly handOver: HandOverSource;
  readonly arrived: Arrived;
  readonly children: JSX.Element;
}

export function AppStateProvider(props: AppStateProps): JSX.Element {
  return <Context.Provider value={createAppState(props)}>{props.children}</Context.Provider>;
}

function createAppState(props: Omit<AppStateProps, "children">) {
  // None of them changes.
  const { createClient, backgroundSync, arrived, watchUpdates, isDevelopment, elsewhere, handOver } = props;
  /** The number of running jobs: an update waits for zero. */
  const [jobs, setJobs] = createSignal(0);
  const jobStarted = () => {
    setJobs((count) => count + 1);
    return () => setJobs((count) => count - 1);
  };
  /** The SDK, loaded at the first call: the cryptography loads when it is needed, not at the first drawing. */
  const load = createLoad(createClient, (made) => {
    void keepTimings(made);
    return outbox.attach(made);
  });
  const outbox = createOutbox(load, backgroundSync);
  const journeys = createJourneys(load);
  /** The last journey on this device. */
  const journeyCache = createCachedJourney(({ journey }) => journeys.restore(journey));
  createEffect(() => {
    const latest = journeys.latest();
    // Another person's journey is not cached on this device.
    if (latest && latest.journey.delegationId === undefined) journeyCache.save(latest.journey, latest.old);
  });
  markSent(outbox, journeys);
  /** What was typed to find a journey: it stays while the person looks elsewhere. */
  const [typed, setTyped] = createSignal<Typed>(NOTHING_TYPED);
  return {
    load,
    ...createPreparation(load),
    journeys,
    outbox,
    cards: createCards(),
    typed,
    keepTyped: (booking: Typed) => void setTyped(booking),
    tries: new Map() as ProofTries,
    journeyCache,
    watchUpdates,
    isDevelopment,
    elsewhere,
    handOver,
    /** A booking that came with a link, until the person has said whether it is theirs. */
    linked: arrived.booking,
    dropLinked: arrived.dropBooking,
    /** Another person's code that came with a link, until this person has said yes or left. */
    delegationCode: arrived.code,
    dropCode: arrived.dropCode,
    jobs,
    jobStarted,
    ...createWriting(jobStarted),
  };
}

function createPreparation(load: () => Promise<Taglatch>) {
  let isSessionOpened = false;
  return {
    /** Starts loading as soon as the browser has time: when the person begins to type, or may use a tag next. */
    prepare: () => whenIdle(() => loadAhead(load)),
    /** Opens the session, once a visit: a person is about to look for a journey. If that fails, the search opens it. */
    openSession: () => {
      if (isSessionOpened) return;
      loadAhead(async () => {
        isSessionOpened = true;
        await (await load()).session.prepare({ certificate: false });
      });
    },
  };
}

/** Bags whose screen was left while their tag was being written. */
function createWriting(jobStarted: () => () => void) {
  const [writing, setWriting] = createSignal<readonly number[]>([]);
  /** The bag is being written until `over`. */
  const stillWriting = (baggageId: number, over: Promise<void>) => {
    const ended = jobStarted();
    setWriting((now) => [...now, baggageId]);
    void over.finally(() => {
      ended();
      setWriting((now) => now.filter((each) => each !== baggageId));
    });
  };
  return { writing, stillWriting };
}

/** For `/diagnostics`; a page that cannot load this can write tags all the same. */
async function keepTimings(client: Taglatch): Promise<void> {
  await import("./run-log.ts").then(({ keepRuns }) => keepRuns(client)).catch(() => undefined);
}

export function useAppState(): AppState {
  const value = useContext(Context);
  if (!value) throw new Error("no AppStateProvider");
  return value;
}

/** Bags whose cards are on the screen: a card says itself what notices would say above it. */
function createCards() {
  const [shown, setShown] = createSignal<readonly Bag[]>([]);
  return {
    shown,
    /** Until the component is gone. */
    show: (bags: () => readonly Bag[]) => {
      createEffect(() => setShown(bags()));
      onCleanup(() => setShown([]));
    },
  };
}
