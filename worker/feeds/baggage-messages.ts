import type {
  BaggageMessageResult,
  BaggageSourceMessagesRequest,
  BaggageSourceMessagesResponse,
  ErrorCode,
} from "../../core/api/index.ts";
import { type BaggageMessage, type BsmResult, parseBsms } from "../../core/bag/bsm.ts";
import type { BearerContext } from "../context.ts";
import { attemptsOf, transact } from "../database/batch.ts";
import { ApiError } from "../errors.ts";
import { locatorHash } from "../secrets/sealed.ts";
import { changeBags, deleteBags, Refused, sourceBags } from "./baggage-message-rules.ts";
import { flightReach } from "./lock-ends.ts";
import { type FedJourney, type FeedModel, linesOn } from "./model.ts";
import { readFeed } from "./reads.ts";
import { auditFeed, feedWrites } from "./writes.ts";

/**
 * Takes baggage source messages of the caller's airlines (rules §4), in their order, each on its own: a
 * malformed or refused one stops no other, and the answer has a result for each. The same message again
 * changes nothing. Two D1 calls, however many messages, unless another request intervenes.
 *
 * Throws `invalid_bsm_format` where no message of the text can be read at all.
 */
export async function takeMessages(
  ctx: BearerContext,
  { message: text }: BaggageSourceMessagesRequest,
): Promise<BaggageSourceMessagesResponse> {
  const read = parseBsms(text, ctx.now, flightReach(ctx));
  requireReadable(read);
  const hashes = await hashesOf(ctx, read);
  const plates = read.flatMap((result) =>
    result.ok && hasFewPlates(ctx, result.message) ? result.message.plates : [],
  );
  const results = await transact(ctx.db, {
    ...attemptsOf(ctx),
    read: () => readFeed(ctx, { locatorHashes: [...hashes.values()], plates: [...new Set(plates)] }),
    plan: async (model) => {
      const drafts: Draft[] = [];
      for (const result of read) drafts.push(await draftOf(ctx, model, hashes, result));
      return { decision: drafts.map(({ result }) => result), commit: await commitOf(ctx, model, drafts) };
    },
  });
  return { results };
}

/**
 * A message with more plates than its passengers can have bags is not looked up: a few of those would ask for
 * every plate there is.
 */
const hasFewPlates = ({ settings }: BearerContext, { plates, shares }: BaggageMessage) =>
  (shares ?? [{ plates }]).every((share) => share.plates.length <= settings.limits.maxBagsPerJourney);

interface Draft {
  readonly result: BaggageMessageResult;
  /** Where something is changed. */
  readonly airline?: string;
}

function requireReadable(read: readonly BsmResult[]): void {
  const [first] = read;
  if (read.some(({ ok }) => ok)) return;
  const at = first?.ok === false ? first.error.at : 1;
  const expected = first?.ok === false ? first.error.expected : "the line BSM";
  throw new ApiError("invalid_bsm_format", {
    message: `The baggage message is malformed at line ${at}.`,
    errors:
      read.length === 0 ? ["line 1: the line BSM expected"] : read.slice(0, MOST_FAULTS).flatMap(faultOf),
    reason: expected,
  });
}

/** If a text holds no message at all, its first faults suffice. */
const MOST_FAULTS = 20;

const faultOf = (result: BsmResult) =>
  result.ok ? [] : [`line ${result.error.at}: ${result.error.expected} expected`];

async function hashesOf(
  { settings }: BearerContext,
  read: readonly BsmResult[],
): Promise<ReadonlyMap<string, string>> {
  const locators = new Set(read.flatMap((result) => (result.ok ? (result.message.recordLocator ?? []) : [])));
  const pairs = [...locators].map(
    async (locator) => [locator, await locatorHash(settings.pepperKey, locator)] as const,
  );
  return new Map(await Promise.all(pairs));
}

async function draftOf(
  ctx: BearerContext,
  model: FeedModel,
  hashes: ReadonlyMap<string, string>,
  result: BsmResult,
): Promise<Draft> {
  if (!result.ok) {
    const fault = { errorCode: "invalid_bsm_format", errors: faultOf(result) } as const;
    return { result: { line: result.line, outcome: "refused", ...fault } };
  }
  const { message } = result;
  const { line, action, flight, plates } = message;
  if (!hasFewPlates(ctx, message)) {
    return { result: refusal({ line, action }, "bag_limit", "more bags than a journey has") };
  }
  const head = { line, action, licencePlates: [...plates] };
  try {
    if (!ctx.principal.airlines.includes(flight.carrier)) {
      throw new Refused("insufficient_scope", ".F is no flight of the caller's airlines");
    }
    const { journey, isChanged, ...applied } = await apply(ctx, model, hashes, message);
    const ignored = [
      ...new Set([...message.ignored, ...unread(message, journey), ...(applied.ignored ?? [])]),
    ];
    const outcome = isChanged ? "applied" : "unchanged";
    const { airline } = journey?.plan ?? { airline: flight.carrier };
    return {
      result: {
        ...head,
        outcome,
        ...(journey && { journeyId: journey.id }),
        ...(ignored.length > 0 && { ignored }),
      },
      ...(isChanged && { airline }),
    };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { result: refusal(head, error.code, error.message) };
  }
}

type Head = Pick<BaggageMessageResult, "line" | "action" | "licencePlates">;

const refusal = (head: Head, errorCode: ErrorCode, why: string): BaggageMessageResult => ({
  ...head,
  outcome: "refused",
  errorCode,
  errors: [`line ${head.line}: ${why}`],
});

function apply(
  ctx: BearerContext,
  model: FeedModel,
  hashes: ReadonlyMap<string, string>,
  message: BaggageMessage,
) {
  const hash = hashes.get(message.recordLocator ?? "");
  if (message.action === "DEL") return deleteBags(model, message, hash);
  if (message.action === "CHG") return changeBags(ctx, model, message, hash);
  return sourceBags(ctx, model, message, hash);
}

/** `.E` marks a bag for `PRIO` alone, and `.S` is of the journey's first flight. */
function unread({ exceptions, loading = [], flight }: BaggageMessage, journey: FedJourney | undefined) {
  const lines = loading.flatMap((one) => one.lines);
  const isLost = linesOn(journey?.flights[0], lines, flight).length < lines.length;
  const codes = exceptions.filter((code) => code !== "PRIO");
  return [...codes.map((code) => `.E/${code}`), ...(journey !== undefined && isLost ? [".S"] : [])];
}

/** Undefined where nothing changed. */
async function commitOf(ctx: BearerContext, model: FeedModel, drafts: readonly Draft[]) {
  const writes = await feedWrites(ctx, model);
  const audits = [...new Set(drafts.flatMap(({ airline }) => airline ?? []))].map((airline) => {
    const applied = drafts.filter((draft) => draft.airline === airline).length;
    return auditFeed(ctx, "baggage_messages_taken", airline, `${applied} of ${drafts.length} applied`);
  });
  return writes && { ...writes, audits };
}
