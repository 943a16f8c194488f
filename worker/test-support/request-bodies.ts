import type { EndpointName, endpoints } from "../../core/api/index.ts";
import { TOMORROW } from "./days.ts";

/** What each endpoint takes, written down from the interface and not derived from the schemas it is to test. */

/** A field: what it may be, whether it must be there, and a value that is right. */
export interface FieldRow {
  readonly kind:
    | "text"
    | "document"
    | "list"
    | "count"
    | "number"
    | "degrees"
    | "choice"
    | "digest"
    | "base64"
    | "base64url"
    | "octets"
    | "truth"
    | "instant"
    | "cursor";
  readonly mandatory?: true;
  /** A wrong value counts as absent. */
  readonly advisory?: true;
  readonly good: string | number | boolean | readonly unknown[];
}

/** Fields by dotted name. */
export type Fields = Readonly<Record<string, FieldRow>>;

const id = { kind: "text", mandatory: true, good: "ebt-21-0001" } as const satisfies FieldRow;
const text = (good: string) => ({ kind: "text", mandatory: true, good }) as const satisfies FieldRow;
/** One leg of a boarding pass nobody has: format, name, locator, flight, day, seat, no further block. */
const BOARDING_PASS = "M1NOBODY/NO           EWRONG1 OSLARNSK 9999 123Y008A0034 100";
const BSM = "BSM\n.V/1LOSL\n.F/SK9999/03MAY/ARN/Y\n.N/0117999999001\nENDBSM";
const FLIGHT = { carrier: "SK", number: "9999", date: TOMORROW, from: "OSL", to: "ARN" };
const PASSENGER = { surname: "NOBODY", givenName: "NO" };
const list = (good: readonly unknown[]) =>
  ({ kind: "list", mandatory: true, good }) as const satisfies FieldRow;

const note = { kind: "text", good: "x" } as const satisfies FieldRow;
const advice = { ...note, advisory: true } as const satisfies FieldRow;
const digest = { kind: "digest", good: "A".repeat(43) } as const satisfies FieldRow;
const base64 = { kind: "base64", advisory: true, good: "AAAA" } as const satisfies FieldRow;
const base64url = { kind: "base64url", advisory: true, good: "AAAA" } as const satisfies FieldRow;
/** 8 bytes. */
const octets = { kind: "octets", advisory: true, good: "A".repeat(11) } as const satisfies FieldRow;
const bag = { kind: "count", good: 1 } as const satisfies FieldRow;
const attestation = { nonce: text("n"), attestationObject: text("a.b.c") };

type Reading = {
  [Name in EndpointName]: (typeof endpoints)[Name] extends { readonly looseBody: string } ? never : Name;
}[EndpointName];

export const REQUEST_FIELDS = {
  federatedSession: { token: text("a.b.c") },
  attestationSession: attestation,
  guestSession: attestation,
  b2bSession: { username: text("nobody"), password: text("wrong") },
  refresh: { refreshToken: text("r") },
  staffCheck: {
    "staff.id": { kind: "text", good: "1001" },
    "staff.pin": { kind: "text", good: "2468" },
    purpose: { kind: "choice", good: "set_up" },
  },
  ebtAuthorization: {
    uniqueDeviceId: id,
    nonce: text("AAAAAAAAAAAAAAAAAAAAAA"),
    operation: { kind: "choice", good: "write" },
    payloadDigest: digest,
    channelBinding: digest,
    gattVersion: { kind: "choice", good: "2.1" },
    baggageId: bag,
    forBaggageId: bag,
    tagCertificate: base64,
    tagStatement: base64url,
  },
  deviceAttachment: {
    // One of uniqueID, mac and guid must be there; with the others present each is optional.
    "device.uniqueID": { kind: "text", good: "ebt-21-0001" },
    "device.mac": { kind: "text", good: "00:11:22:33:44:55" },
    "device.guid": { kind: "text", good: "123e4567-e89b-12d3-a456-426614174000" },
    "device.ccid": advice,
    "device.tagName": advice,
    "device.phoneMac": advice,
    "device.bagTagModel": advice,
    "device.batteryPercentage": { kind: "number", advisory: true, good: 80 },
    "device.firmwareVersion": advice,
    "device.serialNumber": advice,
    baggageId: { kind: "count", mandatory: true, good: 999_999 },
    tagCertificate: base64,
    tagStatement: base64url,
    cti: octets,
  },
  ebtLookup: { uniqueDeviceId: id, forBaggageId: bag, tagCertificate: base64 },
  ebtCustodyProof: { uniqueDeviceId: id, recordLocator: text("WRONG1"), surname: text("NOBODY") },
  ebtUnlock: {
    uniqueDeviceId: id,
    forBaggageId: bag,
    tagCertificate: base64,
    tagStatement: base64url,
    cti: octets,
  },
  lockRelease: {
    uniqueDeviceId: id,
    reason: text("passenger at the desk"),
    "staff.id": { kind: "text", good: "1001" },
    "staff.pin": { kind: "text", good: "2468" },
    tagCertificate: base64,
    tagStatement: base64url,
  },
  deviceLoss: { uniqueDeviceId: id, lost: { kind: "truth", mandatory: true, good: false } },
  foundReport: {
    uniqueDeviceId: id,
    // One of these must be there; with the others present each is optional.
    airport: { kind: "choice", good: "OSL" },
    desk: { kind: "text", good: "4" },
    words: { kind: "text", good: "blue" },
    "position.latitude": { kind: "degrees", good: 60.2 },
    "position.longitude": { kind: "degrees", good: 11.1 },
    "position.accuracyMetres": { kind: "degrees", good: 12 },
  },
  bagTrace: { uniqueDeviceId: id },
  bagTraceChange: {
    uniqueDeviceId: id,
    muted: { kind: "truth", good: true },
    locationLink: { kind: "text", good: "https://share.apple.com/item/1" },
    pushEndpoint: { kind: "text", good: "" },
  },
  tracedBags: {
    uniqueDeviceId: { kind: "text", good: "ebt-21-0001" },
    cursor: { kind: "cursor", good: "a.0b" },
  },
  locationLink: { uniqueDeviceId: id },
  journeyFromRecordLocator: { recordLocator: text("WRONG1"), surname: text("NOBODY") },
  journeyFromBcbp: { scanData: text(BOARDING_PASS), airline: { kind: "text", good: "SK" } },
  journeysFromAirlinePayload: {
    airline: text("SK"),
    recordLocator: text("WRONG1"),
    flights: list([FLIGHT]),
    passengers: list([PASSENGER]),
    withdraw: { kind: "choice", good: "passengers" },
  },
  baggageSourceMessages: { message: { kind: "document", mandatory: true, good: BSM } },
  baggageTag: { lpn: { kind: "text", good: "0117123456" }, slotNumber: { kind: "count", good: 1 } },
  journeys: {},
  journey: {},
  delegation: { journeyId: text("nobodys-journey") },
  delegationClaim: { code: text("nobodys-code") },
  delegationDecision: {
    delegationId: text("nobodys"),
    confirmed: { kind: "truth", mandatory: true, good: false },
  },
  delegations: {},
  auditEvents: {
    from: { kind: "instant", good: "2026-01-01T00:00:00Z" },
    to: { kind: "instant", good: "2026-01-02T00:00:00.000Z" },
    uniqueDeviceId: { kind: "text", good: "ebt-21-0001" },
    event: note,
  },
  events: {
    from: { kind: "instant", good: "2026-01-01T00:00:00Z" },
    limit: { kind: "count", good: 1 },
  },
} as const satisfies { readonly [Name in Reading]: Fields };

export type ReadingEndpoint = keyof typeof REQUEST_FIELDS;

export type Body = { [field: string]: unknown };

export function goodBody(fields: Fields): Body {
  return Object.entries(fields).reduce<Body>((body, [name, { good }]) => withField(body, name, good), {});
}

/** `body` with the field of dotted `name` set to `value`; undefined leaves it out. */
export function withField(body: Body, name: string, value: unknown): Body {
  const [first = "", ...rest] = name.split(".");
  if (rest.length === 0) return { ...body, [first]: value };
  return { ...body, [first]: withField((body[first] ?? {}) as Body, rest.join("."), value) };
}
