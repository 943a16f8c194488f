/** clearTag: empties the tag and removes its journey lock. */

import type { ClearResult, ClearTagRequest } from "../types.ts";
import { type LockHeldByOther, lookUpLock, submitProof } from "./custody.ts";
import { mayUnlock } from "./may-unlock.ts";
import type { Operation } from "./operation.ts";
import { presenceStatement, settleOpen } from "./statements.ts";
import type { OperationContext, TagConnection } from "./tag-connection.ts";
import { isLocked, report } from "./transfer.ts";
import { clearContent, writeTag } from "./write.ts";

/**
 * Steps: connect and secure · authorize · write · display · unlock (endpoint 12). A stranger gets
 * ServiceError `custody_proof_required` from the authorization, before anything reaches the tag, unless the
 * tag's statement disproves that lock, or the request has the booking of that lock.
 */
export async function clearTag(
  context: OperationContext,
  run: Operation<ClearResult>,
  request: ClearTagRequest,
): Promise<ClearResult> {
  const { api, outbox } = context;
  const { baggageId } = request;
  const connection = context.reach(request, run);
  try {
    await settleOpen(outbox, await connection.secured(), run.signal);
    const content = clearContent.load(run.signal);
    const change = { kind: "unlock", ...(baggageId !== undefined && { baggageId }) } as const;
    const job = { api, outbox, connection, run, source: clearContent, content, change };
    const written = await writeTag(job).catch(async (error: unknown) => {
      const heldByOther = isLocked(error)
        ? await lockHeldByOther(context, connection, run, baggageId)
        : undefined;
      if (heldByOther === undefined) throw error;
      if (await unlock(context, request, heldByOther, run.signal)) return writeTag(job);
      const presence = await presenceFor(heldByOther, connection, run.signal);
      if (presence === undefined) throw error;
      return writeTag({ ...job, presence });
    });
    return await report(context, run, connection.device, written);
  } finally {
    connection.close();
  }
}

async function lockHeldByOther(
  { api }: OperationContext,
  connection: TagConnection,
  { signal }: Operation<ClearResult>,
  forBaggageId: number | undefined,
): Promise<LockHeldByOther | undefined> {
  const { id: uniqueDeviceId, certificate } = await connection.secured();
  const bag = forBaggageId === undefined ? {} : { forBaggageId };
  return (await lookUpLock(api, { uniqueDeviceId, ...bag, certificate }, signal)).heldByOther;
}

/** What the tag says over the challenge that the service has for this lock. */
const presenceFor = async (
  { tagChallenge, lost }: LockHeldByOther,
  connection: TagConnection,
  signal: AbortSignal,
) => (tagChallenge && !lost ? (await presenceStatement(connection, tagChallenge, signal))?.bytes : undefined);

/** Whether the booking that the caller brought has opened the lock. */
async function unlock(
  { api }: OperationContext,
  { uniqueDeviceId, recordLocator, custodyProofSurname }: ClearTagRequest,
  heldByOther: LockHeldByOther,
  signal: AbortSignal,
): Promise<boolean> {
  if (recordLocator === undefined || custodyProofSurname === undefined) return false;
  const proof = { recordLocator, surname: custodyProofSurname };
  return (
    mayUnlock(heldByOther.hints, proof) &&
    (await submitProof(api, { uniqueDeviceId }, proof, signal)) === undefined
  );
}
