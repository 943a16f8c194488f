import { sql } from "drizzle-orm";
import type { EbtAuthorizationRequest } from "../../core/api/index.ts";
import { encodePayload, payloadDigest, type TicketPayload } from "../../core/bag/payload.ts";
import { clearPayload, ticketPayload } from "../../core/bag/ticket-payload.ts";
import { toBase64Url } from "../../core/encoding/bytes.ts";
import { bags, journeys } from "../../db/schema.ts";
import type { BearerContext, RequestContext } from "../context.ts";
import { parameter } from "../database/batch.ts";
import { ApiError } from "../errors.ts";
import type { TokenCaller } from "../http/read-first.ts";
import { type JourneyTexts, readingJourneys, viewJourneys } from "../journeys/view.ts";

/**
 * What may be written to a tag (rules §6, "Approved content"). A digest is compared with that of the content
 * the service would write itself. If the caller may not see the journey, it matches nothing: otherwise
 * digests would be a way to guess at names and locators outside the guess budget.
 */

/** The fields of endpoint 8 that describe what is to be written. */
type ContentClaim = Pick<EbtAuthorizationRequest, "operation" | "payloadDigest" | "baggageId">;

/** The named bag's journey, read before it is decided whether the caller may see it: statements, if there is something to compare. */
export const readApproved = (ctx: RequestContext, principal: TokenCaller, claim: ContentClaim) => ({
  journeys: isCompared(claim)
    ? readWithBag({ ...ctx, principal }, { baggageId: claim.baggageId })
    : undefined,
});

type Compared = { readonly baggageId: number; readonly payloadDigest: string };

const isCompared = (claim: ContentClaim): claim is ContentClaim & Compared =>
  claim.operation !== "clear" && claim.baggageId !== undefined && claim.payloadDigest !== undefined;

const readWithBag = readingJourneys(
  sql`${journeys.id} in (select ${bags.journeyId} from ${bags} where ${bags.id} = ${parameter("baggageId")})`,
);

interface Approved {
  readonly isBagThere: boolean;
  /** Undefined where the caller may not see them. */
  readonly journeys: JourneyTexts | undefined;
}

/**
 * Refuses content that is not what the claim says. Throws `required_info_not_provided`, `baggage_not_found`,
 * `payload_mismatch`.
 */
export async function requireApproved(
  ctx: BearerContext,
  claim: ContentClaim,
  { isBagThere, journeys: rows }: Approved,
): Promise<void> {
  requireClaims(ctx, claim);
  if (claim.operation === "clear") {
    if (claim.payloadDigest !== (await clearDigest())) throw new ApiError("payload_mismatch");
    return;
  }
  if (!isCompared(claim)) return;
  if (!isBagThere) throw new ApiError("baggage_not_found");
  const [journey] = rows === undefined ? [] : await viewJourneys(ctx, rows);
  const bag = journey?.baggage.find(({ baggageId }) => baggageId === claim.baggageId);
  if (journey && bag) {
    // Pages leave the locator out.
    for (const showLocator of [false, true]) {
      const label = ticketPayload(journey, bag, { showLocator });
      if (claim.payloadDigest === (await digestOf(label))) return;
    }
  }
  throw new ApiError("payload_mismatch");
}

const digestOf = async (payload: TicketPayload) => toBase64Url(await payloadDigest(encodePayload(payload)));

/** A clear must say that it is one; a client key may demand that every write is approved. */
function requireClaims(
  { client }: BearerContext,
  { operation, payloadDigest, baggageId }: ContentClaim,
): void {
  const isDemanded = client.flags.requireApprovedContent === true;
  const isClear = operation === "clear";
  const missing = [
    ...((isClear || isDemanded) && payloadDigest === undefined ? ["payloadDigest"] : []),
    ...(isDemanded && !isClear && baggageId === undefined ? ["baggageId"] : []),
  ];
  if (missing.length === 0) return;
  throw new ApiError("required_info_not_provided", {
    message: `Mandatory information is missing: ${missing.join(", ")}.`,
    errors: missing.map((field) => `${field} is required`),
  });
}

/** The same for every tag. */
let clearing: string | undefined;
async function clearDigest(): Promise<string> {
  clearing ??= await digestOf(clearPayload());
  return clearing;
}
