import {
  type Accessor,
  createContext,
  createEffect,
  createMemo,
  createSignal,
  type JSX,
  onCleanup,
  onMount,
  useContext,
} from "solid-js";
import type { PickedTag, Taglatch } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { keepAwake } from "../job/create-tag-job.ts";
import type { InstallUpdate, WatchUpdates } from "../service-worker/watch-updates.ts";
import { createOutbox, markSent } from "../state/create-outbox.ts";
import { createLoad } from "../state/create-request.ts";
import { type FlowEvent, isVisit, next, type Screen } from "./flow.ts";
import { createIdle } from "./idle.ts";
import { createScans } from "./scans.ts";
import { type Settings, type SetupStore, speechOf } from "./setup.ts";
import { createSpeech } from "./speech/create-speech.ts";
import { createShift, type Shift } from "./staff.ts";
import { createFarewell, createVisit, wipeTraces } from "./visit.ts";
import { createWedge } from "./wedge.ts";

/** What the kiosk gets from outside; a test brings its own. */
export interface KioskParts {
  readonly setup: SetupStore;
  /** An SDK for staff; `clientKey` instead of the configuration's. */
  readonly createClient: (clientKey?: string) => Promise<Taglatch>;
  readonly watchUpdates: WatchUpdates;
  readonly chime: () => void;
  readonly isDevelopment: () => Promise<boolean>;
}

/** The kiosk as a whole: the screen, the visit, and what ends the visit. */
function createKiosk(parts: KioskParts) {
  const { t, locale, forgetLocale } = useI18n();
  const [settings, setSettings] = createSignal<Settings>();
  const { forgetTag, ...flow } = createFlow();
  const { hold, isHeld: isWriting } = createHold();
  const service = createService(parts, settings);
  const { screen, send } = flow;
  const { visit, shift } = service;

  const speech = createSpeech({
    settings: () => speechOf(settings()),
    isOpen: createMemo(() => screen() === "attract" || isVisit(screen())),
  });

  /** The end of a visit: nothing of this passenger is left on this device. */
  const home = () => {
    speech.end();
    send("home");
    visit.end();
    forgetTag();
    scans.forget();
    void forgetLocale().catch(() => undefined);
    void wipeTraces(t("kiosk.title"));
  };
  const { farewell, sayFarewell } = createFarewell(screen);
  /** The person ends it, and reads that nothing is left. */
  const finish = () => {
    const words = visit.journey() && { text: t("kiosk.notice.goodbye"), lang: locale() };
    home();
    if (words) sayFarewell(words);
  };

  const idle = createIdle({
    // Speech is on for a person in front of the kiosk, also before a visit begins.
    isVisit: createMemo(() => isVisit(screen()) || speech.isOn()),
    isWriting,
    isSpoken: speech.isOn,
    onWarning: () => settings()?.sound && parts.chime(),
    onExpired: home,
  });
  const scans = createScans({ screen, send, visit, isWriting, home, begin: speech.expirePrivate });
  createWedge((text) => {
    // A scan answers the warning's question, too.
    idle.more();
    idle.touch();
    scans.handle(text);
  });
  onMount(() => onCleanup(keepAwake()));
  createUpdates(() => screen() === "attract" && !speech.isOn(), parts.watchUpdates);

  onMount(() => resume(parts, setSettings, flow, shift));
  createShiftWatch(shift, flow);
  return { ...flow, ...service, settings, hold, isWriting, idle, scans, speech, home, finish, farewell };
}

/** Begins with the set-up and the session of this device, if it has them. */
async function resume(
  parts: KioskParts,
  setSettings: (stored: Settings | undefined) => void,
  { send }: Pick<ReturnType<typeof createFlow>, "send">,
  shift: Shift,
): Promise<void> {
  const stored = await parts.setup.settings().catch(() => undefined);
  setSettings(stored);
  if (stored === undefined) send("noSetup");
  else await shift.resume();
}

/** The screen, and the tag whose lock staff are about to open, or that is to be cleared, if it can only be one. */
function createFlow() {
  const [screen, setScreen] = createSignal<Screen>("starting");
  const [releasing, setReleasing] = createSignal<PickedTag>();
  const send = (event: FlowEvent) => setScreen((now) => next(now, event));
  const [clearing, setClearing] = createSignal<string>();
  const release = (tag?: PickedTag) => {
    setReleasing(tag);
    send("release");
  };
  let chosenTag: PickedTag | undefined;
  const clear = (uniqueDeviceId?: string, chosen?: PickedTag) => {
    setClearing(uniqueDeviceId);
    chosenTag = chosen;
    send("clear");
  };
  const putOn = (chosen: PickedTag | undefined) => {
    chosenTag = chosen;
    send("put");
  };
  /** Returns the tag that was chosen on the previous screen, once: it need not be chosen again. */
  const takeChosenTag = () => {
    const tag = chosenTag;
    chosenTag = undefined;
    return tag;
  };
  const forgetTag = () => {
    setReleasing(undefined);
    setClearing(undefined);
    chosenTag = undefined;
  };
  /** Held while the screen itself has the button that ends the visit: then the bar has none. */
  const finishing = createHold();
  return { screen, send, releasing, release, clearing, clear, putOn, takeChosenTag, forgetTag, finishing };
}

/** Something that lasts from a call of `hold` until the returned function is called: a tag is being written, for one. */
function createHold() {
  const [holds, setHolds] = createSignal(0);
  const hold = () => {
    setHolds((count) => count + 1);
    return () => void setHolds((count) => count - 1);
  };
  return { hold, isHeld: () => holds() > 0 };
}

/** The SDK, and the kiosk's parts that use it. */
function createService(parts: KioskParts, settings: Accessor<Settings | undefined>) {
  const load = createLoad(
    () => parts.createClient(settings()?.clientKey),
    (made) => outbox.attach(made),
  );
  const outbox = createOutbox(load);
  const visit = createVisit(load);
  markSent(outbox, visit);
  return { load, outbox, visit, shift: createShift(load, parts.setup) };
}

/** The end of a shift is noticed at the start and between two passengers, never during a visit. */
function createShiftWatch(
  shift: Shift,
  { screen, send }: Pick<ReturnType<typeof createFlow>, "screen" | "send">,
): void {
  createEffect(() => {
    if (shift.state() === "out") send("signedOut");
    if (shift.state() === "in") send("signedIn");
    // On every other screen the table ignores it; on the way back to this one it is checked again.
    screen();
  });
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

/** Milliseconds between two checks for a new version: a kiosk's page is not reloaded for days. */
const HOUR = 3_600_000;

/** Installs a new version at once between visits, never during one. */
export function createUpdates(isQuiet: Accessor<boolean>, watchUpdates: WatchUpdates): void {
  const [update, setUpdate] = createSignal<InstallUpdate>();
  const [isDue, setDue] = createSignal(false);

  onMount(() => watchUpdates((install) => setUpdate(() => install)));
  // A timer: a kiosk that is not used has no other event.
  onMount(() => {
    const timer = setInterval(() => setDue(true), HOUR);
    onCleanup(() => clearInterval(timer));
  });
  createEffect(() => {
    const install = update();
    if (!isQuiet() || !install) return;
    // Waits for a job in another window, but only until a visit begins in this one.
    const quiet = new AbortController();
    onCleanup(() => quiet.abort());
    void install({ signal: quiet.signal });
  });
  createEffect(() => {
    if (!isQuiet() || !isDue()) return;
    setDue(false);
    void lookForUpdate();
  });
}

async function lookForUpdate(): Promise<void> {
  try {
    await (await navigator.serviceWorker?.getRegistration())?.update();
  } catch {
    // Offline: the next check is an hour later.
  }
}
