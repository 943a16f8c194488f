/** clearTag: empties the tag and removes its journey lock. */
import type { ClearResult, ClearTagRequest } from "../types.ts";
import { lookUpLock } from "./custody.ts";
import type { Operation } from "./operation.ts";
import type { OperationContext, ReconnectingTag } from "./reconnecting-tag.ts";
import { presenceOf, settleOpen } from "./tag-word.ts";
import { isLocked, report } from "./transfer.ts";
import { clearContent, writeTag } from "./write.ts";

/**
 * Steps: connect and secure · authorise · write · display · unlock (endpoint 12). A stranger gets
 * ServiceError `custody_proof_required` from the authorisation, before anything reaches the tag, unless the
 * tag's own word says that the lock is nobody's who wrote it.
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
    const telling = { kind: "unlock", ...(baggageId !== undefined && { baggageId }) } as const;
    const job = { api, outbox, reached, run, source: clearContent, content, telling };
    const written = await writeTag(job).catch(async (error: unknown) => {
      const word = isLocked(error) ? await wordOnLock(context, reached, run, baggageId) : undefined;
      if (word === undefined) throw error;
      return writeTag({ ...job, presence: word.bytes });
    });
    return await report(context, run, reached.device, written);
  } finally {
    reached.close();
  }
}

/** What the tag says over the challenge that the service has for this lock. */
async function wordOnLock(
  { api }: OperationContext,
  reached: ReconnectingTag,
  { signal }: Operation<ClearResult>,
  forBaggageId: number | undefined,
) {
  const { id: uniqueDeviceId, certificate } = await reached.secured();
  const bag = forBaggageId === undefined ? {} : { forBaggageId };
  const asked = { uniqueDeviceId, ...bag, certificate };
  const { foreign } = await lookUpLock(api, asked, signal);
  return foreign?.tagChallenge && !foreign.lost
    ? presenceOf(reached, foreign.tagChallenge, signal)
    : undefined;
}
