import { createPrivateKey, sign } from "node:crypto";

/** A token for a traveller who is signed in with you; `jwk` is your private key, with its `kid`. */
export function tokenFor(traveller, jwk, { issuer, audience }) {
  const now = Math.floor(Date.now() / 1000);
  const header = { alg: "ES256", typ: "JWT", kid: jwk.kid };
  const claims = {
    iss: issuer,
    aud: audience,
    sub: traveller.id,
    iat: now,
    exp: now + 120,
    jti: crypto.randomUUID(),
    travel_plans: traveller.bookings, // [{ recordLocator, surname, flight }]
  };
  const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${part(header)}.${part(claims)}`;
  const key = createPrivateKey({ key: jwk, format: "jwk" });
  const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
  return `${signed}.${signature.toString("base64url")}`;
}
