import { and, eq } from "drizzle-orm";
import { type B2BSecretLoginRequest, HEADER, type LoginResponse } from "../../core/api/index.ts";
import { equalBytes, utf8 } from "../../core/encoding/bytes.ts";
import { b2bAccounts } from "../../db/schema.ts";
import { requireLoginRate } from "../auth/rate-limits.ts";
import type { LoginContext } from "../context.ts";
import { inBatch } from "../database/batch.ts";
import { ApiError, parseRefused } from "../errors.ts";
import { b2bSecretHash, DUMMY_PASSWORD_HASH, verifyPassword } from "../secrets/credentials.ts";
import { openSession, permitMethod, subjectOf } from "./open-session.ts";

/**
 * Ground staff (endpoint 5). Whatever is wrong, the answer is the same. A wrong secret counts for the caller's network,
 * and everything behind the right one for the account.
 */
const wrong = (reason: string, isCounted = true) =>
  new ApiError("invalid_credentials", { reason, isCounted });

/** A request without the mandatory header is no guess: it is not hashed, and no audit row counts it. */
const secretMissing = () =>
  parseRefused({
    ok: false,
    code: "required_info_not_provided",
    fields: [HEADER.b2bSecret],
    errors: [`${HEADER.b2bSecret} is required`],
  });

/**
 * Checks the shared secret first, because it is cheap to refuse; then user name and password, at the same
 * cost for an unknown name. Throws `unauthorized_client`, `required_info_not_provided`, `invalid_credentials`,
 * `invalid_dpop_proof`, `too_many_requests`.
 */
export async function b2bLogin(
  ctx: LoginContext,
  { username, password }: B2BSecretLoginRequest,
  secret: string,
): Promise<LoginResponse> {
  const { client, settings } = ctx;
  permitMethod(client, "b2b");
  if (secret === "") throw secretMissing();
  const presented = await b2bSecretHash(settings.pepper, secret);
  if (!equalBytes(utf8(presented), utf8(client.b2bSecretHash ?? ""))) throw wrong("shared secret", false);
  const sub = await subjectOf(ctx, client, "b2b", username);
  await requireLoginRate(ctx, "b2bSession", sub);

  const {
    accounts: [account],
  } = await inBatch(ctx.db, {
    accounts: ctx.db
      .select()
      .from(b2bAccounts)
      .where(and(eq(b2bAccounts.clientId, client.id), eq(b2bAccounts.username, username))),
  });
  const isRight = await verifyPassword(
    settings.pepper,
    password,
    account?.passwordHash ?? DUMMY_PASSWORD_HASH,
  );
  if (account === undefined) throw wrong("user name");
  if (!isRight) throw wrong("password");
  if (!account.enabled) throw wrong("account disabled");
  return openSession(ctx, { method: "b2b", evidence: "b2b", sub, airlines: account.airlines });
}
