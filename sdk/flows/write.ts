/**
 * What transfer and clear do alike in their middle: the content, and how it is bound to the token (rules §6, approved
 * content); a token from endpoint 8, the token to the tag, payload, commit, and what to do when one of these steps
 * fails in a way that can be remedied.
 */
import { BagError } from "../../core/bag/errors.ts";
import { encodePayload, payloadDigest, type TicketPayload } from "../../core/bag/payload.ts";
import { clearPayload, ticketPayload } from "../../core/bag/ticket-payload.ts";
import type { Bytes } from "../../core/encoding/bytes.ts";
import { SecError } from "../../core/sec/errors.ts";
import { OperationError, ServiceError, TagError } from "../errors.ts";
import type { Journey } from "../records.ts";
import { type Api, transactionToken } from "../service/session.ts";
import type { SecuredTag } from "../tag/secured-tag.ts";
import type { TransferTagRequest } from "../types.ts";
import type { Run } from "./operation.ts";
import type { TagVisit } from "./tag-visit.ts";

export interface Content {
  readonly operation: "write" | "clear";
  readonly payload: Bytes;
  /** SHA-256 of `payload`. */
  readonly digest: Bytes;
  /** Sent along so that the service approves the label; absent where the host made it. */
  readonly approvedBag?: number;
}

/** Content that can be made again after the journey has changed at the service. */
export interface ContentSource {
  load(signal: AbortSignal): Promise<Content>;
  readonly reloadable: boolean;
}

/** The empty label. */
export const clearContent: ContentSource = {
  reloadable: false,
  load: () => encoded("clear", clearPayload),
};

/**
 * The label of the request: the host's own, one made from the host's journey, or one made from the service's.
 */
export function transferContent(
  request: TransferTagRequest,
  api: Api,
  { showLocator }: { readonly showLocator: boolean },
): ContentSource {
  const { displayTicket, journey, baggageId, journeyId } = request;
  if (displayTicket !== undefined)
    return { reloadable: false, load: () => encoded("write", () => displayTicket) };
  const labelled = (of: Journey) =>
    encoded("write", () => ticketPayload(of, bagOf(of, baggageId), { showLocator }));
  if (journey !== undefined) return { reloadable: false, load: () => labelled(journey) };
  return {
    reloadable: true,
    async load(signal) {
      const loaded = await api.call("journey", {}, { signal, params: { journeyId } });
      return { ...(await labelled(loaded)), approvedBag: baggageId };
    },
  };
}

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
type Remedy = "stale_nonce" | "journey_changed" | "token_refused" | "rewrite";

/** The parts of a run that do not depend on its result. */
type WriteRun = Pick<Run<never>, "progress" | "signal" | "commit">;

export interface WriteJob {
  readonly api: Api;
  readonly visit: TagVisit;
  readonly run: WriteRun;
  readonly source: ContentSource;
  readonly content: Promise<Content>;
}

/**
 * Returns once the tag has said that its display is done. Throws ServiceError of endpoint 8,
 * {@link TagError}, BluetoothError, `cancelled` (before the commit only).
 */
export async function writeTag(job: WriteJob): Promise<SecuredTag> {
  const { visit, run, source } = job;
  const used = new Set<Remedy>();
  let content = await job.content;
  let remedy: Remedy | undefined;
  for (;;) {
    const tag = await visit.secured();
    let committing = false;
    try {
      await writeOnce(job, tag, content, remedy === "stale_nonce", () => {
        committing = true;
      });
      return tag;
    } catch (error) {
      if (committing) {
        const now = await afterLoss(error, visit, tag, content);
        if (now !== undefined) return now;
      }
      remedy = committing ? "rewrite" : remedyFor(error, source);
      if (remedy === undefined) {
        visit.forgive(error);
        continue;
      }
      if (used.has(remedy)) throw error;
      used.add(remedy);
      if (remedy !== "rewrite") run.progress.retrying(remedy);
      if (remedy === "journey_changed") content = await source.load(run.signal);
    }
  }
}

/** Nonce, token, payload, commit, once. Calls `onCommit` when there is no way back. */
async function writeOnce(
  { api, run }: WriteJob,
  tag: SecuredTag,
  content: Content,
  staleNonce: boolean,
  onCommit: () => void,
): Promise<void> {
  const { progress, signal } = run;
  progress.enter("authorise");
  if (staleNonce || performance.now() - tag.nonce.readAt > NONCE_AGE) await tag.refreshNonce(signal);
  await tag.authorize(await token(api, tag, content, signal), signal);
  progress.enter("write");
  const delivery = {
    ...content,
    onProgress: (fraction: number) => progress.written(fraction),
    onCommit() {
      run.commit();
      onCommit();
      progress.enter("display");
    },
  };
  await tag.deliver(delivery, signal);
}

/**
 * The tag's session if the lost commit took effect, undefined if it did not. Only the tag's own refusal
 * settles what became of a commit; after anything else the tag has to be asked.
 */
async function afterLoss(
  error: unknown,
  visit: TagVisit,
  before: SecuredTag,
  { digest }: Content,
): Promise<SecuredTag | undefined> {
  if (isTagsOwn(error)) throw error;
  const now = await visit.secured().catch((cause: unknown) => {
    throw unknownOutcome(cause);
  });
  const outcome = now.outcomeOf(digest, before.mark);
  if (outcome === "unknown") throw unknownOutcome(error);
  return outcome === "committed" ? now : undefined;
}

/**
 * Whether it came under the session's keys, or in STATUS of v2.0. An alert in clear may come from anybody.
 */
function isTagsOwn(error: unknown): boolean {
  return error instanceof TagError && error.status !== undefined && !(error.cause instanceof SecError);
}

function unknownOutcome(cause: unknown): TagError {
  return new TagError("outcome_unknown", "nobody can say what the tag shows", { cause });
}

function token(
  api: Api,
  tag: SecuredTag,
  { digest, operation, approvedBag }: Content,
  signal: AbortSignal,
): Promise<Bytes> {
  const { channelBinding, certificate } = tag;
  const wish = {
    uniqueDeviceId: tag.id,
    generation: tag.generation,
    nonce: tag.nonce.value,
    operation,
    payloadDigest: digest,
    ...(channelBinding && { channelBinding }),
    ...(certificate && { tagCertificate: certificate }),
    ...(approvedBag !== undefined && { baggageId: approvedBag }),
  };
  return transactionToken(api, wish, signal);
}

function remedyFor(error: unknown, { reloadable }: ContentSource): Remedy | undefined {
  if (error instanceof ServiceError && error.code === "payload_mismatch" && reloadable)
    return "journey_changed";
  if (error instanceof ServiceError && error.code === "invalid_nonce") return "stale_nonce";
  // A new nonce is already there: the tag sends one after each refused token.
  if (error instanceof TagError && (error.status === "TOKEN_NONCE" || error.status === "TOKEN_EXPIRED"))
    return "token_refused";
  return undefined;
}
