import { and, eq, gt, inArray, type SQL } from "drizzle-orm";
import type { EbtAuthorizationRequest, EbtAuthorizationResponse, Journey } from "../../core/api/index.ts";
import { encodePayload, payloadDigest } from "../../core/bag/payload.ts";
import { clearPayload, ticketPayload } from "../../core/bag/ticket-payload.ts";
import { type Bytes, fromBase64Url, toBase64Url } from "../../core/encoding/bytes.ts";
import { p256Thumbprint } from "../../core/pki/certificate.ts";
import { nonceBytes, signToken, TOKEN_LIMIT, type TokenClaims } from "../../core/sec/token.ts";
import { bags, deviceTicketLocks, journeys, revokedKeys, travelPlans } from "../../db/schema.ts";
import { sql } from "../../db/sql.ts";
import { tokenRefused } from "../auth/access-token.ts";
import type { BearerContext } from "../context.ts";
import { type AnswersOf, inBatch } from "../database/statements.ts";
import { deviceKey, knownDeviceId } from "../devices/identity.ts";
import {
  type KnownDevice,
  provesV21,
  readDevice,
  recordEvidence,
  requireRegistered,
  tagEvidence,
} from "../devices/registry.ts";
import { ApiError } from "../errors.ts";
import { visibleTo } from "../journeys/own-journeys.ts";
import { readJourneys, viewJourneys } from "../journeys/view.ts";
import { givesWay, isHolder, isLiveLockOf, mintCti } from "./lock-rules.ts";
import { hear } from "./statement.ts";

/**
 * A transaction token for one write or clear (endpoint 8, rules §5, §6). It is refused while a custody proof
 * is required, and bound to everything that the caller and the registry say of the transaction.
 *
 * Throws `unauthorized_token` (the session's key was revoked: no refresh helps, only another key),
 * `device_not_found`, `custody_proof_required`, `device_lost`, `gatt_version_refused`,
 * `required_info_not_provided`, `baggage_not_found`, `payload_mismatch`.
 */
export async function authorize(
  ctx: BearerContext,
  input: EbtAuthorizationRequest,
): Promise<EbtAuthorizationResponse> {
  const device = knownDeviceId(input.uniqueDeviceId);
  const thumbprint = await certifiedKey(ctx);
  const heard = await hear(ctx, input);
  const {
    devices: [known],
    locks,
    revocations: [revoked],
    claimed,
  } = await inBatch(ctx.db, {
    heard: heard.changes,
    devices: readDevice(ctx, device),
    locks: readLocks(ctx, input),
    revocations: readRevocation(ctx, thumbprint),
    claimed: readClaimedJourney(ctx, input),
  });
  if (revoked !== undefined) throw tokenRefused("key revoked");
  requireRegistered(ctx, known);
  requireFree(locks);
  const version = await recordTagVersion(ctx, input, known);
  await requireApproved(ctx, input, claimed);
  const claims = await claimsOf(ctx, input, { thumbprint, version });
  const { kid, key: privateKey } = ctx.settings.transactionTokenKeys.signing;
  return { transactionToken: toBase64Url(await signToken(claims, { kid, privateKey })) };
}

/**
 * The thumbprint by which `cnf` and a revocation name the session's key; undefined for a session that proved
 * none.
 */
async function certifiedKey({ principal }: BearerContext): Promise<Bytes | undefined> {
  return principal.key === null ? undefined : p256Thumbprint(principal.key);
}

/** The locks that stand in the caller's way. */
const readLocks = (
  ctx: BearerContext,
  { uniqueDeviceId, forBaggageId, baggageId }: EbtAuthorizationRequest,
) =>
  ctx.db
    .select({ lostAt: deviceTicketLocks.lostAt })
    .from(deviceTicketLocks)
    .where(
      and(
        isLiveLockOf(ctx, uniqueDeviceId),
        sql`not (${isHolder(ctx)} or ${givesWay(ctx, forBaggageId ?? baggageId)})`,
      ),
    );

const readRevocation = ({ db }: BearerContext, thumbprint: Bytes | undefined) =>
  db
    .select({ revokedAt: revokedKeys.revokedAt })
    .from(revokedKeys)
    .where(eq(revokedKeys.spkiHash, thumbprint === undefined ? "" : toBase64Url(thumbprint)));

function requireFree(locks: Awaited<ReturnType<typeof readLocks>>): void {
  if (locks.length === 0) return;
  const isLost = locks.some(({ lostAt }) => lostAt !== null);
  throw new ApiError(isLost ? "device_lost" : "custody_proof_required");
}

/**
 * The version that the token is for: the one proven of the tag, else the one the caller gives. A proof is
 * kept at once and for good: it is about the tag, whatever becomes of the request (rules §5, "Tags").
 */
async function recordTagVersion(
  ctx: BearerContext,
  { uniqueDeviceId, gattVersion, tagCertificate }: EbtAuthorizationRequest,
  known: KnownDevice | undefined,
): Promise<"2.0" | "2.1" | undefined> {
  const isKnown = known?.gattVersion === "2.1";
  const evidence = isKnown ? undefined : await tagEvidence(ctx, tagCertificate);
  const isProven = provesV21(evidence, known, deviceKey(uniqueDeviceId));
  if (isProven) await inBatch(ctx.db, { kept: recordEvidence(ctx, evidence, uniqueDeviceId) });
  if (!isKnown && !isProven) return gattVersion;
  if (gattVersion === "2.0") throw new ApiError("gatt_version_refused");
  return "2.1";
}

interface Settled {
  readonly thumbprint: Bytes | undefined;
  readonly version: "2.0" | "2.1" | undefined;
}

async function claimsOf(
  { settings, now, principal }: BearerContext,
  input: EbtAuthorizationRequest,
  { thumbprint, version }: Settled,
): Promise<TokenClaims> {
  const iat = Math.floor(now / 1_000);
  const ttl = Math.min(settings.limits.transactionTokenSeconds, TOKEN_LIMIT.ttl);
  const { channelBinding, payloadDigest, operation } = input;
  return {
    iss: settings.issuer,
    aud: input.uniqueDeviceId,
    iat,
    exp: iat + ttl,
    cti: await mintCti(
      settings.ctiKeys,
      { device: deviceKey(input.uniqueDeviceId), sub: principal.sub },
      iat,
    ),
    nonce: await nonceBytes(input.nonce),
    ttl,
    ...(thumbprint && { cnfSpkiSha256: thumbprint }),
    ...(channelBinding !== undefined && { channelBinding: fromBase64Url(channelBinding) }),
    ...(version && { version }),
    ...(payloadDigest !== undefined && { payloadDigest: fromBase64Url(payloadDigest) }),
    ...(operation && { operation }),
  };
}

/**
 * What may be written to a tag (rules §6, "Approved content"). A digest is compared with that of the content
 * the service would write itself. If the caller may not see the journey, it matches nothing: otherwise
 * digests would be a way to guess at names and locators outside the guess budget.
 */

/** The fields of endpoint 8 that say what is to be written. */
type ContentClaim = Pick<EbtAuthorizationRequest, "operation" | "payloadDigest" | "baggageId">;

/** The named bag and, if the caller may see it, its journey; statements, if there is something to compare. */
function readClaimedJourney(ctx: BearerContext, claim: ContentClaim) {
  if (!isCompared(claim)) return undefined;
  const isOfBag = hasBag(ctx, claim.baggageId);
  const bag = ctx.db
    .select({ journeyId: journeys.id })
    .from(journeys)
    .innerJoin(travelPlans, eq(travelPlans.id, journeys.planId))
    .where(and(gt(travelPlans.endsAt, ctx.now), isOfBag));
  return { bag, journey: readJourneys(ctx, and(isOfBag, visibleTo(ctx))) };
}

/** The answers of {@link readClaimedJourney}. */
type ClaimedRows = AnswersOf<ReturnType<typeof readClaimedJourney>>;

type Compared = { readonly baggageId: number; readonly payloadDigest: string };

const isCompared = (claim: ContentClaim): claim is ContentClaim & Compared =>
  claim.operation !== "clear" && claim.baggageId !== undefined && claim.payloadDigest !== undefined;

const hasBag = ({ db }: BearerContext, baggageId: number): SQL =>
  inArray(journeys.id, db.select({ id: bags.journeyId }).from(bags).where(eq(bags.id, baggageId)));

/**
 * Refuses content that is not what the claim says; `rows` answer {@link readClaimedJourney}. Throws
 * `required_info_not_provided`, `baggage_not_found`, `payload_mismatch`.
 */
async function requireApproved(ctx: BearerContext, claim: ContentClaim, claimed: ClaimedRows): Promise<void> {
  requireClaims(ctx, claim);
  if (claim.operation === "clear") return requireDigest(claim.payloadDigest, [await clearDigest()]);
  if (claimed === undefined) return;
  if (claimed.bag.length === 0) throw new ApiError("baggage_not_found");
  const labels = (await viewJourneys(ctx, claimed.journey)).flatMap((journey) =>
    journey.baggage
      .filter(({ baggageId }) => baggageId === claim.baggageId)
      .map((bag) => labelDigests(journey, bag)),
  );
  requireDigest(claim.payloadDigest, (await Promise.all(labels)).flat());
}

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

function requireDigest(digest: string | undefined, approved: readonly (string | undefined)[]): void {
  if (!approved.includes(digest)) throw new ApiError("payload_mismatch");
}

const clearDigest = async () => toBase64Url(await payloadDigest(encodePayload(clearPayload())));

const labelDigests = (journey: Journey, bag: Journey["baggage"][number]) =>
  Promise.all(
    [false, true].map(async (showLocator) => {
      const encoded = encodePayload(ticketPayload(journey, bag, { showLocator }));
      return toBase64Url(await payloadDigest(encoded));
    }),
  );
