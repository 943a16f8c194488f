/** transferTag: writes a bag's label to a tag and locks the tag to the bag's journey. */
import { toBase64 } from "../../core/encoding/bytes.ts";
import { asTaglatchError, OperationError, ServiceError } from "../errors.ts";
import type { NewEntry } from "../outbox.ts";
import type { CustodyProofCollector, TransferResult, TransferTagRequest } from "../types.ts";
import { lookUpLock, proveCustody } from "./custody.ts";
import type { Run } from "./operation.ts";
import type { OperationContext } from "./tag-visit.ts";
import { transferContent, writeTag } from "./write.ts";

/**
 * Steps: connect and secure, while session, certificate and journey are prepared · look up the lock · custody
 * proof where needed · authorise · write · display · attach. Throws typed errors; nothing is written before
 * the proof.
 */
export async function transferTag(
  context: OperationContext,
  run: Run<TransferResult>,
  request: TransferTagRequest,
  collector: CustodyProofCollector | undefined,
): Promise<TransferResult> {
  check(request);
  const { api, settings } = context;
  const source = transferContent(request, api, settings);
  const content = source.load(run.signal);
  content.catch(() => undefined);
  const visit = context.visit(request, run);
  try {
    const { id } = await visit.secured();
    const custody = () => holdCustody(context, run, request, id, collector);
    await custody();
    const job = { api, visit, run, source, content };
    const tag = await writeTag(job).catch(async (error: unknown) => {
      // Somebody has locked the tag since the look-up; nothing has been written yet.
      if (!isLocked(error)) throw error;
      await custody();
      return writeTag(job);
    });
    return await report(context, run, visit.device, {
      kind: "attach",
      uniqueDeviceId: id,
      baggageId: request.baggageId,
      ...(tag.certificate && { tagCertificate: toBase64(tag.certificate) }),
    });
  } finally {
    visit.close();
  }
}

const isLocked = (error: unknown) => error instanceof ServiceError && error.code === "custody_proof_required";

async function holdCustody(
  { api, settings }: OperationContext,
  { progress, signal }: Run<TransferResult>,
  request: TransferTagRequest,
  uniqueDeviceId: string,
  collector: CustodyProofCollector | undefined,
): Promise<void> {
  progress.enter("lookup");
  const lock = await lookUpLock(api, uniqueDeviceId, signal);
  if (lock === undefined) return;
  progress.enter("proof");
  const { recordLocator, custodyProofSurname, custodyProofCollector } = request;
  const custody = {
    uniqueDeviceId,
    collector: custodyProofCollector ?? collector ?? settings.custodyProofCollector,
    maxCustodyProofAttempts: settings.maxCustodyProofAttempts,
    prefill: {
      ...(recordLocator !== undefined && { recordLocator }),
      ...(custodyProofSurname !== undefined && { surname: custodyProofSurname }),
    },
  };
  await proveCustody(api, custody, lock, signal);
}

/**
 * The last step of both flows: tells the service what the tag shows. Never fails; a report that cannot be
 * sent waits.
 */
export async function report(
  { outbox }: OperationContext,
  run: Run<TransferResult>,
  device: TransferResult["device"],
  entry: NewEntry,
): Promise<TransferResult> {
  const pending = { pendingRetry: true, device, elapsed: run.progress.elapsed };
  run.confirm({ ...pending, cause: new OperationError("cancelled", "cancelled while the service was told") });
  run.progress.enter("attach");
  const { batteryLevel } = device;
  const whole = { ...entry, ...(batteryLevel !== undefined && { batteryPercentage: batteryLevel }) };
  // The tag has changed: a storage failure does not undo that, and the signal no longer fires.
  const cause = await outbox.submit(whole, run.signal).catch(asTaglatchError);
  const { elapsed } = run.progress;
  return cause === undefined ? { pendingRetry: false, device, elapsed } : { ...pending, cause, elapsed };
}

function check({ baggageId, journeyId }: TransferTagRequest): void {
  if (!Number.isInteger(baggageId) || baggageId < 1 || baggageId > 2_147_483_647)
    throw new OperationError("invalid_request", "baggageId must be an int32 of at least 1");
  if (journeyId.trim() === "") throw new OperationError("invalid_request", "journeyId is missing");
}
