import { SignJWT } from "jose";
import { toBase64Url } from "../../core/encoding/bytes.ts";
import { hmac, sha256Text } from "../../worker/secrets/sealed.ts";
import { type Bindings, type Keys, runAll, sql, verifyJws } from "./floor-parts.ts";

/**
 * What no service can do without before a passenger has a session: it verifies the app's statement about its nonce, keeps a
 * row for the session, and signs its token; and a certificate for the key, once there is one.
 */

const DAY = 86_400_000;
/** As long as the service's. */
const CONFIGURATION = JSON.stringify({ limits: "0".repeat(2_100) });
const randomText = (length: number) => toBase64Url(crypto.getRandomValues(new Uint8Array(length)));

interface Sent {
  readonly env: Bindings;
  readonly keys: Keys;
  readonly body: Readonly<Record<string, unknown>>;
  readonly header: (name: string) => string;
}

async function nonce({ keys }: Sent): Promise<Response> {
  const content = crypto.getRandomValues(new Uint8Array(18));
  return Response.json({ nonce: toBase64Url(content) + toBase64Url(await hmac(keys.pepper, content)) });
}

/** Opens one session for each nonce: that is its id. */
async function logIn({ env, keys, body, header }: Sent): Promise<Response> {
  const now = Date.now();
  const [, { nonce }] = [await verifyJws(header("DPoP")), await verifyJws(String(body.attestationObject))];
  await hmac(keys.pepper, new TextEncoder().encode(nonce));
  const client = sql`select id from clients where key_hash = ${await sha256Text(header("X-Source-App-Key"))} and enabled`;
  const [known] = await runAll(env, [client]);
  const [id, refresh, sub] = [await sha256Text(nonce), randomText(32), randomText(32)];
  const session = sql`insert into sessions (id, sub, client_id, client_bound, method, evidence, scopes, airlines,
      refresh_counter, refresh_hash, refreshed_at, refresh_expires_at, created_at, expires_at)
    values (${id}, ${sub}, ${known?.results[0]?.id}, 1, 'guest', 'none', '[]', '[]',
      0, ${await sha256Text(refresh)}, ${now}, ${now + DAY}, ${now}, ${now + DAY})`;
  await runAll(env, [session]);
  const token = await new SignJWT({ sub, jti: id })
    .setProtectedHeader({ alg: "ES256" })
    .sign(keys.signingAccess);
  return Response.json({ token, refresh });
}

export const WITHOUT_TOKEN: Readonly<Record<string, (sent: Sent) => Response | Promise<Response>>> = {
  "/.well-known/ebt-configuration": () => new Response(CONFIGURATION),
  "/v2/auth/nonces": nonce,
  "/v2/auth/guest/sessions": logIn,
};
