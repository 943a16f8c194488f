/** Which screen of the kiosk follows which: a pure table. What the screens hold is in visit.ts. */

export const SCREENS = [
  "starting",
  /** No set-up on this device yet. */
  "unset",
  "signIn",
  "attract",
  /** Record locator and surname by hand. */
  "typing",
  "camera",
  /** A boarding pass was scanned; the service is searching. */
  "finding",
  /** It found nothing. */
  "problem",
  "journey",
  "writing",
  "clearing",
  /** Staff open a tag's lock. */
  "releasing",
  /** What waits for the service. */
  "queue",
  /** Lost and found bags of the airline. */
  "tracing",
] as const;
export type Screen = (typeof SCREENS)[number];

export const FLOW_EVENTS = [
  "noSetup",
  "signedOut",
  "signedIn",
  "scan",
  "type",
  "camera",
  "found",
  "failed",
  "put",
  "clear",
  "release",
  "queue",
  "trace",
  /** Back to the loaded journey. */
  "journey",
  /** Next passenger: everything of this one is removed. */
  "home",
] as const;
export type FlowEvent = (typeof FLOW_EVENTS)[number];

type Row = Partial<Record<FlowEvent, Screen>>;

const ENTRANCES = { scan: "finding", type: "typing", camera: "camera" } as const satisfies Row;
/** From every screen behind the attract screen. If the session ends there, the way home notices it. */
const HOME = { home: "attract" } as const satisfies Row;

const TABLE: Readonly<Record<Screen, Row>> = {
  starting: { noSetup: "unset", signedOut: "signIn", signedIn: "attract" },
  unset: {},
  signIn: { signedIn: "attract" },
  attract: {
    ...ENTRANCES,
    signedOut: "signIn",
    clear: "clearing",
    release: "releasing",
    queue: "queue",
    trace: "tracing",
  },
  typing: { ...ENTRANCES, ...HOME, found: "journey" },
  camera: { ...ENTRANCES, ...HOME },
  finding: { ...HOME, found: "journey", failed: "problem" },
  problem: { ...ENTRANCES, ...HOME, found: "journey" },
  journey: { ...HOME, scan: "finding", put: "writing", clear: "clearing", release: "releasing" },
  writing: {
    ...HOME,
    scan: "finding",
    put: "writing",
    clear: "clearing",
    journey: "journey",
    release: "releasing",
  },
  clearing: { ...HOME, scan: "finding", put: "writing", journey: "journey", release: "releasing" },
  releasing: { ...HOME, scan: "finding", journey: "journey", put: "writing", clear: "clearing" },
  queue: { ...HOME, scan: "finding" },
  tracing: { ...HOME, scan: "finding" },
};

/** The screen after `event`; an event without a meaning on `screen` changes nothing. */
export function next(screen: Screen, event: FlowEvent): Screen {
  return TABLE[screen][event] ?? screen;
}

/** Whether a passenger looks for their journey: a boarding pass scanned here is theirs, and language and speech stay. */
export const isSearching = (screen: Screen): boolean =>
  TABLE[screen].type !== undefined || screen === "finding";

/** Whether a passenger's data may be on the screen. The queue holds none, but it should not be left open. */
export function isVisit(screen: Screen): boolean {
  return screen !== "starting" && screen !== "unset" && screen !== "signIn" && screen !== "attract";
}
