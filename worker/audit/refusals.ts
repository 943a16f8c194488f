import type { ErrorCode } from "../../core/api/index.ts";
import { isWorthAuditing } from "../auth/rate-limits.ts";
import type { Client, RequestContext } from "../context.ts";
import type { ApiError } from "../errors.ts";
import { audited } from "./log.ts";

/** Refusals that give one answer for many causes: the cause goes to the audit log (rules §1). */
const AUDITED: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "invalid_federated_token",
  "invalid_nonce",
  "invalid_attestation",
  "invalid_credentials",
  "invalid_refresh_token",
  "invalid_dpop_proof",
]);

/** The airline that a client works for, if it is only one. */
export const soleAirline = (client: Client | undefined): string | null =>
  client?.airlines.length === 1 ? (client.airlines[0] ?? null) : null;

/**
 * Records why a login, refresh or proof was refused; ignores other errors. Where the client works for one
 * airline, that airline may read the row. Beyond the rate of its network, a refusal appears in the log line
 * alone.
 */
export async function auditRefusal(
  ctx: RequestContext,
  { code, detail }: ApiError,
  client: Client | undefined,
): Promise<void> {
  if (!AUDITED.has(code) || detail.isAudited || !(await isWorthAuditing(ctx))) return;
  const { reason = null } = detail;
  await audited(ctx, { event: code, clientId: client?.id ?? null, airline: soleAirline(client), reason });
}
