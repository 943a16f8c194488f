/**
 * What transfer and clear do alike in their middle: the content, and how it is bound to the token (rules §6, approved
 * content); a token from endpoint 8, the token to the tag, payload, commit, and what to do when one of these steps
 * fails in a way that can be remedied.
 */
import { BagError } from "../../core/bag/errors.ts";
import { encodePayload, payloadDigest, type TicketPayload } from "../../core/bag/payload.ts";
import { clearPayload, ticketPayload } from "../../core/bag/ticket-payload.ts";
import { type Bytes, equalBytes, toBase64, toBase64Url } from "../../core/encoding/bytes.ts";
import { SecError } from "../../core/sec/errors.ts";
import { commitMark } from "../../core/sec/statement.ts";
import { decodeToken } from "../../core/sec/token.ts";
import { OperationError, OtherLabelError, ServiceError, TagError } from "../errors.ts";
import type { NewEntry, Outbox } from "../outbox.ts";
import type { Journey } from "../records.ts";
import type { LoadedJourneys } from "../service/journeys.ts";
import { type Api, type GrantedToken, transactionToken } from "../service/session.ts";
import { outcomeOf, type SecuredTag, type SignedStatement } from "../tag/secured-tag.ts";
import type { TransferTagRequest } from "../types.ts";
import type { OtherLabel } from "./custody.ts";
import type { Operation } from "./operation.ts";
import { commitStatement, ownChallenge } from "./statements.ts";
import type { TagConnection } from "./tag-connection.ts";

export interface Content {
  readonly operation: "write" | "clear";
  readonly payload: Bytes;
  /** SHA-256 of `payload`. */
  readonly digest: Bytes;
  /** Sent along so that the service approves the label; absent where the host made it. */
  readonly approvedBag?: number;
}

export interface ContentSource {
  load(signal: AbortSignal): Promise<Content>;
  /** Makes it again after the journey has changed at the service. */
  reload?(signal: AbortSignal): Promise<Content>;
}

/** The empty label. */
export const clearContent: ContentSource = {
  load: () => encoded("clear", clearPayload),
};

/**
 * The label of the request: the host's own, one made from the host's journey, or one made from the service's: as this
 * visit has loaded it, since the service approves only the label of the journey as it is now.
 */
export function transferContent(
  request: TransferTagRequest,
  journeys: Pick<LoadedJourneys, "find" | "load">,
  { showLocator }: { readonly showLocator: boolean },
): ContentSource {
  const { displayTicket, journey, baggageId, journeyId } = request;
  if (displayTicket !== undefined) return { load: () => encoded("write", () => displayTicket) };
  const labelled = (of: Journey) =>
    encoded("write", () => ticketPayload(of, bagOf(of, baggageId), { showLocator }));
  if (journey !== undefined) return { load: () => labelled(journey) };
  const approved = async (of: Journey) => ({ ...(await labelled(of)), approvedBag: baggageId });
  const reload = async (signal: AbortSignal) => approved(await journeys.load(journeyId, signal));
  return {
    reload,
    load(signal) {
      const loaded = journeys.find(journeyId);
      // A bag that was added since is only in the service's.
      return loaded && hasBag(loaded, baggageId) ? approved(loaded) : reload(signal);
    },
  };
}

const hasBag = ({ baggage }: Journey, baggageId: number) =>
  baggage.some((each) => each.baggageId === baggageId);

function bagOf(journey: Journey, baggageId: number): Journey["baggage"][number] {
  const bag = journey.baggage.find((each) => each.baggageId === baggageId);
  if (bag === undefined) throw new ServiceError("baggage_not_found", "the journey has no such bag");
  return bag;
}

async function encoded(operation: Content["operation"], ticket: () => TicketPayload): Promise<Content> {
  try {
    const payload = encodePayload(ticket());
    return { operation, payload, digest: await payloadDigest(payload) };
  } catch (cause) {
    if (cause instanceof BagError)
      throw new OperationError("invalid_request", "the label does not fit a tag", { cause });
    throw cause;
  }
}

/** A nonce older than this (milliseconds) is replaced before it is signed: it lives 120 s. */
const NONCE_AGE = 30_000;

/** Each of these is tried once, never twice. */
type Remedy = "stale_nonce" | "journey_changed" | "token_refused" | "rewrite" | "other_label";

/** The parts of a run that do not depend on its result. */
type WriteRun = Pick<Operation<never>, "progress" | "signal" | "commit">;

export interface WriteJob {
  readonly api: Api;
  readonly outbox: Outbox;
  readonly connection: TagConnection;
  readonly run: WriteRun;
  readonly source: ContentSource;
  readonly content: Promise<Content>;
  /** What is reported to the service of this write. */
  readonly change: Pick<NewEntry, "kind" | "baggageId">;
  /** The tag's statement over the service's challenge, where a proof would be required without it. */
  readonly presence?: Bytes | undefined;
  /** Absent for a clear. */
  readonly label?: OtherLabel | undefined;
  /** The tag shows a label that may be another's, and can state whose. */
  readonly asksTag?: boolean;
}

/** A write that the tag has confirmed. */
export interface Written {
  /** What is to be reported to the service. */
  readonly entry: NewEntry;
  /** Whether the tag has signed that its last commit is this one. */
  readonly confirmedByTag: boolean;
}

/** A commit that is on its way: its entry is in the outbox under `id`. */
interface PendingCommit {
  readonly id: string;
  readonly entry: NewEntry;
  readonly cti: Bytes;
  readonly mark: Bytes;
}

/**
 * Returns once the tag has said that its display is done. Throws ServiceError of endpoint 8,
 * {@link TagError}, BluetoothError, `cancelled` (before the commit only); ConfigurationError
 * `storage_unavailable`, before the commit as well: what could not be remembered is not written.
 */
export async function writeTag(job: WriteJob): Promise<Written> {
  const { connection, run, source } = job;
  const used = new Set<Remedy>();
  let content = await job.content;
  let remedy: Remedy | undefined;
  for (;;) {
    const tag = await connection.secured();
    const commit: { pending?: PendingCommit } = {};
    try {
      const pending = await writeOnce(job, tag, content, remedy === "stale_nonce", commit);
      run.progress.moved("display", 1);
      return written(pending, await commitStatement(tag, run.signal));
    } catch (error) {
      const { pending } = commit;
      const settled = pending === undefined || (await refusedBy(error, job, pending));
      const now = settled ? undefined : await afterLoss(error, job, tag, pending);
      if (pending && now) {
        run.progress.moved("display", 1);
        return written(pending, await commitStatement(now, run.signal, ownChallenge()));
      }
      remedy = settled ? remedyFor(error, source) : "rewrite";
      if (pending && remedy === undefined) throw error;
      if (remedy === undefined) {
        connection.allowRetry(error);
        continue;
      }
      if (used.has(remedy)) throw error;
      used.add(remedy);
      if (remedy === "other_label") await job.label?.ask();
      else if (remedy !== "rewrite") run.progress.retrying(remedy);
      if (remedy === "journey_changed" && source.reload) content = await source.reload(run.signal);
    }
  }
}

function written({ entry, cti }: PendingCommit, signed: SignedStatement | undefined): Written {
  const reported = signed?.statement.cti ?? undefined;
  return {
    entry: { ...entry, ...(signed && { tagStatement: toBase64Url(signed.bytes) }) },
    confirmedByTag: reported !== undefined && equalBytes(reported, cti),
  };
}

/** Nonce, token, payload, commit, once. `commit.pending` is there when there is no way back. */
async function writeOnce(
  job: WriteJob,
  tag: SecuredTag,
  content: Content,
  staleNonce: boolean,
  commit: { pending?: PendingCommit },
): Promise<PendingCommit> {
  const { progress, signal } = job.run;
  progress.enter("authorize");
  if (staleNonce || performance.now() - tag.nonce.readAt > NONCE_AGE) await tag.refreshNonce(signal);
  const { token, lastCommit } = await requestToken(job, tag, content);
  if (lastCommit === "other") job.label?.found();
  const cti = ctiOf(token);
  const mark = await commitMark(tag.nonce.value, content.digest);
  progress.enter("write");
  const entry = entryOf(job, tag, cti, mark);
  const delivery = {
    ...content,
    onProgress: (fraction: number) => progress.moved("write", fraction),
    async onCommit() {
      commit.pending = { id: await enqueueBeforeCommit(job, entry), entry, cti, mark };
      progress.enter("display");
    },
  };
  await tag.write(token, delivery, signal);
  return commit.pending as PendingCommit;
}

/** Stores what is reported if the tag takes it, then passes the point of no return. */
async function enqueueBeforeCommit({ outbox, run }: WriteJob, entry: NewEntry): Promise<string> {
  const id = await outbox.enqueueBeforeCommit(entry);
  try {
    run.commit();
  } catch (error) {
    await outbox.forget(id);
    throw error;
  }
  return id;
}

function entryOf({ change }: WriteJob, tag: SecuredTag, cti: Bytes, mark: Bytes): NewEntry {
  const { commits } = tag.lastCommit;
  return {
    ...change,
    uniqueDeviceId: tag.id,
    cti: toBase64Url(cti),
    mark: toBase64Url(mark),
    ...(commits !== undefined && { commitsBefore: commits }),
    ...(tag.certificate && { tagCertificate: toBase64(tag.certificate) }),
  };
}

/** Whether the tag itself has refused: only that settles what became of a commit. */
async function refusedBy(error: unknown, { outbox }: WriteJob, { id }: PendingCommit): Promise<boolean> {
  if (!isTagsOwn(error)) return false;
  await outbox.forget(id);
  return true;
}

/** The tag's session if the lost commit took effect, undefined if it did not: the tag has to be asked. */
async function afterLoss(
  error: unknown,
  { connection, outbox }: WriteJob,
  before: SecuredTag,
  { id, mark }: PendingCommit,
): Promise<SecuredTag | undefined> {
  const now = await connection.secured().catch((cause: unknown) => {
    // The outcome is unknown: the entry stays unresolved until the tag is near again.
    outbox.leaveOpen(id);
    throw unknownOutcome(cause);
  });
  const outcome = outcomeOf(now.lastCommit, mark, before.lastCommit);
  if (outcome === "committed") return now;
  // Whatever the tag shows, it is not this.
  await outbox.forget(id);
  if (outcome === "unknown") throw unknownOutcome(error);
  return undefined;
}

/**
 * Whether it came under the session's keys, or in STATUS of v2.0. An alert in clear may come from anybody, and
 * a display that is still at work has refused nothing.
 */
function isTagsOwn(error: unknown): boolean {
  if (!(error instanceof TagError) || error.status === undefined) return false;
  return error.status !== "BUSY_DISPLAY" && !(error.cause instanceof SecError);
}

function unknownOutcome(cause: unknown): TagError {
  return new TagError("outcome_unknown", "what the tag shows is unknown", { cause });
}

async function requestToken(
  { api, run, change, presence, label, asksTag }: WriteJob,
  tag: SecuredTag,
  { digest, operation, approvedBag }: Content,
): Promise<GrantedToken> {
  const { channelBinding, certificate } = tag;
  const stated =
    asksTag && !label?.replaced ? await commitStatement(tag, run.signal, ownChallenge()) : undefined;
  const tagStatement = presence ?? stated?.bytes;
  const tokenRequest = {
    uniqueDeviceId: tag.id,
    generation: tag.generation,
    nonce: tag.nonce.value,
    operation,
    payloadDigest: digest,
    ...(channelBinding && { channelBinding }),
    ...(certificate && { tagCertificate: certificate }),
    ...(tagStatement && { tagStatement }),
    ...(approvedBag !== undefined && { baggageId: approvedBag }),
    ...(change.baggageId !== undefined && { forBaggageId: change.baggageId }),
  };
  return transactionToken(api, tokenRequest, run.signal);
}

/** Which token the tag will say it took. */
function ctiOf(token: Bytes): Bytes {
  try {
    return decodeToken(token).claims.cti;
  } catch (cause) {
    throw new ServiceError("invalid_answer", "the service gave no transaction token", { cause });
  }
}

function remedyFor(error: unknown, { reload }: ContentSource): Remedy | undefined {
  if (error instanceof ServiceError && error.code === "payload_mismatch" && reload) return "journey_changed";
  if (error instanceof ServiceError && error.code === "invalid_nonce") return "stale_nonce";
  if (error instanceof OtherLabelError) return "other_label";
  // A new nonce is already there: the tag sends one after each refused token.
  if (error instanceof TagError && (error.status === "TOKEN_NONCE" || error.status === "TOKEN_EXPIRED"))
    return "token_refused";
  return undefined;
}
