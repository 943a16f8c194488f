/** transferTag: writes a bag's label to a tag and locks the tag to the bag's journey. */
import { asTaglatchError, OperationError, OtherBagError, ServiceError } from "../errors.ts";
import { endsEntry } from "../outbox-rules.ts";
import { sameDevice } from "../tag/tag.ts";
import type { CustodyProofCollector, TransferResult, TransferTagRequest } from "../types.ts";
import { isOthers, type LockLookup, lookUpLock, OtherLabel, proveCustody, type SeenLock } from "./custody.ts";
import type { Operation } from "./operation.ts";
import { presenceStatement, settleOpen } from "./statements.ts";
import type { OperationContext, TagConnection } from "./tag-connection.ts";
import { transferContent, type WriteJob, type Written, writeTag } from "./write.ts";

/** One transfer: everything its steps need. */
interface Transfer {
  readonly context: OperationContext;
  readonly run: Operation<TransferResult>;
  readonly connection: TagConnection;
  readonly request: TransferTagRequest;
  readonly collector: CustodyProofCollector | undefined;
  /** What was asked while the radio connected; undefined where that failed, or what it says was changed since. */
  readonly early: Promise<SeenLock | undefined>;
  readonly label: OtherLabel;
}

/** What the service needs for a token beside the content. */
type Custody = Pick<WriteJob, "presence" | "asksTag">;

/**
 * Steps: connect and secure, while session, certificate and journey are prepared and the lock is looked up · the tag's
 * presence statement, else a custody proof, where needed · authorize · write · display · attach. Throws typed errors;
 * nothing is written before the service allows it.
 */
export async function transferTag(
  context: OperationContext,
  run: Operation<TransferResult>,
  request: TransferTagRequest,
  collector: CustodyProofCollector | undefined,
): Promise<TransferResult> {
  check(request);
  const { api, journeys, outbox, settings } = context;
  const source = transferContent(request, journeys, settings);
  const content = source.load(run.signal);
  content.catch(() => undefined);
  const connection = context.reach(request, run);
  const lookup: LockLookup = { uniqueDeviceId: request.uniqueDeviceId, forBaggageId: request.baggageId };
  const looked = lookUpLock(api, lookup, run.signal).catch(() => undefined);
  try {
    const settled = await settleOpen(outbox, await connection.secured(), run.signal);
    const early = settled === undefined ? looked : Promise.resolve(undefined);
    const change = { kind: "attach", baggageId: request.baggageId } as const;
    const label = new OtherLabel(request.onOtherLabel ?? settings.onOtherLabel, connection, run.signal);
    const written = await writeAllowed(
      { context, run, connection, request, collector, early, label },
      { api, outbox, connection, run, source, content, change, label },
    );
    const result = await report(context, run, connection.device, written);
    return label.replaced ? { ...result, replacedOtherLabel: true } : result;
  } finally {
    connection.close();
  }
}

/**
 * Writes once the service allows it. If it refuses all the same (the statement did not suffice, or another
 * caller has locked the tag since the look-up), nothing has been written yet: look again, and ask the person.
 */
async function writeAllowed(transfer: Transfer, job: Omit<WriteJob, keyof Custody>): Promise<Written> {
  let mayAskTag = true;
  for (let round = 1; ; round++) {
    const early = round === 1 ? await transfer.early : undefined;
    const custody = await holdCustody(transfer, mayAskTag, early);
    try {
      return await writeTag({ ...job, ...custody });
    } catch (error) {
      if (!isLocked(error) || (custody.presence === undefined && round > 1)) throw error;
      mayAskTag &&= custody.presence === undefined;
    }
  }
}

export const isLocked = (error: unknown) =>
  error instanceof ServiceError && error.code === "custody_proof_required";

/** Resolves when the service may be asked for a token: with the tag's statement if that suffices. */
async function holdCustody(
  transfer: Transfer,
  mayAskTag: boolean,
  early: SeenLock | undefined,
): Promise<Custody> {
  const { context, run, connection, request, collector } = transfer;
  const { progress, signal } = run;
  const { api, settings } = context;
  progress.enter("lookup");
  const { id, certificate } = await connection.secured();
  const { baggageId, recordLocator, custodyProofSurname, custodyProofCollector } = request;
  const lookup: LockLookup = { uniqueDeviceId: id, forBaggageId: baggageId, certificate };
  // Another's lock is asked about once more, with the certificate: then the tag's statement may suffice.
  const enough = early !== undefined && (early.heldByOther === undefined || certificate === undefined);
  const seen = enough ? early : await lookUpLock(api, lookup, signal);
  const { heldByOther: lock } = seen;
  if (lock === undefined) return { asksTag: await checkLabel(transfer, id, seen, certificate !== undefined) };
  // A tag that was reported lost is its holder's, whatever it says itself.
  if (mayAskTag && lock.tagChallenge && !lock.lost) {
    const statement = await presenceStatement(connection, lock.tagChallenge, signal);
    if (statement !== undefined) return { presence: statement.bytes };
  }
  progress.enter("proof");
  const custody = {
    lookup,
    collector: custodyProofCollector ?? collector ?? settings.custodyProofCollector,
    maxCustodyProofAttempts: settings.maxCustodyProofAttempts,
    prefill: {
      ...(recordLocator !== undefined && { recordLocator }),
      ...(custodyProofSurname !== undefined && { surname: custodyProofSurname }),
    },
  };
  await proveCustody(api, custody, lock, signal);
  return {};
}

/**
 * A tag shows one label: another is not written over without a question. Returns whether the tag is to state whose it
 * is. Throws {@link OtherBagError}, `OtherLabelError`.
 */
async function checkLabel(
  { context: { outbox }, request: { move, baggageId }, connection, label }: Transfer,
  uniqueDeviceId: string,
  seen: SeenLock,
  signs: boolean,
): Promise<boolean> {
  const unsettled = (await outbox.entries()).filter((entry) =>
    sameDevice(entry.uniqueDeviceId, uniqueDeviceId),
  );
  // What waits for the service is newer than what it knows.
  const waiting = unsettled.find(({ unresolved }) => unresolved === undefined);
  const carried = waiting ? (waiting.kind === "attach" ? waiting.baggageId : undefined) : seen.ownBag;
  if (!move && carried !== undefined && carried !== baggageId) throw new OtherBagError(carried);
  if (label.replaced) return false;
  const others = isOthers(seen, { shows: connection.showsLabel, signs }, baggageId, unsettled);
  if (others) await label.ask();
  return others === undefined;
}

/**
 * The last step of both flows: reports to the service what the tag shows. Never fails; a report that cannot be
 * sent waits.
 */
export async function report(
  { outbox }: OperationContext,
  run: Operation<TransferResult>,
  device: TransferResult["device"],
  { entry: written, confirmedByTag }: Written,
): Promise<TransferResult> {
  const pending = { pendingRetry: true, confirmedByTag, device, elapsed: run.progress.elapsed };
  run.confirm({
    ...pending,
    cause: new OperationError("cancelled", "cancelled during the report to the service"),
  });
  run.progress.enter("attach");
  const { batteryLevel } = device;
  const entry = { ...written, ...(batteryLevel !== undefined && { batteryPercentage: batteryLevel }) };
  // The tag has changed: a storage failure does not undo that, and the signal no longer fires.
  const cause = await outbox.submit(entry, run.signal).catch(asTaglatchError);
  const { elapsed } = run.progress;
  return cause === undefined
    ? { pendingRetry: false, confirmedByTag, device, elapsed }
    : { ...pending, ...(endsEntry(entry, cause) && { refused: true }), cause, elapsed };
}

function check({ baggageId, journeyId }: TransferTagRequest): void {
  if (!Number.isInteger(baggageId) || baggageId < 1 || baggageId > 2_147_483_647)
    throw new OperationError("invalid_request", "baggageId must be an int32 of at least 1");
  if (journeyId.trim() === "") throw new OperationError("invalid_request", "journeyId is missing");
}
