import { importJWK, jwtVerify } from "jose";
import type { Verifier } from "./evidence.ts";
import { attestationRefused } from "./refusal.ts";

/**
 * Public half of db/demo/attester.jwk.json; the private half has no place in a deployment, not even of a
 * demo.
 */
const ATTESTER = {
  kty: "EC",
  crv: "P-256",
  x: "gK5KPkalqJH5NnCFdJIeXhTfQXuIT31F67iervnwj4U",
  y: "L-teqVb-dFJ5tmPrOQv-rGmyiFD6yuRucct6lR3NKh8",
} as const;

/**
 * Evidence of the development attester (rules §3, §9): a JWT over nonce, key and e-mail, signed by a key
 * whose private half is public. Outside development it means nothing and is refused.
 */
export const verifyDemo: Verifier = async ({ ctx, statement }) => {
  if (ctx.settings.environment !== "development") throw attestationRefused("demo_outside_development");
  const { token } = statement.evidence;
  if (typeof token !== "string") throw attestationRefused("demo_no_token");
  const { payload } = await jwtVerify(token, await importJWK(ATTESTER, "ES256"), {
    algorithms: ["ES256"],
    currentDate: new Date(ctx.now),
  });
  if (payload.nonce !== statement.nonce) throw attestationRefused("demo_another_nonce");
  if (payload.jkt !== statement.jkt) throw attestationRefused("demo_another_key");
  if (payload.email !== statement.email) throw attestationRefused("demo_another_email");
  return { kind: "key" };
};
