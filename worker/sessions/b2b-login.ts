import { and, eq } from "drizzle-orm";
import type { B2BSecretLoginRequest, LoginResponse } from "../../core/api/index.ts";
import { equalBytes, utf8 } from "../../core/encoding/bytes.ts";
import { b2bSecretHash, DUMMY_PASSWORD_HASH, verifyPassword } from "../../db/credentials.ts";
import { b2bAccounts } from "../../db/schema.ts";
import type { LoginContext } from "../context.ts";
import { inBatch } from "../database/statements.ts";
import { ApiError } from "../errors.ts";
import { openSession, permitMethod, subjectOf } from "./open-session.ts";

/** Ground staff (endpoint 5). Whatever is wrong, the answer is the same. */
const wrong = (reason: string) => new ApiError("invalid_credentials", { reason });

/**
 * Checks the shared secret first, because it is cheap to refuse; then user name and password, at the same
 * cost for an unknown name. Throws `unauthorized_client`, `invalid_credentials`, `invalid_dpop_proof`.
 */
export async function b2bLogin(
  ctx: LoginContext,
  { username, password }: B2BSecretLoginRequest,
  secret: string,
): Promise<LoginResponse> {
  const { client, settings } = ctx;
  permitMethod(client, "b2b");
  const presented = await b2bSecretHash(settings.pepper, secret);
  if (!equalBytes(utf8(presented), utf8(client.b2bSecretHash ?? ""))) throw wrong("shared secret");

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
  const sub = await subjectOf(ctx, client, "b2b", username);
  return openSession(ctx, { method: "b2b", evidence: "b2b", sub, airlines: account.airlines });
}
