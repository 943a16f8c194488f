/** Which screen of the kiosk follows which: a pure table. What the screens hold is in visit.ts. */
import { createTable, type EventOf } from "./table.ts";

const ENTRANCES = { scan: "finding", type: "typing", camera: "camera" } as const;
/**
 * The next passenger: everything of this one is removed. From every screen behind the attract screen; if the session ends
 * there, the way home notices it.
 */
const HOME = { home: "attract" } as const;

export const { table: FLOW, next } = createTable({
  starting: { noSetup: "unset", signedOut: "signIn", signedIn: "attract" },
  /** No set-up on this device yet. */
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
  /** Record locator and surname by hand. */
  typing: { ...ENTRANCES, ...HOME, found: "journey" },
  camera: { ...ENTRANCES, ...HOME },
  /** A boarding pass was scanned; the service is searching. */
  finding: { ...HOME, found: "journey", failed: "problem" },
  /** It found nothing. */
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
  /** Staff open a tag's lock. */
  releasing: { ...HOME, scan: "finding", journey: "journey", put: "writing", clear: "clearing" },
  /** What waits for the service. */
  queue: { ...HOME, scan: "finding" },
  /** Lost and found bags of the airline. */
  tracing: { ...HOME, scan: "finding" },
});

export type Screen = keyof typeof FLOW;
export type FlowEvent = EventOf<typeof FLOW>;

/** Whether a passenger looks for their journey: a boarding pass scanned here is theirs, and language and speech stay. */
export const isSearching = (screen: Screen): boolean => "type" in FLOW[screen] || screen === "finding";

/** Whether a passenger's data may be on the screen. The queue holds none, but it should not be left open. */
export function isVisit(screen: Screen): boolean {
  return screen !== "starting" && screen !== "unset" && screen !== "signIn" && screen !== "attract";
}
