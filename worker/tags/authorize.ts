import type { EbtAuthorizationRequest, EbtAuthorizationResponse } from "../../core/api/index.ts";
import { fromBase64Url, toBase64Url, toHex } from "../../core/encoding/bytes.ts";
import { nonceBytes, signToken, TOKEN_LIMIT, type TokenClaims } from "../../core/sec/token.ts";
import { tokenRefused } from "../auth/authenticate.ts";
import type { BearerContext } from "../context.ts";
import { Reading } from "../database/batch.ts";
import { deviceKey, provesV21 } from "../devices/identity.ts";
import { ApiError } from "../errors.ts";
import { readApproved, requireApproved } from "./approved-content.ts";
import { issuedAt, mintCti } from "./cti.ts";
import type { Decision } from "./decision.ts";
import { ofToken, type TokenFacts } from "./facts.ts";
import { type DecisionRequest, routeOf, valuesOf } from "./operation.ts";
import { type Caller, hasLoaded, isHolder, isLive, isOlder, isSupersededFor } from "./rules.ts";
import { deviceNamed, devicesNamed, liveLocks, type State, stateOf } from "./state.ts";
import { applyStatement, isStale, type Report, verifyStatement, withEvidence } from "./tag-statement.ts";

/**
 * A transaction token for one write or clear (endpoint 8, rules §5, §6). It is refused while a custody proof is required,
 * and bound to all that the caller and the registry say of the transaction.
 *
 * Throws `unauthorized_token` (the session's key was revoked: no refresh helps, only another key), `device_not_found`,
 * `custody_proof_required`, `device_lost`, `gatt_version_refused`, `required_info_not_provided`, `baggage_not_found`,
 * `payload_mismatch`.
 */
export const authorize = routeOf({
  reading: new Reading(ofToken),
  values: (ctx, tokenCaller, input: EbtAuthorizationRequest) =>
    valuesOf(ctx, tokenCaller, { ...input, bags: [input.baggageId, input.forBaggageId] }),
  more: readApproved,
  verify: verifyStatement,
  decide: decideToken,
  answer: async (ctx, input, { value, more }): Promise<EbtAuthorizationResponse> => {
    const { version, isBagThere, isBagVisible, lastCommit } = value as Authorized;
    if (version === "2.1" && input.gattVersion === "2.0") throw new ApiError("gatt_version_refused");
    await requireApproved(ctx, input, { isBagThere, journeys: isBagVisible ? more.journeys : undefined });
    const claims = await claimsOf(ctx, input, version);
    const { kid, key: privateKey } = ctx.settings.transactionTokenKeys.signing;
    const transactionToken = toBase64Url(await signToken(claims, { kid, privateKey }));
    return { transactionToken, ...(lastCommit && { lastCommit }) };
  },
});

interface Authorized {
  /** Proven of the tag, else as the caller gives it. */
  readonly version: "2.0" | "2.1" | undefined;
  /** The bag to write exists, and its booking is not past. */
  readonly isBagThere: boolean;
  /** The caller may see its journey. */
  readonly isBagVisible: boolean;
  readonly lastCommit: LastCommit | undefined;
}

type TokenRequest = Pick<DecisionRequest<EbtAuthorizationRequest>, "caller" | "input" | "report">;

/**
 * The tag's statement is applied even if the request is refused. What its certificate proves is not, for callers whom
 * the lock or the registry refuses.
 */
export function decideToken(
  { caller, input, report }: TokenRequest,
  facts: TokenFacts,
): Decision<Authorized> {
  const { uniqueDeviceId, baggageId } = input;
  const before = stateOf(facts);
  const stated = applyStatement(caller, before, report, uniqueDeviceId);
  const refused = { before, after: stated };
  if (facts.revoked.length > 0) {
    return { ...refused, outcome: "unauthorized_token", error: tokenRefused("key revoked") };
  }
  const known = deviceNamed(stated, uniqueDeviceId);
  if (known === undefined && caller.isRegistryClosed) return { ...refused, outcome: "device_not_found" };
  const bagOf = (id: number | undefined) => facts.bags.find((bag) => bag.baggageId === id);
  const forBag = bagOf(input.forBaggageId ?? baggageId);
  const blocking = liveLocks(stated, devicesNamed(stated, uniqueDeviceId), caller.now).filter(
    (lock) => !isHolder(caller, lock) && !isSupersededFor(caller, lock, forBag),
  );
  if (blocking.length > 0) {
    const isLost = blocking.some(({ lostAt }) => lostAt !== null);
    return { ...refused, outcome: isLost ? "device_lost" : "custody_proof_required" };
  }
  const { after, version } = versionOf(caller, stated, input, report);
  const bag = bagOf(baggageId);
  const isBagVisible =
    bag !== undefined &&
    (caller.isStaff ? caller.airlines.includes(bag.airline) : hasLoaded(caller, bag.planId));
  const isBagThere = bag !== undefined && bag.endsAt > caller.now;
  const lastCommit = lastCommitOf(caller, stated, report);
  return { before, after, outcome: "ok", value: { version, isBagThere, isBagVisible, lastCommit } };
}

/** The version that the token is for. A certificate proves v2.1 at once and for good (rules §5, "Tags"). */
function versionOf(
  { now }: Caller,
  state: State,
  { uniqueDeviceId, gattVersion }: EbtAuthorizationRequest,
  { evidence }: Report,
): { readonly after: State; readonly version: Authorized["version"] } {
  const known = deviceNamed(state, uniqueDeviceId);
  if (known?.gattVersion === "2.1") return { after: state, version: "2.1" };
  if (!provesV21(evidence, known, deviceKey(uniqueDeviceId))) return { after: state, version: gattVersion };
  return { after: withEvidence(state, evidence, { uniqueDeviceId, now }), version: "2.1" };
}

/** Whose label a tag shows, as far as its statement says. */
type LastCommit = "own" | "other";

/** An older label is of a journey that is over. */
const CURRENT_SECONDS = 14 * 86_400;

/**
 * Whose write the tag's last commit is (rules §5). Undefined without a verified statement, for staff, where the last commit
 * is no write, and where the service cannot say: its key is gone, or a lock that has ended since is as new.
 */
function lastCommitOf(caller: Caller, state: State, report: Report): LastCommit | undefined {
  const { deviceId, verified: found } = report;
  if (found === undefined || caller.isStaff || isStale(state, report)) return undefined;
  const { operation, cti } = found.statement;
  if (operation !== "write" || cti === null) return undefined;
  const lock = state.locks[deviceId];
  const isHeld = lock !== undefined && isLive(caller, lock) && isHolder(caller, lock);
  if (found.isByCaller || (isHeld && found.isByWriter === true)) return "own";
  if (!found.isKeyConfigured || issuedAt(cti) < caller.now / 1_000 - CURRENT_SECONDS) return undefined;
  return isOfEndedLock(caller, state, report) ? undefined : "other";
}

/** Whether the last commit was written for a lock that has ended since, or before one did. */
function isOfEndedLock(caller: Caller, state: State, { deviceId, verified: found }: Report): boolean {
  const known = state.devices[deviceId];
  const { cti: bytes, commits } = found?.statement ?? {};
  if (known === undefined || bytes == null || commits === undefined) return false;
  const cti = toHex(bytes);
  const isOver = (stored: string | null, at: number) => cti === stored || isOlder(cti, stored, at);
  const lock = state.locks[deviceId];
  return (
    commits <= known.spentCommits ||
    (known.endedAt !== null && isOver(known.endedCti, known.endedAt)) ||
    (lock !== undefined && !isLive(caller, lock) && isOver(lock.cti, lock.lockedAt))
  );
}

async function claimsOf(
  { settings, now, principal }: BearerContext,
  input: EbtAuthorizationRequest,
  version: Authorized["version"],
): Promise<TokenClaims> {
  const iat = Math.floor(now / 1_000);
  const ttl = Math.min(settings.limits.transactionTokenSeconds, TOKEN_LIMIT.ttl);
  const { channelBinding, payloadDigest, operation } = input;
  const { sub, keySpkiHash } = principal;
  return {
    iss: settings.issuer,
    aud: input.uniqueDeviceId,
    iat,
    exp: iat + ttl,
    cti: await mintCti(settings.ctiKeys, { deviceId: deviceKey(input.uniqueDeviceId), sub }, iat),
    nonce: await nonceBytes(input.nonce),
    ttl,
    ...(keySpkiHash !== null && { cnfSpkiSha256: fromBase64Url(keySpkiHash) }),
    ...(channelBinding !== undefined && { channelBinding: fromBase64Url(channelBinding) }),
    ...(version && { version }),
    ...(payloadDigest !== undefined && { payloadDigest: fromBase64Url(payloadDigest) }),
    ...(operation && { operation }),
  };
}
