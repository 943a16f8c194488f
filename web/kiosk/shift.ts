/** The life of a shift: a pure table. The sign-in itself is in create-shift.ts. */

export const SHIFT_STATES = ["unknown", "out", "signingIn", "in", "ending", "waiting"] as const;
export type ShiftState = (typeof SHIFT_STATES)[number];

export const SHIFT_EVENTS = [
  /** A session of this device is still good. */
  "found",
  "foundNone",
  "signIn",
  "accepted",
  "refused",
  /** The service no longer accepts it. */
  "ended",
  "end",
  /** The queue is not empty: a person has to decide. */
  "queueWaits",
  /** The end failed, or staff changed their mind. */
  "stay",
] as const;
export type ShiftEvent = (typeof SHIFT_EVENTS)[number];

const TABLE: Readonly<Record<ShiftState, Partial<Record<ShiftEvent, ShiftState>>>> = {
  unknown: { found: "in", foundNone: "out" },
  out: { signIn: "signingIn" },
  signingIn: { accepted: "in", refused: "out" },
  in: { ended: "out", end: "ending" },
  ending: { ended: "out", queueWaits: "waiting", stay: "in" },
  waiting: { ended: "out", end: "ending", stay: "in" },
};

/** The state after `event`; an event without a meaning in `state` changes nothing. */
export function next(state: ShiftState, event: ShiftEvent): ShiftState {
  return TABLE[state][event] ?? state;
}
