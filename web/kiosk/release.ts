/** The life of one lock that staff open: a pure table. Radio and service are in create-release.ts. */

export const RELEASE_STATES = [
  "ready",
  "picking",
  /** The service is asked whether the tag is locked. */
  "looking",
  "free",
  /** Why, and who: the dialog is in create-staff-gate.ts. */
  "asking",
  "done",
  "failed",
] as const;
export type ReleaseState = (typeof RELEASE_STATES)[number];

export const RELEASE_EVENTS = [
  "pick",
  "picked",
  "cancelled",
  "locked",
  "unlocked",
  "opened",
  "failed",
] as const;
export type ReleaseEvent = (typeof RELEASE_EVENTS)[number];

const TABLE: Readonly<Record<ReleaseState, Partial<Record<ReleaseEvent, ReleaseState>>>> = {
  // A job that found a lock hands its tag over: it counts as picked.
  ready: { pick: "picking", picked: "looking" },
  picking: { picked: "looking", cancelled: "ready", failed: "failed" },
  looking: { locked: "asking", unlocked: "free", failed: "failed" },
  free: { pick: "picking" },
  asking: { opened: "done" },
  done: { pick: "picking" },
  failed: { pick: "picking" },
};

/** The state after `event`; an event without a meaning in `state` changes nothing. */
export function next(state: ReleaseState, event: ReleaseEvent): ReleaseState {
  return TABLE[state][event] ?? state;
}
