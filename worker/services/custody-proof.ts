import { and, eq, gt } from "drizzle-orm";
import type { EbtCustodyProofRequest, EbtUnlockResponse } from "../../core/api/index.ts";
import { foldLocator } from "../../core/bag/record-locator.ts";
import { nobodysTokens, presentedTokens, surnamesMatch } from "../../core/bag/surname.ts";
import { fromBase64Url, toBase64Url } from "../../core/bytes.ts";
import { deviceTicketLocks, journeys } from "../../db/schema.ts";
import { locatorHash } from "../../db/sealed.ts";
import type { BearerContext } from "../context.ts";
import { ApiError } from "../errors.ts";
import { budgetsOf, countGuess, giveBack, requireWithin } from "./guess-budget.ts";
import { knownDeviceId } from "./known-device.ts";
import { lockRemoval } from "./lock-removal.ts";

/** Stands in for the tokens of a lock that is not there, so that a miss costs what a wrong name costs. */
const NOBODY = toBase64Url(nobodysTokens());

/**
 * Removes a lock for whoever knows the record locator and surname of the journey it is on (endpoint 11, decisions §5).
 *
 * Wrong locator, wrong surname, no lock and no such tag are one answer after the same work: the same statements, the
 * same hashes, the same comparisons. Throws `too_many_attempts`, `custody_proof_invalid`.
 */
export async function proveCustody(
  ctx: BearerContext,
  { uniqueDeviceId, recordLocator, surname }: EbtCustodyProofRequest,
): Promise<EbtUnlockResponse> {
  const { db, settings } = ctx;
  const device = knownDeviceId(uniqueDeviceId);
  const locator = await locatorHash(settings.pepperKey, recordLocator);
  const budgets = budgetsOf(ctx, { uniqueDeviceId, locator });
  const [found, ...counted] = await db.batch([lockOf(ctx, device), ...countGuess(ctx, budgets)]);
  requireWithin(ctx, budgets, counted);

  const presented = await presentedTokens(settings.pepperKey, foldLocator(recordLocator), surname);
  const [lock] = found;
  const isRight = surnamesMatch(fromBase64Url(lock?.surnameTokens ?? NOBODY), presented);
  if (lock === undefined || !isRight) throw new ApiError("custody_proof_invalid");

  const allowed = eq(deviceTicketLocks.requestId, lock.requestId);
  const removal = lockRemoval(ctx, { device, allowed, event: "lock_removed_by_proof" });
  const kept = budgets.filter(({ ofDevice }) => !ofDevice);
  const [, , removed] = await db.batch([...removal, ...giveBack(ctx, kept)]);
  // Somebody was faster: the tag is no longer locked to that journey, so there is nothing this proof could unlock.
  if (removed.length === 0) throw new ApiError("custody_proof_invalid");
  return { uniqueDeviceId, locked: false };
}

const lockOf = ({ db, now }: BearerContext, device: ReturnType<typeof knownDeviceId>) =>
  db
    .select({ requestId: deviceTicketLocks.requestId, surnameTokens: journeys.surnameTokens })
    .from(deviceTicketLocks)
    .innerJoin(journeys, eq(journeys.id, deviceTicketLocks.journeyId))
    .where(and(eq(deviceTicketLocks.deviceId, device), gt(deviceTicketLocks.endsAt, now)));
