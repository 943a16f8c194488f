/**
 * The service without Bluetooth: a guest loads a journey, asks for a token as if a tag had given a nonce, locks the tag
 * to a bag and unlocks it. `SERVICE` is its origin, by default that of `npm start`.
 */
import { createClient, Refused } from "./client.ts";

const env = (globalThis as { process?: { env: Record<string, string | undefined> } }).process?.env ?? {};
const service = env.SERVICE ?? "http://localhost:8787";
const client = createClient(service, { "X-Source-App-Key": env.CLIENT_KEY ?? "demo-passenger-key" });

const base64Url = (bytes: ArrayBuffer | Uint8Array<ArrayBuffer>) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
const utf8 = (text: string) => new TextEncoder().encode(text);

/** What a guest logs in with: a key of this program, and its signature over a nonce of the service. */
async function attestation(nonce: string): Promise<string> {
  const es256 = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const pair = await crypto.subtle.generateKey(es256, true, ["sign", "verify"]);
  const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", pair.publicKey);
  const header = { alg: "ES256", typ: "ebt-attestation+jwt", jwk: { kty, crv, x, y } };
  const iat = Math.floor(Date.now() / 1_000);
  const claims = { nonce, aud: "taglatch", iat, evidence: { fmt: "none" } };
  const signed = [header, claims].map((part) => base64Url(utf8(JSON.stringify(part)))).join(".");
  return `${signed}.${base64Url(await crypto.subtle.sign(es256, pair.privateKey, utf8(signed)))}`;
}

/** Signs in; a nonce that took too long is refused, and the next one is not. */
async function login(triesLeft = 5): Promise<string> {
  const { nonce = "" } = await client.post("/v2/auth/nonces");
  const attestationObject = await attestation(nonce);
  try {
    return (await client.post("/v2/auth/guest/sessions", { nonce, attestationObject })).accessToken;
  } catch (error) {
    if (triesLeft > 1 && error instanceof Refused && error.code === "invalid_nonce")
      return login(triesLeft - 1);
    throw error;
  }
}
const guest = client.as(await login());

const booking = { recordLocator: "ABC123", surname: "Lovelace" };
const { journeyId, baggage } = await guest.post("/v2/journeys/from-record-locator", booking);
const baggageId = baggage[0]?.baggageId ?? 0;
console.log(`journey ${journeyId}, bag ${baggageId}`);

// A name that no tag has: run it again and again.
const uniqueDeviceId = `example-${crypto.randomUUID()}`;
const before = await guest.post("/v2/ebt-lookups", { uniqueDeviceId, forBaggageId: baggageId });
console.log(`locked: ${before.locked}`);

const tagNonce = base64Url(crypto.getRandomValues(new Uint8Array(16)));
const tokenRequest = { uniqueDeviceId, nonce: tagNonce, operation: "write" } as const;
const { transactionToken } = await guest.post("/v2/ebt-authorizations", tokenRequest);
console.log(`token for the tag: ${transactionToken.length} characters`);

// Here a client with Bluetooth writes token and label, and goes on when the tag has confirmed.
const attached = await guest.post("/v2/device-attachments", {
  device: { uniqueID: uniqueDeviceId },
  baggageId,
});
console.log(`locked since ${attached.lockedAt}`);

const stranger = client.as("not a token");
await stranger.post("/v2/ebt-unlocks", { uniqueDeviceId }).catch((error: unknown) => {
  console.log(error instanceof Refused ? `a stranger: ${error.code}` : error);
});
const after = await guest.post("/v2/ebt-unlocks", { uniqueDeviceId });
console.log(`locked: ${after.locked}`);
