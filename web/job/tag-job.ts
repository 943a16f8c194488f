import {
  type CustodyProofInput,
  type CustodyProofPrompt,
  PHASES,
  type Phase,
  type PickedTag,
  type ProgressEvent,
  type RememberedTag,
  type TagDevice,
  type TaglatchError,
} from "../../sdk/index.ts";
import { keep, kept } from "../state/browser.ts";

/**
 * The life of one job at one tag, transfer or clear: a pure table. What happens on the way (chooser, radio,
 * service) is in run-tag-job.ts; this file has only the transitions, and the facts of each state.
 */

/** The job after the chooser was opened. */
interface Begun {
  readonly progress: JobProgress;
  /** The remembered tag that is sought; absent if the chooser was opened. */
  readonly known?: RememberedTag | undefined;
  readonly tag?: PickedTag | undefined;
}
interface AtTag extends Begun {
  readonly tag: PickedTag;
}

/** The tag shows what it should. */
interface Ended extends Begun {
  /** The person had asked to stop, too late. */
  readonly stopped?: boolean | undefined;
}

export type JobState =
  /**
   * After a job that stopped without an outcome: why (`cancelled`, `custody_proof_cancelled`), and at which
   * tag; `listClosed`: the browser's list was closed without a choice.
   */
  | {
      readonly at: "ready";
      readonly error?: TaglatchError | undefined;
      readonly tag?: PickedTag | undefined;
      readonly listClosed?: boolean | undefined;
    }
  | (Begun & { readonly at: "choosing" })
  | (Begun & { readonly at: "connecting" })
  /** Battery low: the person decides. */
  | (AtTag & { readonly at: "warned" })
  /** The tag carries another bag of the same person, `baggageId`, or another person's label: the person decides. */
  | (AtTag & { readonly at: "carrying"; readonly baggageId: number | undefined })
  /**
   * `prompt`: answered, but the service has not said yet whether the proof is right; the dialog stays until
   * it does.
   */
  | (AtTag & { readonly at: "working"; readonly prompt?: ProofPrompt | undefined })
  /** The tag is locked to another journey: the dialog is open. */
  | (AtTag & { readonly at: "proving"; readonly prompt: ProofPrompt; readonly answer: Answer })
  | (Begun & { readonly at: "cancelling" })
  | (Ended & { readonly at: "done" })
  /** On the tag, but the service does not know yet. */
  | (Ended & { readonly at: "pending" })
  | (Begun & { readonly at: "failed"; readonly error: TaglatchError });

/** What the dialog asks. */
export interface ProofPrompt extends CustodyProofPrompt {
  /** The last answer does not match the hints' mask: it was not sent. */
  readonly isOther?: boolean;
}

/** Answers the prompt; null gives up. */
type Answer = (input: CustodyProofInput | null) => void;

export type JobEvent =
  /** The person asked for the chooser, or for a remembered tag. */
  | { readonly type: "choose"; readonly progress: JobProgress; readonly known?: RememberedTag | undefined }
  /** One event of the SDK's stream. */
  | { readonly type: "progressed"; readonly by: ProgressEvent }
  | { readonly type: "picked" | "pickedLowBattery"; readonly tag: PickedTag }
  /** Go on with the low battery, or replace what the tag shows: then everything begins again. */
  | { readonly type: "accept"; readonly progress?: JobProgress }
  | { readonly type: "carries"; readonly baggageId: number | undefined }
  | { readonly type: "prove"; readonly prompt: ProofPrompt; readonly answer: Answer }
  /** The operation no longer waits for an answer: the proof was right, or everything is over. */
  | { readonly type: "promptClosed"; readonly prompt: undefined }
  /** The operation stopped without an outcome. */
  | { readonly type: "cancelled"; readonly error: TaglatchError; readonly listClosed?: boolean }
  | { readonly type: "failed"; readonly error: TaglatchError }
  /** `chosen`: the radio connects. `proved`: the dialog was answered. `confirmed`: the outbox has sent it afterwards. */
  | { readonly type: "chosen" | "proved" | "cancel" | "succeeded" | "queued" | "confirmed" | "reset" };

type At = JobState["at"];

const ENDS = { succeeded: "done", queued: "pending", failed: "failed", carries: "carrying" } as const;

const TABLE: Readonly<Record<At, Partial<Record<JobEvent["type"], At>>>> = {
  ready: { choose: "choosing" },
  choosing: {
    chosen: "connecting",
    picked: "working",
    pickedLowBattery: "warned",
    cancel: "cancelling",
    cancelled: "ready",
    failed: "failed",
  },
  connecting: {
    picked: "working",
    pickedLowBattery: "warned",
    cancel: "cancelling",
    cancelled: "ready",
    failed: "failed",
  },
  warned: { accept: "working", cancel: "ready" },
  carrying: { accept: "working", cancel: "ready", choose: "choosing" },
  working: { prove: "proving", promptClosed: "working", cancel: "cancelling", cancelled: "ready", ...ENDS },
  // With another tag in place of a proof.
  proving: {
    proved: "working",
    choose: "choosing",
    promptClosed: "working",
    cancel: "cancelling",
    cancelled: "ready",
    ...ENDS,
  },
  // The tag may already have its commit: then the outcome is shown although the person cancelled.
  cancelling: { cancelled: "ready", ...ENDS, carries: "ready" },
  // The person has looked at the tag, and it shows something else.
  done: { reset: "ready", choose: "choosing" },
  pending: { confirmed: "done", failed: "failed", reset: "ready", choose: "choosing" },
  failed: { choose: "choosing", reset: "ready" },
};

const BEGUN = ["progress", "known", "tag"];
/** The facts of each state: from the event, else from the state before. */
const FIELDS: Readonly<Record<At, readonly string[]>> = {
  ready: ["error", "tag", "listClosed"],
  choosing: ["progress", "known"],
  connecting: ["progress", "known"],
  warned: BEGUN,
  carrying: [...BEGUN, "baggageId"],
  working: [...BEGUN, "prompt"],
  proving: [...BEGUN, "prompt", "answer"],
  cancelling: BEGUN,
  done: [...BEGUN, "stopped"],
  pending: [...BEGUN, "stopped"],
  failed: [...BEGUN, "error"],
};

/** The job after `event`; an event without a meaning in the current state changes nothing. */
export function next(job: JobState, event: JobEvent): JobState {
  if (event.type === "progressed") return progressed(job, event.by);
  const at = TABLE[job.at][event.type];
  if (at === undefined) return job;
  const stopped = job.at === "cancelling" && { stopped: true };
  const facts: Readonly<Record<string, unknown>> = { ...job, ...stopped, ...event };
  const known = Object.fromEntries(FIELDS[at].map((name) => [name, facts[name]]));
  const after = { ...known, at } as unknown as JobState;
  return after.at === "failed" ? { ...after, progress: fail(after.progress) } : after;
}

function progressed(job: JobState, event: ProgressEvent): JobState {
  if (job.at === "ready") return job;
  const after = { ...job, progress: advance(job.progress, event) };
  return endsProof(event) ? next(after, { type: "promptClosed", prompt: undefined }) : after;
}

/** The proof was right if the proof phase ends or the next one begins. */
function endsProof(event: ProgressEvent): boolean {
  if (event.type === "done") return event.phase === "proof";
  return event.type === "started" && PHASES.indexOf(event.phase) > PHASES.indexOf("proof");
}

/** The job if it is in one of these states, with what is known there. */
export function jobAt<Name extends At>(job: JobState, ...names: readonly Name[]) {
  return (names as readonly At[]).includes(job.at)
    ? (job as Extract<JobState, { readonly at: Name }>)
    : undefined;
}

/** Whether something runs that an update, a reload or another job would break. */
export function isBusy({ at }: JobState): boolean {
  return at !== "ready" && at !== "done" && at !== "pending" && at !== "failed";
}

/** Whether the tag has its commit, and the job is not over yet. */
export const isCommitted = (job: JobState) => isBusy(job) && hasBegun(job, "display");

/** Whether the tag has its commit and its outcome is unknown: a cancel comes too late. */
export const isCommitting = (job: JobState) => isCommitted(job) && !hasBegun(job, "attach");

export const hasBegun = (job: JobState, name: Phase): boolean =>
  job.at !== "ready" && job.progress.phases.some(({ phase, state }) => phase === name && state !== "waiting");

/** The custody proof that is being asked for or checked. */
export const promptOf = (job: JobState) => jobAt(job, "proving", "working")?.prompt;

/** What is known of one phase of a running job. Times in milliseconds since the operation began. */
export interface PhaseProgress {
  readonly phase: Phase;
  readonly state: "waiting" | "active" | "done" | "failed";
  readonly startedAt?: number;
  readonly duration?: number;
  /** 0…1, of `write`; 1 of `display` as the tag says COMMITTED. */
  readonly fraction?: number;
  readonly retrying?: boolean;
}

interface JobProgress {
  readonly phases: readonly PhaseProgress[];
  readonly device?: TagDevice;
}

export type JobKind = "transfer" | "clear";

/** The phases shown from the start; `proof` joins only when a proof is required. */
const PLANNED: Record<JobKind, readonly Phase[]> = {
  transfer: ["connect", "secure", "lookup", "authorize", "write", "display", "attach"],
  clear: ["connect", "secure", "authorize", "write", "display", "attach"],
};

export function initialProgress(kind: JobKind): JobProgress {
  return { phases: PLANNED[kind].map((phase) => ({ phase, state: "waiting" })) };
}

/** The progress after one event of the SDK's stream. */
export function advance(progress: JobProgress, event: ProgressEvent): JobProgress {
  switch (event.type) {
    case "tag":
      return { ...progress, device: event.device };
    case "started":
      return change(withoutLater(progress, event.phase), event.phase, {
        state: "active",
        startedAt: event.at,
        retrying: false,
      });
    case "retrying":
      return change(progress, event.phase, { state: "active", retrying: true });
    case "progress":
      return change(progress, event.phase, { fraction: event.fraction });
    case "done":
      return change(progress, event.phase, { state: "done", duration: event.duration, retrying: false });
  }
}

/** Phases after one that starts are still to come: a refused token is asked for again after the proof. */
const withoutLater = (progress: JobProgress, phase: Phase): JobProgress => ({
  ...progress,
  phases: progress.phases.map((item) =>
    PHASES.indexOf(item.phase) > PHASES.indexOf(phase) ? { phase: item.phase, state: "waiting" } : item,
  ),
});

/**
 * The job failed. The SDK ends the current phase before it reports the failure, so the last phase that began
 * is where it failed.
 */
export function fail(progress: JobProgress): JobProgress {
  const last = progress.phases.findLast((item) => item.state !== "waiting");
  const mark = (item: PhaseProgress): PhaseProgress => (item === last ? { ...item, state: "failed" } : item);
  return { ...progress, phases: progress.phases.map(mark) };
}

export function activePhase(progress: JobProgress): PhaseProgress | undefined {
  return progress.phases.findLast((item) => item.state === "active");
}

function change(
  progress: JobProgress,
  phase: Phase,
  what: Omit<Partial<PhaseProgress>, "phase">,
): JobProgress {
  const known = progress.phases.some((item) => item.phase === phase);
  const all = known ? progress.phases : insert(progress.phases, { phase, state: "waiting" });
  return { ...progress, phases: all.map((item) => (item.phase === phase ? { ...item, ...what } : item)) };
}

function insert(phases: readonly PhaseProgress[], item: PhaseProgress): PhaseProgress[] {
  const order = (phase: Phase) => PHASES.indexOf(phase);
  return [...phases, item].sort((a, b) => order(a.phase) - order(b.phase));
}

/**
 * How long each phase usually lasts, in milliseconds: its share of the bar. `proof` has none, because a person's time is no
 * progress. What fills a phase without fractions is its elapsed time.
 */
const USUAL_MS: Readonly<Record<Phase, number>> = {
  connect: 2_000,
  secure: 800,
  lookup: 300,
  proof: 0,
  authorize: 500,
  write: 1_500,
  display: 3_000,
  attach: 500,
};
/** A phase that is not over is never drawn as complete. */
const MOST = 0.95;

/**
 * How much of the whole job is done, 0…1. `elapsed`: milliseconds since the active phase began; `displayMs`: how long this
 * tag's e-paper took the last time.
 */
export function shareDone({ phases }: JobProgress, elapsed: number, displayMs?: number): number {
  const usual = (phase: Phase) => (phase === "display" ? (displayMs ?? USUAL_MS.display) : USUAL_MS[phase]);
  const part = ({ phase, state, fraction }: PhaseProgress) => {
    if (state === "done" || fraction === 1) return 1;
    if (state !== "active") return 0;
    return Math.min(fraction ?? elapsed / Math.max(usual(phase), 1), MOST);
  };
  const sum = (of: (item: PhaseProgress) => number) => phases.reduce((all, item) => all + of(item), 0);
  return sum((item) => usual(item.phase) * part(item)) / sum((item) => usual(item.phase));
}

/**
 * How long each tag's e-paper took to change (milliseconds), on this device alone: the next progress bar fills as fast as the
 * tag does. It goes with everything else that a logout or a kiosk's wipe removes.
 */
const keyOf = (uniqueDeviceId: string) => `taglatch.display.${uniqueDeviceId}`;

/** Without one, and without storage, the usual time is assumed. */
export const displayTimeOf = (uniqueDeviceId: string): number | undefined =>
  Number(kept(keyOf(uniqueDeviceId))) || undefined;

export const rememberDisplayTime = (uniqueDeviceId: string, ms: number): void =>
  keep(keyOf(uniqueDeviceId), String(ms));
