/** clearTag: empties the tag and removes its journey lock. */

import { mayUnlock } from "../custody-proof.ts";
import type { ClearResult, ClearTagRequest } from "../types.ts";
import { type ForeignLock, lookUpLock, submitProof } from "./custody.ts";
import type { Operation } from "./operation.ts";
import type { OperationContext, ReconnectingTag } from "./reconnecting-tag.ts";
import { presenceOf, settleOpen } from "./tag-word.ts";
import { isLocked, report } from "./transfer.ts";
import { clearContent, writeTag } from "./write.ts";

/**
 * Steps: connect and secure · authorise · write · display · unlock (endpoint 12). A stranger gets
 * ServiceError `custody_proof_required` from the authorisation, before anything reaches the tag, unless the
 * tag's own word says that the lock is nobody's who wrote it, or the request has the booking of that lock.
 */
export async function clearTag(
  context: OperationContext,
  run: Operation<ClearResult>,
  request: ClearTagRequest,
): Promise<ClearResult> {
  const { api, outbox } = context;
  const { baggageId } = request;
  const reached = context.reach(request, run);
  try {
    await settleOpen(outbox, await reached.secured(), run.signal);
    const content = clearContent.load(run.signal);
    const change = { kind: "unlock", ...(baggageId !== undefined && { baggageId }) } as const;
    const job = { api, outbox, reached, run, source: clearContent, content, change };
    const written = await writeTag(job).catch(async (error: unknown) => {
      const foreign = isLocked(error) ? await foreignLock(context, reached, run, baggageId) : undefined;
      if (foreign === undefined) throw error;
      if (await unlock(context, request, foreign, run.signal)) return writeTag(job);
      const presence = await wordOn(foreign, reached, run.signal);
      if (presence === undefined) throw error;
      return writeTag({ ...job, presence });
    });
    return await report(context, run, reached.device, written);
  } finally {
    reached.close();
  }
}

async function foreignLock(
  { api }: OperationContext,
  reached: ReconnectingTag,
  { signal }: Operation<ClearResult>,
  forBaggageId: number | undefined,
): Promise<ForeignLock | undefined> {
  const { id: uniqueDeviceId, certificate } = await reached.secured();
  const bag = forBaggageId === undefined ? {} : { forBaggageId };
  return (await lookUpLock(api, { uniqueDeviceId, ...bag, certificate }, signal)).foreign;
}

/** What the tag says over the challenge that the service has for this lock. */
const wordOn = async ({ tagChallenge, lost }: ForeignLock, reached: ReconnectingTag, signal: AbortSignal) =>
  tagChallenge && !lost ? (await presenceOf(reached, tagChallenge, signal))?.bytes : undefined;

/** Whether the booking that the caller brought has opened the lock. */
async function unlock(
  { api }: OperationContext,
  { uniqueDeviceId, recordLocator, custodyProofSurname }: ClearTagRequest,
  foreign: ForeignLock,
  signal: AbortSignal,
): Promise<boolean> {
  if (recordLocator === undefined || custodyProofSurname === undefined) return false;
  const proof = { recordLocator, surname: custodyProofSurname };
  return (
    mayUnlock(foreign.hints, proof) &&
    (await submitProof(api, { uniqueDeviceId }, proof, signal)) === undefined
  );
}
