import { and, eq } from "drizzle-orm";
import type { StaffCheckRequest, StaffCheckResponse, StaffProof } from "../../core/api/index.ts";
import { staffMembers } from "../../db/schema.ts";
import { audited, byCaller } from "../audit/log.ts";
import type { BearerContext } from "../context.ts";
import { inBatch } from "../database/batch.ts";
import { ApiError, parseRefused } from "../errors.ts";
import { type Budget, countGuess, giveBack, requireWithin } from "../guards/counters.ts";
import { DUMMY_PASSWORD_HASH, staffIdOf, verifyPassword } from "../secrets/credentials.ts";
import { hmacText } from "../secrets/sealed.ts";

/** Which member of staff uses a device that is signed in for all of them (rules §5, "Staff PIN"). */

/** Whatever is wrong, the answer is the same. */
const wrong = (reason: string) => new ApiError("invalid_credentials", { reason });

/** Whether the caller's client demands the member of staff. */
export const isPinRequired = ({ client }: BearerContext): boolean => client.flags.requireStaffPin === true;

/** The member of staff at a shared device; null where the request names none and the client demands none. */
export interface VerifiedStaff {
  readonly staffId: string | null;
  /** Statements for the batch of what they came for: a right PIN was no guess. */
  readonly right: ReturnType<typeof giveBack> | undefined;
}

/**
 * Checks id and PIN at the same cost for an unknown id. The try is counted before anything is compared.
 * Throws `required_info_not_provided` (the client demands it), `too_many_attempts`, `invalid_credentials`.
 */
export async function verifyStaff(ctx: BearerContext, staff: StaffProof | undefined): Promise<VerifiedStaff> {
  if (staff === undefined) {
    if (isPinRequired(ctx)) throw parseRefused(MISSING);
    return { staffId: null, right: undefined };
  }
  const staffId = staffIdOf(staff.id);
  const budgets = await triesOf(ctx, staffId);
  const {
    counted,
    members: [member],
  } = await inBatch(ctx.db, { counted: countGuess(ctx, budgets), members: memberOf(ctx, staffId) });
  requireWithin(ctx, counted);
  const hash = member?.pinHash ?? DUMMY_PASSWORD_HASH;
  const isRight = await verifyPassword(ctx.settings.pepper, staff.pin, hash);
  // What was typed as an id may be anything: only an id that exists is written down.
  if (member === undefined) throw wrong("staff id");
  if (!isRight) throw wrong(`PIN of staff ${staffId}`);
  if (!member.enabled) throw wrong(`disabled staff ${staffId}`);
  return { staffId, right: giveBack(ctx, counted.counted) };
}

const MISSING = {
  ok: false,
  code: "required_info_not_provided",
  fields: ["staff"],
  errors: ["staff is required"],
} as const;

const memberOf = ({ db, client }: BearerContext, staffId: string) =>
  db
    .select({ pinHash: staffMembers.pinHash, enabled: staffMembers.enabled })
    .from(staffMembers)
    .where(and(eq(staffMembers.clientId, client.id), eq(staffMembers.staffId, staffId)));

/** Tries at one id, and those of one account: a PIN that is tried at every id is a guess as well. */
async function triesOf(ctx: BearerContext, staffId: string): Promise<readonly Budget[]> {
  const { limits, pepperKey } = ctx.settings;
  const windowSeconds = limits.guessWindowSeconds;
  // Hashed: a user may type a name.
  const id = await hmacText(pepperKey, "staff-tries", ctx.client.id, staffId);
  return [
    { key: `staff:${id}`, cap: limits.staffPinsPerId, windowSeconds },
    { key: `staff-account:${ctx.principal.sub}`, cap: limits.staffPinsPerAccount, windowSeconds },
  ];
}

/**
 * For a kiosk's own tasks, as its set-up: whether this client demands id and PIN. Checks them where they are sent, with a row
 * of the audit log. Throws `insufficient_scope` (no staff account), `too_many_attempts`, `invalid_credentials`.
 */
export async function checkStaff(
  ctx: BearerContext,
  { staff, purpose }: StaffCheckRequest,
): Promise<StaffCheckResponse> {
  const { principal, db } = ctx;
  if (!principal.staff) throw new ApiError("insufficient_scope", { reason: "not staff" });
  if (staff !== undefined) {
    const { staffId, right } = await verifyStaff(ctx, staff);
    const airline = principal.airlines[0] ?? null;
    const entry = { event: "staff_checked", ...byCaller(ctx), airline, staffId } as const;
    await inBatch(db, { right, audit: audited(ctx, { ...entry, reason: purpose ?? null }) });
  }
  return { pinRequired: isPinRequired(ctx) };
}
