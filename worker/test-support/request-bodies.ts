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
/** One leg of a boarding pass of no booking: format, name, locator, flight, day, seat, no further block. */
const BOARDING_PASS = "M1MARPLE/NO           EWRONG1 OSLARNSK 9999 123Y008A0034 100";
const BSM = "BSM\n.V/1LOSL\n.F/SK9999/03MAY/ARN/Y\n.N/0117999999001\nENDBSM";
const OUTCOME = { operation: "clear", outcome: "ok", app: "edge/142", os: "android/16", milliseconds: 900 };
const FLIGHT = { carrier: "SK", number: "9999", date: TOMORROW, from: "OSL", to: "ARN" };
const PASSENGER = { surname: "MARPLE", givenName: "NO" };
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
  b2bSession: { username: text("unknown"), password: text("wrong") },
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
  ebtCustodyProof: { uniqueDeviceId: id, recordLocator: text("WRONG1"), surname: text("MARPLE") },
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
  outcomes: { outcomes: list([OUTCOME]) },
  bagTrace: { uniqueDeviceId: id },
  bagTraceChange: {
    uniqueDeviceId: id,
    muted: { kind: "truth", good: true },
    locationLink: { kind: "text", good: "https://share.apple.com/item/1" },
    pushEndpoint: { kind: "text", good: "" },
    remindToClear: { kind: "truth", good: true },
  },
  tracedBags: {
    uniqueDeviceId: { kind: "text", good: "ebt-21-0001" },
    cursor: { kind: "cursor", good: "a.0b" },
  },
  locationLink: { uniqueDeviceId: id },
  journeyFromRecordLocator: { recordLocator: text("WRONG1"), surname: text("MARPLE") },
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
  delegation: { journeyId: text("unknown-journey") },
  delegationClaim: { code: text("unknown-code") },
  delegationDecision: {
    delegationId: text("unknown"),
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

/** Ways to leave a mandatory field out. */
export const BLANKS: readonly (readonly [name: string, value: unknown])[] = [
  ["absent", undefined],
  ["null", null],
  ["empty", ""],
  ["blank", " \t\r\n"],
];

type Named = readonly [name: string, value: unknown];

/** Values of other types; what makes a text of its kind is tested with the kinds (core/api/fields.test.ts). */
const NOT_TEXT: readonly Named[] = [
  ["a number", 7],
  ["true", true],
  ["an array of text", ["x"]],
  ["a record that looks like text", { length: 1, toString: "x", valueOf: "x" }],
  // In a body that is not too large.
  ["an endless text", "A".repeat(15_500)],
];
const NOT_A_NUMBER: readonly Named[] = [
  ["a text of digits", "1"],
  ["true", true],
  ["an array of it", [1]],
  ["a number beyond all integers", 1e300],
];
const NOT_AN_INTEGER: readonly Named[] = [...NOT_A_NUMBER, ["a fraction", 1.5]];

const WRONG: Readonly<Record<FieldRow["kind"], readonly Named[]>> = {
  text: NOT_TEXT,
  // As long as the body may be.
  document: NOT_TEXT.slice(0, -1),
  list: [
    ["a text", "x"],
    ["true", true],
    ["a record that looks like a list", { 0: {}, length: 1 }],
    ["an empty list", []],
    ["a list of a list", [[]]],
    ["a list of an empty record", [{}]],
    ["a list of 5,000 numbers", Array(5_000).fill(1)],
  ],
  number: NOT_AN_INTEGER,
  count: [...NOT_AN_INTEGER, ["zero", 0]],
  degrees: NOT_A_NUMBER,
  choice: [...NOT_TEXT, ["capitals", "WRITE"], ["a neighbour", "2.2"], ["a member", "toString"]],
  truth: [
    ["the word", "true"],
    ["one", 1],
    ["an array of it", [true]],
  ],
  instant: [...NOT_TEXT, ["a day", "2026-01-01"]],
  cursor: [...NOT_TEXT, ["one part", "a"]],
  digest: [...NOT_TEXT, ["42 characters", "A".repeat(42)]],
  octets: [...NOT_TEXT, ["10 characters", "A".repeat(10)]],
  base64url: [...NOT_TEXT, ["another alphabet", "A+/A"]],
  base64: [...NOT_TEXT, ["another alphabet", "A_-A"]],
};

/** Every wrong value of every field, of those that are `advisory` or of the others: its name, what is wrong, the value. */
export function wrongValues(
  fields: Fields,
  isAdvisory = false,
): readonly (readonly [field: string, wrong: string, value: unknown])[] {
  return Object.entries(fields).flatMap(([field, { kind, advisory = false }]) => {
    if (advisory !== isAdvisory) return [];
    return WRONG[kind].map(([wrong, value]) => [field, wrong, value] as const);
  });
}

/** Bodies that are not one JSON record. */
export const NOT_A_RECORD: readonly (readonly [name: string, body: BodyInit])[] = [
  ["half a record", '{"uniqueDeviceId":'],
  ["a record and more", "{} {}"],
  ["a record with a trailing comma", '{"nonce":"n",}'],
  ["a record in single quotes", "{'nonce':'n'}"],
  ["a record after two byte order marks", "\ufeff\ufeff{}"],
  ["a record in UTF-16", new Uint8Array([0xff, 0xfe, 0x7b, 0, 0x7d, 0])],
  ["bytes that are not UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ["a form", "nonce=n&attestationObject=a"],
  ["XML", "<nonce>n</nonce>"],
  ["an empty array", "[]"],
  ["an array of a record", "[{}]"],
  ["a number", "7"],
  ["a number out of range", "1e400"],
  ["a text", '"{}"'],
  ["true", "true"],
  ["NaN", "NaN"],
  ["8,000 brackets", "[".repeat(8_000)],
  ["4,000 brackets and their ends", `${"[".repeat(4_000)}${"]".repeat(4_000)}`],
];

/** Bodies over `limit` bytes. */
export const tooLarge = (limit: number): readonly (readonly [name: string, body: string])[] => [
  ["1 MB of text in an unknown field", `{"padding":"${"x".repeat(1_000_000)}"}`],
  ["1 MB of spaces", " ".repeat(1_000_000)],
  ["1 MB of brackets", "[".repeat(1_000_000)],
  ["one byte over the limit", `${" ".repeat(limit - 1)}{}`],
];

/** Records without any field an endpoint knows; `fields` are right, but where only a careless reader finds them. */
export function emptyRecords(fields: unknown): readonly (readonly [name: string, body: string])[] {
  const hidden = JSON.stringify(fields);
  return [
    ["an empty record", "{}"],
    ["white space", " \r\n\t"],
    ["unknown fields", '{"a":1,"b":[],"c":{"d":null}}'],
    ["keys in another case", '{"UNIQUEDEVICEID":"x","Nonce":"x","TOKEN":"x"}'],
    ["keys with spaces", '{" nonce":"x","uniqueDeviceId ":"x"}'],
    ["everything under the prototype's key", `{"__proto__":${hidden}}`],
    ["everything under the constructor's prototype", `{"constructor":{"prototype":${hidden}}}`],
    ["a nesting of 1,000 records", `${'{"a":'.repeat(1_000)}1${"}".repeat(1_000)}`],
  ];
}
