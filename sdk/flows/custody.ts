/**
 * Custody: whether we may write to this tag, and if not, the loop of proofs that unlocks it. The dialog is
 * the host's; this file decides what counts, in which order and how often.
 */
import { type Bytes, fromBase64Url, toBase64 } from "../../core/encoding/bytes.ts";
import { orCancelled } from "../abort.ts";
import {
  CustodyProofAttemptsExceededException,
  CustodyProofCancelledException,
  CustodyProofRequiredException,
  OtherLabelError,
  ServiceError,
} from "../errors.ts";
import type { CustodyHints } from "../records.ts";
import type { Api } from "../service/session.ts";
import type { CustodyProofCollector, CustodyProofInput, OnOtherLabel, OutboxEntry } from "../types.ts";
import type { TagConnection } from "./tag-connection.ts";

/** The tag that is asked about, and the bag that is to go on it. */
export interface LockLookup {
  readonly uniqueDeviceId: string;
  readonly forBaggageId?: number;
  /** v2.1: DER. From it the service knows whether the tag signs. */
  readonly certificate?: Bytes | undefined;
}

export interface CustodyCase {
  readonly lookup: LockLookup;
  readonly collector: CustodyProofCollector | undefined;
  readonly maxCustodyProofAttempts: number;
  /** Arrives filled in the dialog. Where there is no collector and both are there, they are submitted, once. */
  readonly prefill: Partial<CustodyProofInput>;
}

/** Another journey's lock. */
export interface LockHeldByOther {
  readonly hints: CustodyHints;
  /** Its holder has reported the tag lost. */
  readonly lost: boolean;
  /** 16 bytes: what the tag says over them may make a proof needless. */
  readonly tagChallenge?: Bytes;
}

/** A tag's lock as far as it matters here; all absent where the tag is free and was never the caller's. */
export interface SeenLock {
  /** Present where a proof is needed. */
  readonly heldByOther?: LockHeldByOther;
  /** Where the lock is ours: the bag that the tag carries, as far as the service reports it. */
  readonly ownBag?: number;
  /** The lock is the caller's journey's. */
  readonly isOurs?: true;
  /** The caller held the lock that ended last. */
  readonly hasEnded?: true;
}

export async function lookUpLock(
  api: Api,
  { certificate, ...named }: LockLookup,
  signal: AbortSignal,
): Promise<SeenLock> {
  const body = { ...named, ...(certificate && { tagCertificate: toBase64(certificate) }) };
  const answer = await api.call("ebtLookup", body, { signal });
  const { attachedBaggageId, hints = {}, lost = false, tagChallenge } = answer;
  if (answer.requiresCustodyProof !== true)
    return {
      ...(attachedBaggageId !== undefined && { ownBag: attachedBaggageId }),
      ...(answer.locked && { isOurs: true }),
      ...(answer.lockEnded && { hasEnded: true }),
    };
  return { heldByOther: { hints, lost, ...(tagChallenge !== undefined && challengeOf(tagChallenge)) } };
}

function challengeOf(text: string): { tagChallenge: Bytes } {
  try {
    return { tagChallenge: fromBase64Url(text) };
  } catch (cause) {
    throw new ServiceError("invalid_answer", "the challenge is not base64url", { cause });
  }
}

/**
 * Resolves once the service has accepted a proof. Throws CustodyProofRequiredException,
 * CustodyProofCancelledException, CustodyProofAttemptsExceededException; {@link ServiceError} for everything
 * but a wrong proof (429 with its `retryAfter`); `cancelled`. A person who finds a lost tag is not asked to
 * guess whose it is: the error is `device_lost`, unless the caller has brought a whole proof along.
 */
export async function proveCustody(
  api: Api,
  { lookup, collector, maxCustodyProofAttempts, prefill }: CustodyCase,
  { hints, lost }: LockHeldByOther,
  signal: AbortSignal,
): Promise<void> {
  let lastSubmissionError: ServiceError | undefined;
  for (let attempt = 1; attempt <= maxCustodyProofAttempts; attempt++) {
    const brought = attempt === 1 ? complete(prefill) : undefined;
    if (brought === undefined && lost) throw new ServiceError("device_lost", "the tag was reported lost");
    if (brought === undefined && collector === undefined)
      throw new CustodyProofRequiredException(hints, lastSubmissionError);
    const prompt = {
      uniqueDeviceId: lookup.uniqueDeviceId,
      hints,
      attempt,
      attemptsLeft: maxCustodyProofAttempts - attempt + 1,
      prefill,
      signal,
      ...(lastSubmissionError && { lastSubmissionError }),
    };
    const input = collector ? await orCancelled(signal, Promise.resolve(collector.collect(prompt))) : brought;
    if (!input) throw new CustodyProofCancelledException();
    lastSubmissionError = await submitProof(api, lookup, input, signal);
    if (lastSubmissionError === undefined) return;
  }
  throw new CustodyProofAttemptsExceededException(hints, lastSubmissionError ?? wrongProof());
}

function complete({ recordLocator, surname }: Partial<CustodyProofInput>): CustodyProofInput | undefined {
  return recordLocator !== undefined && surname !== undefined ? { recordLocator, surname } : undefined;
}

/** Undefined if the tag is unlocked now, the error if this proof was wrong; throws anything else. */
export async function submitProof(
  api: Api,
  lookup: LockLookup,
  { recordLocator, surname }: CustodyProofInput,
  signal: AbortSignal,
): Promise<ServiceError | undefined> {
  const { uniqueDeviceId } = lookup;
  const body = { uniqueDeviceId, recordLocator: recordLocator.trim(), surname: surname.trim().toUpperCase() };
  try {
    await api.call("ebtCustodyProof", body, { signal, idempotencyKey: crypto.randomUUID() });
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError) || !isWrongInput(error)) throw error;
    // An earlier try may have unlocked the tag although its answer was lost: then "not locked" is a 422 as
    // well.
    const open = error.afterLostAnswer && (await lookUpLock(api, lookup, signal)).heldByOther === undefined;
    return open ? undefined : error;
  }
}

function isWrongInput({ code }: ServiceError): boolean {
  return (
    code === "custody_proof_invalid" || code === "required_info_not_provided" || code === "invalid_request"
  );
}

function wrongProof(): ServiceError {
  return new ServiceError("custody_proof_invalid", "no proof may be tried");
}

/**
 * A tag that shows another person's label: between a tag's commit and its attachment no lock protects what it shows. A v2.1
 * tag states who wrote it, and the service reads it (`lastCommit`); of a v2.0 tag there is only what INFO says.
 */
export class OtherLabel {
  /** The label was another's, and is written over. */
  replaced = false;
  readonly #decide: OnOtherLabel | undefined;
  readonly #connection: TagConnection;
  readonly #signal: AbortSignal;

  constructor(decide: OnOtherLabel | undefined, connection: TagConnection, signal: AbortSignal) {
    this.#decide = decide;
    this.#connection = connection;
    this.#signal = signal;
  }

  /** Throws {@link OtherLabelError} if there is a question to ask: it may take longer than a token lives. */
  found(): void {
    if (this.replaced) return;
    if (this.#decide !== undefined) throw new OtherLabelError();
    this.replaced = true;
  }

  /** Resolves if the label is to be replaced. Throws {@link OtherLabelError}, `cancelled`. */
  async ask(): Promise<void> {
    const { device } = this.#connection;
    const answer = this.#decide?.({ device, signal: this.#signal }) ?? "replace";
    if ((await orCancelled(this.#signal, Promise.resolve(answer))) !== "replace") throw new OtherLabelError();
    this.replaced = true;
  }
}

/**
 * Whether a tag that no other journey has locked may show another's label. `unsettled`: what the outbox has of this tag.
 * Undefined: the tag states it itself, at endpoint 8.
 */
export function isOthers(
  { isOurs, hasEnded }: SeenLock,
  { shows, signs }: { readonly shows: boolean; readonly signs: boolean },
  baggageId: number,
  unsettled: readonly OutboxEntry[],
): boolean | undefined {
  const attached = unsettled.filter(({ kind }) => kind === "attach");
  // The tag has taken that write, or not: no one knows.
  if (attached.some((entry) => entry.unresolved !== undefined && entry.baggageId !== baggageId)) return true;
  if (!shows || isOurs) return false;
  return signs ? undefined : !hasEnded && attached.length === 0;
}
