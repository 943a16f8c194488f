/**
 * When a kiosk forgets its passenger: a pure table. Timers, sound and the wiping itself are in
 * create-idle.ts.
 */

/** Milliseconds without a sign of life before the warning. */
export const QUIET = 45_000;
/** Seconds the warning lasts. */
export const COUNTDOWN = 20;
/** With speech on both are as many times as long: the question has to be heard before the time to answer it begins. */
export const SPOKEN = 2;
/** Seconds left at which it is said again. */
const SAID_AT = [40, 20, 10, 5];
export const lastSaid = (left: number): number => SAID_AT.findLast((at) => at >= left) ?? left;
/** How often a passenger may ask for more time (WCAG 2.2, 2.2.1: at least ten times). */
export const EXTENSIONS = 10;

export const IDLE_PHASES = ["off", "watching", "warning", "held"] as const;
export type IdlePhase = (typeof IDLE_PHASES)[number];

export const IDLE_EVENTS = [
  /** From now on somebody's data may be on the screen. */
  "enter",
  /** Nobody's data is on the screen any more. */
  "leave",
  /** A touch, a key, a scan. */
  "touch",
  /** {@link QUIET} has passed. */
  "quiet",
  /** "More time". */
  "more",
  /** The countdown ended. */
  "expired",
  /** A tag is being written: nothing may interrupt that. */
  "hold",
  "resume",
] as const;
export type IdleEvent = (typeof IDLE_EVENTS)[number];

export interface Idle {
  readonly phase: IdlePhase;
  readonly extensionsLeft: number;
}

export const OFF: Idle = { phase: "off", extensionsLeft: EXTENSIONS };

const TABLE: Readonly<Record<IdlePhase, Partial<Record<IdleEvent, IdlePhase>>>> = {
  off: { enter: "watching" },
  watching: { leave: "off", touch: "watching", quiet: "warning", hold: "held" },
  // A touch outside the button is no answer; a write that begins is one.
  warning: { leave: "off", more: "watching", expired: "off", hold: "held" },
  held: { leave: "off", resume: "watching" },
};

/** The state after `event`; the same object if the event means nothing, a new one if a timer restarts. */
export function next(idle: Idle, event: IdleEvent): Idle {
  const phase = TABLE[idle.phase][event];
  if (phase === undefined) return idle;
  if (phase === "off") return OFF;
  if (event !== "more") return { ...idle, phase };
  if (idle.extensionsLeft === 0) return idle;
  return { phase, extensionsLeft: idle.extensionsLeft - 1 };
}
