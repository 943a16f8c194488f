import type { EndpointName, endpoints } from "../../core/api/index.ts";
import { TOMORROW } from "./days.ts";

/** What each endpoint takes, written down from the interface and not derived from the schemas it is to test. */

const BSM = "BSM\n.V/1LOSL\n.F/SK9999/03MAY/ARN/Y\n.N/0117999999001\nENDBSM";
const OUTCOME = { operation: "clear", outcome: "ok", app: "edge/142", os: "android/16", milliseconds: 900 };
const FLIGHT = { carrier: "SK", number: "9999", date: TOMORROW, from: "OSL", to: "ARN" };

/** Fields by dotted name: what each may be, and a value that is right. */
const FIELDS = {
  uniqueDeviceId: ["text", "ebt-21-0001"],
  baggageId: ["count", 999_999],
  forBaggageId: ["count", 1],
  nonce: ["text", "AAAAAAAAAAAAAAAAAAAAAA"],
  attestationObject: ["text", "a.b.c"],
  token: ["text", "a.b.c"],
  username: ["text", "unknown"],
  password: ["text", "wrong"],
  refreshToken: ["text", "r"],
  "staff.id": ["text", "1001"],
  "staff.pin": ["text", "2468"],
  purpose: ["choice", "set_up"],
  operation: ["choice", "write"],
  payloadDigest: ["digest", "A".repeat(43)],
  channelBinding: ["digest", "A".repeat(43)],
  gattVersion: ["choice", "2.1"],
  tagCertificate: ["base64", "AAAA"],
  tagStatement: ["base64url", "AAAA"],
  /** 8 bytes. */
  cti: ["octets", "A".repeat(11)],
  "device.uniqueID": ["text", "ebt-21-0001"],
  "device.mac": ["text", "00:11:22:33:44:55"],
  "device.guid": ["text", "123e4567-e89b-12d3-a456-426614174000"],
  "device.ccid": ["note", "x"],
  "device.tagName": ["note", "x"],
  "device.phoneMac": ["note", "x"],
  "device.bagTagModel": ["note", "x"],
  "device.batteryPercentage": ["level", 80],
  "device.firmwareVersion": ["note", "x"],
  "device.serialNumber": ["note", "x"],
  recordLocator: ["text", "WRONG1"],
  surname: ["text", "MARPLE"],
  reason: ["text", "passenger at the desk"],
  lost: ["truth", false],
  airport: ["choice", "OSL"],
  desk: ["text", "4"],
  words: ["text", "blue"],
  "position.latitude": ["degrees", 60.2],
  "position.longitude": ["degrees", 11.1],
  "position.accuracyMetres": ["degrees", 12],
  outcomes: ["list", [OUTCOME]],
  muted: ["truth", true],
  locationLink: ["text", "https://share.apple.com/item/1"],
  pushEndpoint: ["text", ""],
  remindToClear: ["truth", true],
  cursor: ["cursor", "a.0b"],
  /** One leg of a boarding pass of no booking: format, name, locator, flight, day, seat, no further block. */
  scanData: ["text", "M1MARPLE/NO           EWRONG1 OSLARNSK 9999 123Y008A0034 100"],
  airline: ["text", "SK"],
  flights: ["list", [FLIGHT]],
  passengers: ["list", [{ surname: "MARPLE", givenName: "NO" }]],
  withdraw: ["choice", "passengers"],
  message: ["document", BSM],
  lpn: ["text", "0117123456"],
  slotNumber: ["count", 1],
  journeyId: ["text", "unknown-journey"],
  code: ["text", "unknown-code"],
  delegationId: ["text", "unknown"],
  confirmed: ["truth", false],
  from: ["instant", "2026-01-01T00:00:00Z"],
  to: ["instant", "2026-01-02T00:00:00.000Z"],
  event: ["text", "x"],
  limit: ["count", 1],
} as const;

/** Kinds of which a wrong value counts as absent. */
const ADVISORY: readonly string[] = ["note", "level", "base64", "base64url", "octets"];

type Field = keyof typeof FIELDS;
type Reading = {
  [Name in EndpointName]: (typeof endpoints)[Name] extends { readonly looseBody: string } ? never : Name;
}[EndpointName];

/** What each endpoint takes; a mark is behind the name of what must be there. */
const REQUESTS: { readonly [Name in Reading]: string } = {
  federatedSession: "token!",
  attestationSession: "nonce! attestationObject!",
  guestSession: "nonce! attestationObject!",
  b2bSession: "username! password!",
  refresh: "refreshToken!",
  staffCheck: "staff.id staff.pin purpose",
  ebtAuthorization: `uniqueDeviceId! nonce! operation payloadDigest channelBinding gattVersion
    baggageId forBaggageId tagCertificate tagStatement`,
  // One of uniqueID, mac and guid must be there; with the others present each is optional.
  deviceAttachment: `device.uniqueID device.mac device.guid device.ccid device.tagName device.phoneMac
    device.bagTagModel device.batteryPercentage device.firmwareVersion device.serialNumber
    baggageId! tagCertificate tagStatement cti`,
  ebtLookup: "uniqueDeviceId! forBaggageId tagCertificate",
  ebtCustodyProof: "uniqueDeviceId! recordLocator! surname!",
  ebtUnlock: "uniqueDeviceId! forBaggageId tagCertificate tagStatement cti",
  lockRelease: "uniqueDeviceId! reason! staff.id staff.pin tagCertificate tagStatement",
  deviceLoss: "uniqueDeviceId! lost!",
  // One of these must be there; with the others present each is optional.
  foundReport: `uniqueDeviceId! airport desk words
    position.latitude position.longitude position.accuracyMetres`,
  outcomes: "outcomes!",
  bagTrace: "uniqueDeviceId!",
  bagTraceChange: "uniqueDeviceId! muted locationLink pushEndpoint remindToClear",
  tracedBags: "uniqueDeviceId cursor",
  locationLink: "uniqueDeviceId!",
  journeyFromRecordLocator: "recordLocator! surname!",
  journeyFromBcbp: "scanData! airline",
  journeysFromAirlinePayload: "airline! recordLocator! flights! passengers! withdraw",
  baggageSourceMessages: "message!",
  baggageTag: "lpn slotNumber",
  journeys: "",
  journey: "",
  delegation: "journeyId!",
  delegationClaim: "code!",
  delegationDecision: "delegationId! confirmed!",
  delegations: "",
  auditEvents: "from to uniqueDeviceId event",
  events: "from limit",
};

export const readingEndpoints = Object.keys(REQUESTS) as Reading[];

/** The fields of an endpoint, or those that must be there. */
const wordsOf = (name: Reading) => REQUESTS[name].split(/\s+/).filter(Boolean);
export const fieldsOf = (name: Reading) => wordsOf(name).map((field) => field.replace("!", "") as Field);
export const mandatoryOf = (name: Reading) =>
  wordsOf(name).flatMap((field) => (field.endsWith("!") ? [field.slice(0, -1)] : []));

export type Body = { [field: string]: unknown };

export const goodBody = (name: Reading): Body =>
  fieldsOf(name).reduce<Body>((body, field) => withField(body, field, FIELDS[field][1]), {});

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

const WRONG: Readonly<Record<(typeof FIELDS)[Field][0], readonly Named[]>> = {
  text: NOT_TEXT,
  note: NOT_TEXT,
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
  level: NOT_AN_INTEGER,
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

/** Every wrong value of an endpoint's fields, of the advisory ones or of the others: name, what is wrong, value. */
export const wrongValues = (name: Reading, isAdvisory = false) =>
  fieldsOf(name).flatMap((field) => {
    const [kind] = FIELDS[field];
    if (ADVISORY.includes(kind) !== isAdvisory) return [];
    return WRONG[kind].map(([wrong, value]) => [field as string, wrong, value] as const);
  });

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
