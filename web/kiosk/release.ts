/** The life of one lock that staff open: a pure table. Radio and service are in create-release.ts. */

export const RELEASE_STATES = [
  "ready",
  "picking",
  /** The service is asked whether the tag is locked. */
  "looking",
  "free",
  "asking",
  "opening",
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
  "open",
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
  asking: { open: "opening" },
  opening: { opened: "done", failed: "failed" },
  done: { pick: "picking" },
  failed: { pick: "picking" },
};

/** The state after `event`; an event without a meaning in `state` changes nothing. */
export function next(state: ReleaseState, event: ReleaseEvent): ReleaseState {
  return TABLE[state][event] ?? state;
}
