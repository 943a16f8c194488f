import type { TaglatchError } from "../../sdk/index.ts";
import {
  type CustodyProofInput,
  type CustodyProofPrompt,
  PHASES,
  type PickedTag,
  type ProgressEvent,
  type RememberedTag,
} from "../../sdk/index.ts";
import { advance, fail, type JobProgress } from "./job-progress.ts";

/**
 * The life of one job at one tag, transfer or clear: a pure table. What happens on the way (chooser, radio, service) is
 * in run-tag-job.ts; this file knows only what may follow what, and what is known when.
 */

/** The job from the chooser on. */
interface Begun {
  readonly progress: JobProgress;
  /** The remembered tag that is looked for; absent where the chooser was opened. */
  readonly known?: RememberedTag | undefined;
  readonly tag?: PickedTag | undefined;
}
interface AtTag extends Begun {
  readonly tag: PickedTag;
}

export type JobState =
  /** After a job that came to rest without an outcome: why (`cancelled`, `custody_proof_cancelled`), and at which tag. */
  | { readonly at: "ready"; readonly error?: TaglatchError | undefined; readonly tag?: PickedTag | undefined }
  | (Begun & { readonly at: "choosing" })
  | (Begun & { readonly at: "connecting" })
  /** Battery low: the person decides. */
  | (AtTag & { readonly at: "warned" })
  /** `prompt`: answered, and the service has not said yet whether it is right; the dialog stays until it does. */
  | (AtTag & { readonly at: "working"; readonly prompt?: CustodyProofPrompt | undefined })
  /** The tag is locked to another journey: the dialog is open. */
  | (AtTag & { readonly at: "proving"; readonly prompt: CustodyProofPrompt; readonly answer: Answer })
  | (Begun & { readonly at: "cancelling" })
  | (Begun & { readonly at: "done" })
  /** On the tag, but the service does not know yet. */
  | (Begun & { readonly at: "pending" })
  | (Begun & { readonly at: "failed"; readonly error: TaglatchError });

/** Answers the prompt; null gives up. */
type Answer = (input: CustodyProofInput | null) => void;

export type JobEvent =
  /** The person asked for the chooser, or for a tag that is remembered. */
  | { readonly type: "choose"; readonly progress: JobProgress; readonly known?: RememberedTag | undefined }
  /** A tag was chosen; the radio connects. */
  | { readonly type: "chosen" }
  /** One of the SDK's stream. */
  | { readonly type: "progressed"; readonly by: ProgressEvent }
  /** Connected, battery fine. */
  | { readonly type: "picked"; readonly tag: PickedTag }
  /** Connected, battery low. */
  | { readonly type: "pickedLow"; readonly tag: PickedTag }
  /** Go on with the low battery. */
  | { readonly type: "accept" }
  | { readonly type: "prove"; readonly prompt: CustodyProofPrompt; readonly answer: Answer }
  /** The dialog was answered. */
  | { readonly type: "proved" }
  /** The operation waits for no answer any more: it was right, or everything is over. */
  | { readonly type: "askedNoMore"; readonly prompt: undefined }
  | { readonly type: "cancel" }
  /** The operation came to rest without an outcome. */
  | { readonly type: "cancelled"; readonly error: TaglatchError }
  | { readonly type: "succeeded" }
  | { readonly type: "kept" }
  /** The outbox got through afterwards. */
  | { readonly type: "confirmed" }
  | { readonly type: "failed"; readonly error: TaglatchError }
  | { readonly type: "reset" };

type At = JobState["at"];

const ENDS = { succeeded: "done", kept: "pending", failed: "failed" } as const;

const TABLE: Readonly<Record<At, Partial<Record<JobEvent["type"], At>>>> = {
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
  working: { prove: "proving", askedNoMore: "working", cancel: "cancelling", cancelled: "ready", ...ENDS },
  proving: { proved: "working", askedNoMore: "working", cancel: "cancelling", cancelled: "ready", ...ENDS },
  // The tag may have had its commit already: then the outcome is told although somebody pressed cancel.
  cancelling: { cancelled: "ready", ...ENDS },
  done: { reset: "ready" },
  pending: { confirmed: "done", reset: "ready" },
  failed: { choose: "choosing", reset: "ready" },
};

const BEGUN = ["progress", "known", "tag"];
/** What is known where: from the event, else from before. */
const KNOWN: Readonly<Record<At, readonly string[]>> = {
  ready: ["error", "tag"],
  choosing: ["progress", "known"],
  connecting: ["progress", "known"],
  warned: BEGUN,
  working: [...BEGUN, "prompt"],
  proving: [...BEGUN, "prompt", "answer"],
  cancelling: BEGUN,
  done: BEGUN,
  pending: BEGUN,
  failed: [...BEGUN, "error"],
};

/** The job after `event`; an event that means nothing where the job is changes nothing. */
export function next(job: JobState, event: JobEvent): JobState {
  if (event.type === "progressed") return progressed(job, event.by);
  const at = TABLE[job.at][event.type];
  if (at === undefined) return job;
  const facts: Readonly<Record<string, unknown>> = { ...job, ...event };
  const known = Object.fromEntries(KNOWN[at].map((name) => [name, facts[name]]));
  const after = { ...known, at } as unknown as JobState;
  return after.at === "failed" ? { ...after, progress: fail(after.progress) } : after;
}

function progressed(job: JobState, event: ProgressEvent): JobState {
  if (job.at === "ready") return job;
  const after = { ...job, progress: advance(job.progress, event) };
  return provesOver(event) ? next(after, { type: "askedNoMore", prompt: undefined }) : after;
}

/** A right proof shows by the proof phase ending or the next one beginning. */
function provesOver(event: ProgressEvent): boolean {
  if (event.type === "done") return event.phase === "proof";
  return event.type === "started" && PHASES.indexOf(event.phase) > PHASES.indexOf("proof");
}

/** The job where it is at one of these, with what is known there. */
export function jobAt<Name extends At>(job: JobState, ...names: readonly Name[]) {
  return (names as readonly At[]).includes(job.at)
    ? (job as Extract<JobState, { readonly at: Name }>)
    : undefined;
}

/** Whether something runs that an update, a reload or another job would break. */
export function isBusy({ at }: JobState): boolean {
  return at !== "ready" && at !== "done" && at !== "pending" && at !== "failed";
}

/** The custody proof being asked for, or just being checked. */
export const promptOf = (job: JobState) => jobAt(job, "proving", "working")?.prompt;
