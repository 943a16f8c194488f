import {
  type Accessor,
  createContext,
  createEffect,
  createSignal,
  type JSX,
  onCleanup,
  useContext,
} from "solid-js";
import type { Taglatch } from "../../sdk/index.ts";
import type { BackgroundSync } from "../service-worker/background-sync.ts";
import type { InstallUpdate, WatchUpdates } from "../service-worker/watch-updates.ts";
import type { Arrived, LinkedBooking } from "./address-fragment.ts";
import type { Bag } from "./bags.ts";
import { whenIdle } from "./browser.ts";
import { createCachedJourney, type JourneyCache } from "./create-cached-journey.ts";
import { createJourneys, type Journeys } from "./create-journeys.ts";
import { createOutbox, markSent, type Outbox } from "./create-outbox.ts";
import { createLoad } from "./create-request.ts";
import type { Elsewhere } from "./installation.ts";
import type { ProofTries } from "./proof-tries.ts";

export type { InstallUpdate };

interface AppState {
  /**
   * The SDK, loaded at the first call: the cryptography loads when it is needed, not at the first drawing.
   */
  readonly load: () => Promise<Taglatch>;
  /**
   * Starts loading as soon as the browser has time: when the person begins to type, or may use a tag next.
   */
  readonly prepare: () => void;
  /** Opens the session, once a visit: a person is about to look for a journey. If that fails, the search opens it. */
  readonly openSession: () => void;
  readonly journeys: Journeys;
  readonly outbox: Outbox;
  readonly cards: Cards;
  /** What was typed to find a journey: it stays while the person looks elsewhere. */
  readonly typed: () => Typed;
  readonly keepTyped: (typed: Typed) => void;
  readonly tries: ProofTries;
  /** The last journey on this device. */
  readonly journeyCache: JourneyCache;
  /** A traveller sent by a host app. */
  readonly handOver: HandOverSource;
  /** A booking that came with a link, until the person has said whether it is theirs. */
  readonly linked: Accessor<LinkedBooking | undefined>;
  readonly dropLinked: () => void;
  /** Another person's code that came with a link, until this person has said yes or left. */
  readonly delegationCode: Accessor<string | undefined>;
  readonly dropCode: () => void;
  /** The number of running jobs: an update waits for zero. */
  readonly jobs: () => number;
  readonly jobStarted: () => () => void;
  /** Bags whose tag is being written though its screen was left. */
  readonly writing: () => readonly number[];
  /** The bag is being written until `over`. */
  readonly stillWriting: (baggageId: number, over: Promise<void>) => void;
  readonly watchUpdates: WatchUpdates;
  /** Whether this installation is for development. */
  readonly isDevelopment: () => Promise<boolean>;
  /** What the airline offers to those whose browser has no Bluetooth. */
  readonly elsewhere: () => Promise<Elsewhere>;
}

/** Where a host app's token may come from. */
interface HandOverSource {
  /** Taken from the address and wiped there. */
  readonly token: string | undefined;
  /** The origins that may send one by message. */
  readonly origins: () => Promise<readonly string[]>;
}

export interface Typed {
  readonly recordLocator: string;
  readonly surname: string;
}

export const NOTHING_TYPED: Typed = { recordLocator: "", surname: "" };

const Context = createContext<AppState>();

export interface AppStateProps {
  readonly createClient: () => Promise<Taglatch>;
  readonly watchUpdates: WatchUpdates;
  /** Whether this installation is for development: virtual tags, pseudo-locale. */
  readonly isDevelopment: () => Promise<boolean>;
  readonly elsewhere: () => Promise<Elsewhere>;
  readonly backgroundSync?: BackgroundSync;
  readonly handOver: HandOverSource;
  readonly arrived: Arrived;
  readonly children: JSX.Element;
}

export function AppStateProvider(props: AppStateProps): JSX.Element {
  const [jobs, setJobs] = createSignal(0);
  const jobStarted = () => {
    setJobs((count) => count + 1);
    return () => setJobs((count) => count - 1);
  };
  const load = createLoad(
    () => props.createClient(),
    (made) => {
      void keepTimings(made);
      return outbox.attach(made);
    },
  );
  const outbox = createOutbox(load, props.backgroundSync);
  const journeys = createJourneys(load);
  const journeyCache = createCachedJourney(({ journey }) => journeys.restore(journey));
  createEffect(() => {
    const latest = journeys.latest();
    // Another person's journey is not cached on this device.
    if (latest && latest.journey.delegationId === undefined) journeyCache.save(latest.journey, latest.old);
  });
  markSent(outbox, journeys);
  const [typed, setTyped] = createSignal<Typed>(NOTHING_TYPED);
  const state: AppState = {
    load,
    ...createPreparation(load),
    journeys,
    outbox,
    cards: createCards(),
    typed,
    keepTyped: (booking) => void setTyped(booking),
    tries: new Map(),
    journeyCache,
    handOver: props.handOver,
    linked: () => props.arrived.booking(),
    dropLinked: () => props.arrived.dropBooking(),
    delegationCode: () => props.arrived.code(),
    dropCode: () => props.arrived.dropCode(),
    jobs,
    watchUpdates: (found) => props.watchUpdates(found),
    isDevelopment: () => props.isDevelopment(),
    elsewhere: () => props.elsewhere(),
    jobStarted,
    ...createWriting(jobStarted),
  };
  return <Context.Provider value={state}>{props.children}</Context.Provider>;
}

function createPreparation(load: AppState["load"]): Pick<AppState, "prepare" | "openSession"> {
  let isSessionOpened = false;
  return {
    prepare: () => whenIdle(() => void load().catch(() => undefined)),
    openSession: () => {
      if (isSessionOpened) return;
      isSessionOpened = true;
      const open = async () => (await load()).session.prepare({ certificate: false });
      void open().catch(() => undefined);
    },
  };
}

/** Bags whose screen was left while their tag was being written. */
function createWriting(jobStarted: AppState["jobStarted"]): Pick<AppState, "writing" | "stillWriting"> {
  const [writing, setWriting] = createSignal<readonly number[]>([]);
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
interface Cards {
  readonly shown: Accessor<readonly Bag[]>;
  /** Until the component is gone. */
  readonly show: (bags: () => readonly Bag[]) => void;
}

function createCards(): Cards {
  const [shown, setShown] = createSignal<readonly Bag[]>([]);
  return {
    shown,
    show: (bags) => {
      createEffect(() => setShown(bags()));
      onCleanup(() => setShown([]));
    },
  };
}
