import { foldLocator } from "../../core/bag/record-locator.ts";
import {
  asTaglatchError,
  CustodyProofAttemptsExceededException,
  CustodyProofCancelledException,
  type CustodyProofCollector,
  type CustodyProofInput,
  type CustodyProofPrompt,
  type OperationOptions,
  OtherBagError,
  OtherLabelError,
  type PickedTag,
  type RememberedTag,
  type Result,
  ServiceError,
  type Taglatch,
  type TaglatchError,
  type TransferResult,
} from "../../sdk/index.ts";
import type { ProofTries } from "../state/app-state.tsx";
import type { Outbox } from "../state/create-outbox.ts";
import type { JobEvent, JobKind, ProofPrompt } from "./tag-job.ts";

/** At this charge (per cent) or below, the person is asked first. */
export const LOW_BATTERY = 20;

export interface TagJobOptions {
  readonly kind: JobKind;
  readonly load: () => Promise<Taglatch>;
  readonly outbox: Pick<Outbox, "onResolved">;
  /** The id of the tag, if it is already known: no other is offered. */
  readonly only?: (() => string | undefined) | undefined;
  /** Whether a remembered tag may be offered: one that carries another bag may not. */
  readonly fits?: ((name: string) => boolean) | undefined;
  /** The operation itself, on the tag that was picked. */
  readonly operate: (
    client: Taglatch,
    tag: PickedTag,
    collector: CustodyProofCollector,
    options: OperationOptions,
    move: boolean,
  ) => Promise<Result<TransferResult>>;
  /** Whether the bag that the tag carries is on a newer tag: then it is moved without a question. */
  readonly isOld?: (baggageId: number, uniqueDeviceId: string) => boolean;
  /** Shared by the jobs of one person. */
  readonly tries?: ProofTries;
  readonly onEnd?: (result: TransferResult) => void;
  /** Called if the page is left while the tag changes its display: the job goes on until `over`. */
  readonly onLeft?: (over: Promise<void>) => void;
}

/** One attempt at the chooser, the radio and the service. */
export interface JobContext {
  readonly options: TagJobOptions;
  readonly signal: AbortSignal;
  /** The last custody proof typed for each tag: it survives a lost link. */
  readonly typed: Map<string, CustodyProofInput>;
  /** Sends an event to the table of tag-job.ts. */
  readonly send: (event: JobEvent) => void;
}

/**
 * Whatever is thrown outside the SDK's results (when its code does not load, for example) also ends the job
 * as an error.
 */
export function runGuarded(run: JobContext, work: Promise<unknown>): void {
  work.catch((thrown: unknown) => endWithError(run, asTaglatchError(thrown)));
}

/** Uses the chooser, or a remembered tag without it; then runs the operation, unless the battery is low. */
export async function pickAndOperate(run: JobContext, known: RememberedTag | undefined): Promise<void> {
  const client = await run.options.load();
  const uniqueDeviceId = run.options.only?.();
  const picked = known
    ? await client.connect(known.deviceId, operationOptions(run))
    : await client.pickTag({ ...operationOptions(run), ...(uniqueDeviceId ? { uniqueDeviceId } : {}) });
  if (!picked.ok) return endWithError(run, picked.error, { listClosed: !known && !run.signal.aborted });
  const low = (picked.value.batteryLevel ?? 100) <= LOW_BATTERY;
  run.send({ type: low ? "pickedLowBattery" : "picked", tag: picked.value });
  if (!low) await runOperation(run, picked.value);
}

/** The operation at a tag that was picked; `move`: whatever else it shows. */
export async function runOperation(run: JobContext, tag: PickedTag, move = false): Promise<void> {
  const client = await run.options.load();
  const outcome = await run.options.operate(client, tag, collector(run), operationOptions(run), move);
  if (!outcome.ok && outcome.error instanceof OtherLabelError && !run.signal.aborted)
    return run.send({ type: "carries", baggageId: undefined });
  if (!outcome.ok && outcome.error instanceof OtherBagError && !run.signal.aborted) {
    const { baggageId } = outcome.error;
    if (!move && run.options.isOld?.(baggageId, tag.uniqueDeviceId)) return runOperation(run, tag, true);
    return run.send({ type: "carries", baggageId });
  }
  // Releases the tag for others at once.
  runGuarded(run, client.disconnect(tag.deviceId));
  recordProofs(run, tag, outcome);
  if (!outcome.ok) return endWithError(run, outcome.error);
  const { pendingRetry, refused, cause } = outcome.value;
  // Refused for good: the screen must not announce a later confirmation.
  if (refused && cause) return run.send({ type: "failed", error: cause });
  run.send({ type: pendingRetry ? "queued" : "succeeded" });
  run.options.onEnd?.(outcome.value);
}

/** Counts the proof that ended the operation; a tag that was written starts at zero. */
function recordProofs(
  { options }: JobContext,
  { uniqueDeviceId }: PickedTag,
  outcome: Result<TransferResult>,
): void {
  if (options.tries === undefined) return;
  if (outcome.ok) options.tries.delete(uniqueDeviceId);
  else if (outcome.error.code === "custody_proof_attempts_exceeded")
    addWrong(options.tries, uniqueDeviceId, Number.POSITIVE_INFINITY, Date.now());
}

/** Releases the tag for others. */
export async function releaseTag(run: JobContext, tag: PickedTag): Promise<void> {
  await (await run.options.load()).disconnect(tag.deviceId);
}

function operationOptions({ signal, send }: JobContext): OperationOptions {
  return {
    signal,
    onProgress: (event) => {
      if (event.type === "started" && event.phase === "connect") send({ type: "chosen" });
      send({ type: "progressed", by: event });
    },
  };
}

function collector(run: JobContext): CustodyProofCollector {
  return {
    collect: async (prompt) => {
      const counted = countTries(run, prompt);
      let input = await requestProof(run, counted);
      // The mask shows that it is another booking: save the attempt, and the holder's warning.
      while (input && !matchesMask(input.recordLocator, prompt.hints.maskedRecordLocator))
        input = await requestProof(run, { ...counted, isOther: true });
      return input;
    },
  };
}

/** With the tries that are left at this tag. Throws CustodyProofAttemptsExceededException if there are none. */
function countTries({ options }: JobContext, prompt: CustodyProofPrompt): ProofPrompt {
  const { uniqueDeviceId: tag, lastSubmissionError: error } = prompt;
  const { tries = new Map() } = options;
  if (error) addWrong(tries, tag, 1, Date.now());
  const allowed = prompt.attempt + prompt.attemptsLeft - 1;
  const attemptsLeft = Math.min(prompt.attemptsLeft, allowed - wrongProofs(tries, tag, Date.now()));
  if (attemptsLeft > 0) return { ...prompt, attemptsLeft };
  const refused = error ?? new ServiceError("custody_proof_invalid", "no proof may be tried");
  throw new CustodyProofAttemptsExceededException(prompt.hints, refused);
}

async function requestProof(
  { send, typed }: JobContext,
  prompt: ProofPrompt,
): Promise<CustodyProofInput | null> {
  const tag = prompt.uniqueDeviceId;
  const input = await new Promise<CustodyProofInput | null>((resolve) => {
    const closePrompt = () => {
      send({ type: "promptClosed", prompt: undefined });
      resolve(null);
    };
    prompt.signal.addEventListener("abort", closePrompt, { once: true });
    const prefill = { ...prompt.prefill, ...typed.get(tag) };
    send({ type: "prove", prompt: { ...prompt, prefill }, answer: resolve });
  });
  if (input) typed.set(tag, input);
  return input;
}

/** Whether a record locator may be the one behind `mask`; a mask without a letter matches all. */
function matchesMask(recordLocator: string, mask = ""): boolean {
  return !/^[A-Z0-9]/.test(mask) || foldLocator(recordLocator)[0] === mask[0];
}

function endWithError(
  { send }: JobContext,
  error: TaglatchError,
  how: { readonly listClosed?: boolean } = {},
): void {
  const givenUp = error.code === "cancelled" || error instanceof CustodyProofCancelledException;
  send(givenUp ? { type: "cancelled", error, ...how } : { type: "failed", error });
}

/** The service's own window for guesses at a tag; `proof.afterLast` and `errors.custody_proof_attempts_exceeded` name it. */
const PAUSE_MS = 15 * 60_000;

/** Wrong proofs at this tag in the last quarter of an hour; `Infinity` once the tries are used up. */
export function wrongProofs(tries: ProofTries, uniqueDeviceId: string, now: number): number {
  const known = tries.get(uniqueDeviceId);
  return known && now < known.until ? known.wrong : 0;
}

export function addWrong(tries: ProofTries, uniqueDeviceId: string, proofs: number, now: number): void {
  const wrong = wrongProofs(tries, uniqueDeviceId, now);
  // Used up already: another look does not extend the wait.
  if (wrong < Number.POSITIVE_INFINITY)
    tries.set(uniqueDeviceId, { wrong: wrong + proofs, until: now + PAUSE_MS });
}
