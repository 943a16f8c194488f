/**
 * The life of one job at one tag, transfer or clear: a pure table. What happens on the way (chooser, radio,
 * service) is in create-tag-job.ts; this file knows only what may follow what.
 */

export const JOB_STATES = [
  "ready",
  "choosing",
  "connecting",
  "warned",
  "working",
  "proving",
  "cancelling",
  "done",
  "pending",
  "failed",
] as const;
export type JobState = (typeof JOB_STATES)[number];

export const JOB_EVENTS = [
  /** The person asked for the chooser. */
  "choose",
  /** A tag was chosen; the radio connects. */
  "chosen",
  /** Connected, battery fine. */
  "picked",
  /** Connected, battery low: the person decides. */
  "pickedLow",
  /** Go on with the low battery. */
  "accept",
  /** The tag is locked to another journey: the dialog opens. */
  "prove",
  /** The dialog was answered. */
  "proved",
  "cancel",
  /** The operation came to rest without an outcome. */
  "cancelled",
  "succeeded",
  /** On the tag, but the service does not know yet. */
  "kept",
  /** The outbox got through afterwards. */
  "confirmed",
  "failed",
  "reset",
] as const;
export type JobEvent = (typeof JOB_EVENTS)[number];

const ENDS = { succeeded: "done", kept: "pending", failed: "failed" } as const;

const TABLE: Readonly<Record<JobState, Partial<Record<JobEvent, JobState>>>> = {
  ready: { choose: "choosing" },
  choosing: {
    chosen: "connecting",
    picked: "working",
    pickedLow: "warned",
    cancel: "cancelling",
    cancelled: "ready",
    failed: "failed",
  },
  connecting: {
    picked: "working",
    pickedLow: "warned",
    cancel: "cancelling",
    cancelled: "ready",
    failed: "failed",
  },
  warned: { accept: "working", cancel: "ready" },
  working: { prove: "proving", cancel: "cancelling", cancelled: "ready", ...ENDS },
  proving: { proved: "working", cancel: "cancelling", cancelled: "ready", ...ENDS },
  // The tag may have had its commit already: then the outcome is told although somebody pressed cancel.
  cancelling: { cancelled: "ready", ...ENDS },
  done: { reset: "ready" },
  pending: { confirmed: "done", reset: "ready" },
  failed: { choose: "choosing", reset: "ready" },
};

/** The state after `event`; an event that means nothing in `state` changes nothing. */
export function next(state: JobState, event: JobEvent): JobState {
  return TABLE[state][event] ?? state;
}

/** Whether something runs that an update, a reload or another job would break. */
export function isBusy(state: JobState): boolean {
  return state !== "ready" && state !== "done" && state !== "pending" && state !== "failed";
}
