import type { EndpointName } from "../../core/api/index.ts";

/** What a caller must know of an endpoint beyond its records: Markdown for the reference. */

const ATTESTATION = `\`attestationObject\` is a compact JWS signed by the app's own P-256 key: header
\`{"alg":"ES256","typ":"ebt-attestation+jwt","jwk":…}\`, claims \`{nonce, aud, iat, email?, evidence:{fmt, …}}\`.
The nonce is used up by the login, whether it succeeds or not.

Evidence by \`fmt\`: \`none\` (guests) · \`webauthn\` with \`registration\` or \`assertion\`, the credential's JSON ·
\`apple-appattest\` with \`keyId\` and \`attestation\` or \`assertion\`, base64 · \`play-integrity\` with \`token\`. What is
signed there (WebAuthn's challenge, App Attest's client data hash, in base64url Play's nonce) is SHA-256 of the nonce's
UTF-8 and the raw 32-byte RFC 7638 thumbprint of the app's key. The client key says which formats it takes.`;

const REPEATABLE = `With an \`Idempotency-Key\` the request may be sent again for 24 hours: it is carried out once, and
the answer is the first one's byte for byte, with \`Idempotent-Replayed: true\`.`;

export const NOTES: { readonly [Name in EndpointName]?: string } = {
  auditEvents: `Newest first. \`from\` is included, \`to\` is not. Send \`nextCursor\` as \`cursor\` for what came before; a page
may be short, even empty, while there is one, because filters apply to what was read. \`subject\` is a pseudonym. No event
holds a name or a record locator.`,
  federatedSession: `The host's token is checked against the issuers of the client key: issuer, audience, expiry,
signature. \`cnf.jwk\` in it names the key that endpoint 7 certifies. \`Authorization\` is not looked at.`,
  nonce: "Single use, for endpoint 3 or 4. Neither Content-Type nor body is looked at.",
  attestationSession: `${ATTESTATION}\n\nNeeds an e-mail and evidence stronger than \`none\`.`,
  guestSession: ATTESTATION,
  refresh: `Each refresh token is used once. The one just used, sent again within ten seconds, gives the same successor;
anything older ends the session.`,
  logout: "Revokes access and refresh tokens, and has the browser clear what it kept (`Clear-Site-Data`).",
  deviceClientCertificate: `Neither Content-Type nor body is looked at.

**For tags that speak GATT v2.1 the session must be bound to a key**: by the attestation's header, by \`cnf.jwk\` of
the host's token, or by a DPoP proof at login. That key is certified, and only its holder passes the tag's handshake. A
session without a key gets a certificate for a fresh key that nobody has: it can be presented to a v2.0 tag and is of no
use with v2.1.`,
  ebtAuthorization: `\`nonce\` is what the tag gave: 22 characters of base64url, its base64 or 32 hex digits are the 16
bytes themselves, any other text is hashed.

**What tags made for this service demand beyond the two mandatory fields.** A v2.0 tag accepts a token only with
\`payloadDigest\`, the SHA-256 of the label it is going to get. A v2.1 tag accepts a token only from a session that is
bound to a key (see endpoint 7); \`channelBinding\` ties it to the handshake. A request without them is answered all the
same, for tags of other makers.`,
  deviceAttachment: `Locks the tag to the bag's journey. Repeating it for the same journey changes the bag.\n\n${REPEATABLE}`,
  ebtCustodyProof: `Whatever is wrong, the answer is one and the same. Wrong guesses are counted.\n\n${REPEATABLE}`,
  journeyFromBcbp: `\`scanData\` is the barcode's text, nothing trimmed (IATA Resolution 792). The booking is found by the
locator of one of the legs, the name, and that leg's carrier, number and date; nothing is created. A malformed pass is
\`invalid_bcbp_format\` with the position. Each locator of the pass counts as a guess until it proves right.`,
  baggageTag: `Without \`lpn\` the airline's range gives the licence plate. \`slotNumber\` n asks for the journey's n-th bag:
where there is one, nothing is added. \`lpn\` is for staff, or names a bag the journey has already. With an
\`Idempotency-Key\` the request may be sent again for 24 hours and adds one bag; the journey is shown as it is then.`,
  journeysFromAirlinePayload: `One booking of an airline the session acts for, all of it or nothing. Passengers and bags it
does not name stay as they are; the same booking again changes nothing.`,
  baggageSourceMessages: `\`message\` is one or more messages of IATA RP 1745, from \`BSM\` to \`ENDBSM\`, one after the
other, with LF or CRLF. Each has a result of its own: a malformed or refused one (\`errorCode\`, and the line in
\`errors\`) stops no other. Only where none can be read the answer is \`invalid_bsm_format\`. The flight of \`.F\` must be one
of the session's airlines. \`DEL\` leaves a bag on a locked tag (\`device_locked\`). The same message again is
\`unchanged\`.`,
  ebtUnlock: `For the holder of the lock. A tag that is not locked is answered with success.\n\n${REPEATABLE}`,
};
