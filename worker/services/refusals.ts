import type { ErrorCode } from "../../core/api/index.ts";
import { auditLog } from "../../db/schema.ts";
import type { RequestContext } from "../context.ts";
import type { ApiError } from "../errors.ts";

/** Refusals with one answer for many causes: the cause goes to the audit log (decisions §1). */
const AUDITED: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "invalid_federated_token",
  "invalid_nonce",
  "invalid_attestation",
  "invalid_credentials",
  "invalid_refresh_token",
  "invalid_dpop_proof",
]);

/** Records why a login, refresh or proof was refused; nothing for other errors. */
export async function auditRefusal(ctx: RequestContext, { code, detail }: ApiError): Promise<void> {
  if (!AUDITED.has(code) || detail.isAudited) return;
  const { now: at, requestId } = ctx;
  await ctx.db.insert(auditLog).values({ at, event: code, requestId, reason: detail.reason ?? null });
}
