import type { StaffCheckRequest, StaffCheckResponse } from "../../core/api/index.ts";
import { audited, byCaller } from "../audit/log.ts";
import type { BearerContext } from "../context.ts";
import { inBatch } from "../database/batch.ts";
import { ApiError } from "../errors.ts";
import type { Routes } from "../http/route.ts";
import { isPinRequired, verifyStaff } from "./staff-pin.ts";

/** For a kiosk's own tasks: its set-up, the end of a shift. */
export const staffRoutes = { staffCheck: checkStaff } satisfies Partial<Routes>;

/**
 * Whether this client demands id and PIN; checks them where they are sent, with a row of the audit log. Throws
 * `insufficient_scope` (no staff account), `too_many_attempts`, `invalid_credentials`.
 */
async function checkStaff(
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
