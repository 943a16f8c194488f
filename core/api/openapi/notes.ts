import type { EndpointName } from "../index.ts";

const ATTESTATION = `\`attestationObject\` is a compact JWS signed by the app's own P-256 key: header
\`{"alg":"ES256","typ":"ebt-attestation+jwt","jwk":…}\`, claims \`{nonce, aud, iat, email?, evidence:{fmt, …}}\`.
The nonce is used up by the login, whether it succeeds or not.

Evidence by \`fmt\`: \`none\` (guests) · \`webauthn\` with \`registration\` or \`assertion\`, the credential's JSON ·
\`apple-appattest\` with \`keyId\` and \`attestation\` or \`assertion\`, base64 · \`play-integrity\` with \`token\`. What is
signed there (WebAuthn's challenge, App Attest's client data hash, Play's nonce in base64url) is the SHA-256 of the nonce
in UTF-8 followed by the raw 32-byte RFC 7638 thumbprint of the app's key. The settings of the client key
say which formats are accepted.`;

const REPEATABLE = `With an \`Idempotency-Key\` the request may be sent again for 24 hours: it is carried out once, and
the answer is the first one's byte for byte, with \`Idempotent-Replayed: true\`.`;

/** What the reference says of an endpoint beyond its line and its records: Markdown. */
export const NOTES: { readonly [Name in EndpointName]?: string } = {
  events: `The audit log, read forward: at least once, and in order for each tag. Send \`cursor\` as it came, at once while
there is \`more\`, later where there is not. It may be seven days old. It is opaque, and names a place in the log.`,
  auditEvents: `Newest first. \`from\` is included, \`to\` is not. Send \`nextCursor\` as \`cursor\` for older events. A page may be
short, or even empty, although \`nextCursor\` is there, because filters apply after reading. \`subject\` is a pseudonym. No
event holds a name or a record locator.`,
  federatedSession: `The host's token is checked against the issuers of the client key: issuer, audience, expiry,
signature. Its \`cnf.jwk\` is the key that endpoint 7 certifies; the login must then prove it (header \`DPoP\`). A token
with a \`jti\` is good for one login. The service ignores \`Authorization\`.`,
  nonce: "Single use, for endpoint 3 or 4. The service ignores Content-Type and body.",
  attestationSession: `${ATTESTATION}\n\nNeeds an e-mail and evidence stronger than \`none\`.`,
  guestSession: ATTESTATION,
  refresh: `Each refresh token is used once. If the one just used is sent again within ten seconds, the answer is the same
new token. An older one ends the session.`,
  staffCheck: `For sessions of ground staff. Without \`staff\` it says whether this client demands staff id and PIN for a release
(\`pinRequired\`). With \`staff\` they are checked, and the audit log keeps the id and \`purpose\`. Wrong tries are counted.`,
  lockRelease: `\`staff\` says which member of staff uses a device that is signed in for all of them; a client may demand
it. Whatever is wrong with it, the answer is \`invalid_credentials\`. Wrong tries are counted. \`reason\` goes to the audit
log and is no place for names.`,
  logout:
    "Revokes access and refresh tokens, and makes the browser delete its stored data (`Clear-Site-Data`).",
  deviceClientCertificate: `A body is optional; one that is not this record counts as absent. A session that has no key
may bring one here, once (the same key may be sent again): \`jwk\`, and as \`proof\` a compact JWS by that key, header
\`{"alg":"ES256","typ":"key-proof+jwt"}\`, claims \`{ath, iat, jti}\`. \`ath\` is the base64url SHA-256 of the access token, \`iat\` is
at most 300 seconds off, \`jti\` is random.

**For tags that speak GATT v2.1 the session must be bound to a key**: by the attestation's header, by \`cnf.jwk\` of
the host's token, by a DPoP proof at login, or by \`jwk\` and \`proof\` here. That key is certified, and only its holder
passes the tag's handshake. A session without a key gets a certificate for a fresh key without a holder: it works with a v2.0 tag, and not with v2.1.`,
  ebtAuthorization: `\`nonce\` comes from the tag. 22 characters of base64url, the same in base64, or 32 hex digits are the
16 bytes themselves; any other text is hashed.

**Tags made for this service demand more than the two mandatory fields.** A v2.0 tag accepts a token only with
\`payloadDigest\`, the SHA-256 of the label that will be written. A v2.1 tag accepts a token only from a session that is
bound to a key (see endpoint 7); \`channelBinding\` ties it to the handshake. A request without them succeeds as well,
for tags of other makers.`,
  deviceAttachment: `Locks the tag to the bag's journey. Repeating it for the same journey changes the bag.\n\n${REPEATABLE}`,
  ebtCustodyProof: `Every wrong proof gets the same answer, whatever is wrong. Wrong guesses are counted.\n\n${REPEATABLE}`,
  journeyFromBcbp: `\`scanData\` is the barcode's text, untrimmed (IATA Resolution 792). The service looks the booking up by the
name and one leg: its locator, carrier, flight number and date. It creates nothing. A malformed pass gives
\`invalid_bcbp_format\` with the position. Each locator of the pass counts as a guess until one is right.`,
  journey: `Staff see every journey of their airlines, and the audit log has how many they read. Where their client demands a
PIN for a release, locator and surname are masked until their account has loaded the booking, by record locator or boarding
pass.`,
  foundReport: `Needs no key. The answer is the same for every id, and nothing shows whether there is such a tag. Only its full id
counts, and only under an entitled lock, which the report does not change. The airline and the owner of the bag read the words.`,
  outcomes: `Counters without an id of tag, person, bag or device; they need no key, and no session is known. A longer
version is refused; a model or firmware that may be a serial number counts as absent.`,
  bagTrace: `For holders of an entitled lock. Of each UTC day it shows the first report of each of three networks, so that
many later reports cannot hide an earlier one; \`more\` counts the others, which ground staff see.`,
  bagTraceChange: `For holders of an entitled lock, not staff. A field that is absent changes nothing; an empty text removes the value.

\`locationLink\`: https without user and port, at a place that the operator allows (var \`LOCATION_LINK_PLACES\`: a host, or a host and the
beginning of a path). \`pushEndpoint\`: an https endpoint of FCM, Mozilla, Apple or Windows, where the configuration has a \`pushKey\`; one per
holder, four per lock. Both are spelled as browsers spell them, and a path below an allowed one has no \`%\`, \`;\` or segment that begins with
\`..\`; all else is \`invalid_request\`. Push messages have no body (RFC 8030, RFC 8292): one for each report that the holder is shown, up to
three a UTC day, not while muted, and never repeated. \`remindToClear\` adds one an hour after the booking's last arrival, not for a bag
that is lost or was found.`,
  tracedBags: `Latest news first, a hundred to a page. With \`uniqueDeviceId\`, that bag with every report.`,
  delegation: `For a person who has loaded the booking themselves, not staff. The code lives ten minutes and replaces an earlier one of
theirs. A booking has at most four delegations.`,
  delegationClaim: `The first phone that sends a code gets the digits; a second one ends it for both. Whatever is wrong with a code, the
answer is \`delegation_ended\`, and counts as a guess of the caller.`,
  delegationDecision: `The delegation is active once both people have confirmed. The delegate, and all who have loaded the booking, may end
it at any time with \`confirmed: false\`.`,
  locationLink: `Each opening is in the audit log, and the holder sees which airline opened the link last, and when.`,
  baggageTag: `Without \`lpn\`, the licence plate comes from the airline's range. \`slotNumber\` n asks for the journey's n-th
bag: if it exists, nothing is added. A new \`lpn\` is for staff; others may name a bag that the journey has already. With an
\`Idempotency-Key\` the request may be sent again for 24 hours and adds one bag; the answer shows the present journey. An airline may
be asked first (docs/acceptance.md): \`bag_refused\` has its reason and perhaps its sentence in \`errors\`, and is not recorded.`,
  journeysFromAirlinePayload: `One booking of an airline that the session acts for; it is taken whole or not at all. Passengers
and bags that it does not name stay as they are. The same booking again changes nothing. With \`withdraw\` the passengers it names, or all of the booking, go instead,
unless a tag is locked to a bag of theirs (\`device_locked\`). \`ignored\` names what the service does not read.`,
  baggageSourceMessages: `\`message\` is one or more messages of IATA RP 1745, from \`BSM\` to \`ENDBSM\`, one after the
other, with LF or CRLF. Each has a result of its own: a malformed or refused one (\`errorCode\`, and the line in
\`errors\`) does not stop the others. Only if none can be read, the answer is \`invalid_bsm_format\`. The flight of \`.F\` must be one
of the session's airlines. \`DEL\` leaves a bag on a locked tag (\`device_locked\`). The same message again is
\`unchanged\`. \`ignored\` names the elements that the service does not read. Envelopes of Type B are skipped.`,
  ebtUnlock: `For the holder of the lock. A tag that is not locked is answered with success.\n\n${REPEATABLE}`,
};

/** Sentences over records and their properties, put where a reader of the document looks for them. */

/** What is said of a record or a property, and of the properties within. */
export interface Description {
  readonly text?: string;
  readonly within?: Described;
}

/** Descriptions by name: of records, or of one record's properties. */
export type Described = Readonly<Record<string, Description>>;

type Schema = Readonly<Record<string, unknown>>;

/** `schemas` with the descriptions of `described`; what has none stays as it is. */
export function withDescriptions(schemas: Readonly<Record<string, Schema>>, described: Described) {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, withText(schema, described[name])]),
  );
}

function withText(schema: Schema, { text, within = {} }: Description = {}): Schema {
  const properties = schema.properties as Readonly<Record<string, Schema>> | undefined;
  return {
    ...schema,
    ...(text === undefined ? {} : { description: text }),
    ...(properties === undefined ? {} : { properties: withDescriptions(properties, within) }),
  };
}
