import { importJWK, jwtVerify } from "jose";
import attester from "../../db/demo/attester.jwk.json" with { type: "json" };
import type { RequestContext } from "../context.ts";
import { attestationRefused, type Statement } from "./statement.ts";

/**
 * Evidence of the development attester (decisions §3, §9): a JWT over nonce, key and e-mail by a key whose private half
 * is public. Means nothing, and is refused, outside development.
 */
export async function verifyDemo(ctx: RequestContext, statement: Statement): Promise<void> {
  if (ctx.settings.environment !== "development") throw attestationRefused("demo outside development");
  const { token } = statement.evidence;
  if (typeof token !== "string") throw attestationRefused("no demo token");
  const { kty, crv, x, y } = attester;
  const { payload } = await jwtVerify(token, await importJWK({ kty, crv, x, y }, "ES256"), {
    algorithms: ["ES256"],
    currentDate: new Date(ctx.now),
  });
  if (payload.nonce !== statement.nonce) throw attestationRefused("demo token of another nonce");
  if (payload.jkt !== statement.jkt) throw attestationRefused("demo token of another key");
  if (payload.email !== statement.email) throw attestationRefused("demo token of another e-mail");
}
