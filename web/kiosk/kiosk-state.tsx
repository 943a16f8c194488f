import {
  createContext,
  createEffect,
  createMemo,
  createSignal,
  type JSX,
  onMount,
  useContext,
} from "solid-js";
import type { PickedTag, Taglatch } from "../../sdk/index.ts";
import { ServiceError } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import type { WatchUpdates } from "../service-worker/watch-updates.ts";
import { createOutbox } from "../state/create-outbox.ts";
import { createIdle } from "./create-idle.ts";
import { createScans } from "./create-scans.ts";
import { createShift } from "./create-shift.ts";
import { createUpdates } from "./create-updates.ts";
import { createVisit } from "./create-visit.ts";
import { createWakeLock } from "./create-wake-lock.ts";
import { createWedge } from "./create-wedge.ts";
import { type FlowEvent, isVisit, next, type Screen } from "./flow.ts";
import type { Settings, SetupStore } from "./setup-store.ts";
import { wipeTraces } from "./wipe.ts";

/** What the kiosk is made of beside itself; a test brings its own. */
export interface KioskParts {
  readonly setup: SetupStore;
  /** An SDK for staff; `clientKey` instead of the configuration's. */
  readonly createClient: (clientKey?: string) => Promise<Taglatch>;
  readonly watchUpdates: WatchUpdates;
  readonly chime: () => void;
  readonly isDevelopment: () => Promise<boolean>;
}

/** The kiosk as a whole: which screen, whose visit, and what ends it. */
function createKiosk(parts: KioskParts) {
  const { t, ready, forgetLocale } = useI18n();
  const [screen, setScreen] = createSignal<Screen>("starting");
  const [settings, setSettings] = createSignal<Settings>();
  /** The tag whose lock staff are about to open, where a job came upon it. */
  const [releasing, setReleasing] = createSignal<PickedTag>();
  const [writing, setWriting] = createSignal(0);
  const isWriting = () => writing() > 0;
  const send = (event: FlowEvent) => setScreen((now) => next(now, event));

  let client: Promise<Taglatch> | undefined;
  const load = () => {
    ready("errors");
    client ??= create();
    return client;
  };
  const create = async () => {
    try {
      const made = await parts.createClient(settings()?.clientKey);
      void outbox.attach(made);
      return made;
    } catch (cause) {
      // Not remembered: the next tap tries again.
      client = undefined;
      throw new ServiceError("network", "the SDK could not be loaded", { cause });
    }
  };

  const outbox = createOutbox(load);
  const visit = createVisit(load);
  const shift = createShift(load, parts.setup);

  /** The end of a visit: nothing of this passenger is left on this device (experience, kiosk). */
  const home = () => {
    send("home");
    visit.end();
    setReleasing(undefined);
    scans.forget();
    void forgetLocale().catch(() => undefined);
    void wipeTraces(t("kiosk.title"));
  };

  const visiting = createMemo(() => isVisit(screen()));
  const idle = createIdle({
    isVisit: visiting,
    isWriting,
    onWarning: () => settings()?.sound && parts.chime(),
    onExpired: home,
  });
  const scans = createScans({ screen, send, visit, isWriting, home });
  createWedge((text) => {
    idle.touch();
    scans.hear(text);
  });
  createWakeLock();
  createUpdates(() => screen() === "attract", parts.watchUpdates);

  outbox.onSent(({ kind, baggageId, uniqueDeviceId }) => {
    if (kind === "unlock") visit.markCleared(uniqueDeviceId);
    else if (baggageId !== undefined) visit.markAttached(baggageId, uniqueDeviceId);
  });

  onMount(async () => {
    const stored = await parts.setup.settings().catch(() => undefined);
    setSettings(stored);
    if (stored === undefined) send("noSetup");
    else await shift.resume();
  });
  createEffect(() => {
    // Noticed where nobody is in the middle of something: at the start, and between two passengers.
    if (shift.state() === "out") send("signedOut");
    if (shift.state() === "in") send("signedIn");
    // The table ignores it on every other screen; on the way back to this one it is asked again.
    screen();
  });

  return {
    screen,
    settings,
    send,
    load,
    outbox,
    visit,
    shift,
    idle,
    scans,
    home,
    isWriting,
    /** A tag is being written until the function returned is called. */
    hold: () => {
      setWriting((count) => count + 1);
      return () => void setWriting((count) => count - 1);
    },
    releasing,
    release: (tag?: PickedTag) => {
      setReleasing(tag);
      send("release");
    },
  };
}

export type Kiosk = ReturnType<typeof createKiosk>;

const Context = createContext<Kiosk>();

export function KioskProvider(props: {
  readonly parts: KioskParts;
  readonly children: JSX.Element;
}): JSX.Element {
  return <Context.Provider value={createKiosk(props.parts)}>{props.children}</Context.Provider>;
}

export function useKiosk(): Kiosk {
  const value = useContext(Context);
  if (!value) throw new Error("useKiosk needs a KioskProvider above it");
  return value;
}
