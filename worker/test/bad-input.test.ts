import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { type EndpointName, type ErrorCode, endpoints, HEADER } from "../../core/api/index.ts";
import { devices } from "../../db/schema.ts";
import { leavesNoTrace } from "../test-support/database.ts";
import { TOMORROW } from "../test-support/days.ts";
import { staffSession, type TestSession } from "../test-support/logins.ts";
import {
  type Answer,
  expectError,
  KIOSK_KEY,
  PASSENGER_KEY,
  STAFF_LOGIN,
  startService,
  type TestService,
} from "../test-support/service.ts";

/** Bodies no client should send: each is answered as the contract says, and leaves every table as it was. */

type Named = readonly [name: string, value: unknown];

/** Values of other types; what makes a text of its kind is tested with the kinds (core/api/parse.test.ts). */
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
const NOT_A_LIST: readonly Named[] = [
  ["a text", "x"],
  ["true", true],
  ["a record that looks like a list", { 0: {}, length: 1 }],
  ["an empty list", []],
  ["a list of a list", [[]]],
  ["a list of an empty record", [{}]],
  ["a list of 5,000 numbers", Array(5_000).fill(1)],
];

interface Kind {
  /** By dotted name. */
  readonly fields: string;
  /** A value that is right for all of them, unless `GOOD` has another. */
  readonly good: unknown;
  readonly wrong: readonly Named[];
  /** A wrong value counts as absent. */
  readonly isAdvisory?: true;
}

/** What each field may be, written down from the interface and not derived from the schemas that are tested. */
const KINDS: readonly Kind[] = [
  {
    fields: `uniqueDeviceId nonce attestationObject token username password refreshToken staff.id staff.pin
      device.uniqueID device.mac device.guid recordLocator surname reason desk words locationLink pushEndpoint
      scanData airline lpn journeyId code delegationId event`,
    good: "unknown",
    wrong: NOT_TEXT,
  },
  {
    fields: `device.ccid device.tagName device.phoneMac device.bagTagModel device.firmwareVersion
      device.serialNumber`,
    good: "x",
    wrong: NOT_TEXT,
    isAdvisory: true,
  },
  // As long as the body may be.
  { fields: "message", good: undefined, wrong: NOT_TEXT.slice(0, -1) },
  { fields: "outcomes flights passengers", good: undefined, wrong: NOT_A_LIST },
  { fields: "device.batteryPercentage", good: 80, wrong: NOT_AN_INTEGER, isAdvisory: true },
  {
    fields: "baggageId forBaggageId slotNumber limit",
    good: 1,
    wrong: [...NOT_AN_INTEGER, ["zero", 0]],
  },
  {
    fields: "position.latitude position.longitude position.accuracyMetres",
    good: 12.5,
    wrong: NOT_A_NUMBER,
  },
  {
    fields: "purpose operation gattVersion airport withdraw",
    good: undefined,
    wrong: [...NOT_TEXT, ["capitals", "WRITE"], ["a neighbour", "2.2"], ["a member", "toString"]],
  },
  {
    fields: "lost muted remindToClear confirmed",
    good: false,
    wrong: [
      ["the word", "true"],
      ["one", 1],
      ["an array of it", [true]],
    ],
  },
  { fields: "from to", good: "2026-01-01T00:00:00.000Z", wrong: [...NOT_TEXT, ["a day", "2026-01-01"]] },
  { fields: "cursor", good: "a.0b", wrong: [...NOT_TEXT, ["one part", "a"]] },
  {
    fields: "payloadDigest channelBinding",
    good: "A".repeat(43),
    wrong: [...NOT_TEXT, ["42 characters", "A".repeat(42)]],
  },
  {
    fields: "cti",
    // 8 bytes.
    good: "A".repeat(11),
    wrong: [...NOT_TEXT, ["10 characters", "A".repeat(10)]],
    isAdvisory: true,
  },
  {
    fields: "tagStatement",
    good: "AAAA",
    wrong: [...NOT_TEXT, ["another alphabet", "A+/A"]],
    isAdvisory: true,
  },
  {
    fields: "tagCertificate",
    good: "AAAA",
    wrong: [...NOT_TEXT, ["another alphabet", "A_-A"]],
    isAdvisory: true,
  },
];

const GOOD: Readonly<Record<string, unknown>> = {
  uniqueDeviceId: "ebt-21-0001",
  "device.uniqueID": "ebt-21-0001",
  baggageId: 999_999,
  purpose: "set_up",
  operation: "write",
  gattVersion: "2.1",
  airport: "OSL",
  withdraw: "passengers",
  recordLocator: "WRONG1",
  airline: "SK",
  lpn: "0117123456",
  locationLink: "https://share.apple.com/item/1",
  pushEndpoint: "",
  /** One leg of a boarding pass of no booking: format, name, locator, flight, day, seat, no further block. */
  scanData: "M1MARPLE/NO           EWRONG1 OSLARNSK 9999 123Y008A0034 100",
  outcomes: [{ operation: "clear", outcome: "ok", app: "edge/142", os: "android/16", milliseconds: 900 }],
  flights: [{ carrier: "SK", number: "9999", date: TOMORROW, from: "OSL", to: "ARN" }],
  passengers: [{ surname: "MARPLE", givenName: "NO" }],
  message: "BSM\n.V/1LOSL\n.F/SK9999/03MAY/ARN/Y\n.N/0117999999001\nENDBSM",
};

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
  deviceLoss: "uniqueDeviceId! lost! staff.id staff.pin",
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

const readingEndpoints = Object.keys(REQUESTS) as Reading[];

/** The fields of an endpoint, and those of them that must be there. */
const fieldsOf = (name: Reading) => REQUESTS[name].match(/[\w.]+/g) ?? [];
const mandatoryOf = (name: Reading) => REQUESTS[name].match(/[\w.]+(?=!)/g) ?? [];

function kindOf(field: string): Kind {
  const kind = KINDS.find(({ fields }) => fields.split(/\s+/).includes(field));
  if (kind === undefined) throw new Error(`${field} is of no kind`);
  return kind;
}

type Body = { [field: string]: unknown };

/** `body` with the field of dotted `name` set to `value`; undefined leaves it out. */
function withField(body: Body, name: string, value: unknown): Body {
  const [first = "", ...rest] = name.split(".");
  if (rest.length === 0) return { ...body, [first]: value };
  return { ...body, [first]: withField((body[first] ?? {}) as Body, rest.join("."), value) };
}

const goodBody = (name: Reading): Body =>
  fieldsOf(name).reduce<Body>((body, field) => withField(body, field, GOOD[field] ?? kindOf(field).good), {});

/** Every wrong value of an endpoint's fields, of the advisory ones or of the others: name, what is wrong, value. */
const wrongValues = (name: Reading, isAdvisory?: true) =>
  fieldsOf(name)
    .filter((field) => kindOf(field).isAdvisory === isAdvisory)
    .flatMap((field) => kindOf(field).wrong.map(([wrong, value]) => [field, wrong, value] as const));

let service: TestService;
let session: TestSession;

beforeAll(async () => {
  service = await startService();
  session = await staffSession(service);
});

/** Everything but the body is in order: a client that may use the endpoint, and a session with every scope. */
function headersFor(name: EndpointName): Record<string, string> {
  if (endpoints[name].security === "bearer") {
    return { [HEADER.clientKey]: KIOSK_KEY, Authorization: `Bearer ${session.accessToken}` };
  }
  if (name === "b2bSession") return STAFF_LOGIN;
  return { [HEADER.clientKey]: PASSENGER_KEY };
}

function send(name: EndpointName, body: BodyInit, headers: Record<string, string> = {}): Promise<Answer> {
  const path = endpoints[name].path.replace("{journeyId}", "demo-journey-1");
  const json = { "Content-Type": "application/json" };
  return service.fetch(path, { method: "POST", headers: { ...json, ...headersFor(name), ...headers }, body });
}

async function expectRefused(name: EndpointName, body: BodyInit, code: ErrorCode): Promise<Answer> {
  const answer = await send(name, body);
  expectError(answer, code);
  expect(service.log.at(-1)).toMatchObject({ status: answer.status, rowsWritten: 0 });
  return answer;
}

it.each(readingEndpoints)(
  "%s does not find the body malformed that the cases below start from",
  async (name) => {
    const answer = await send(name, JSON.stringify(goodBody(name)));
    expect([400, 413, 415, 500, 503]).not.toContain(answer.status);
  },
);

/** Ways to leave a mandatory field out. */
const BLANKS: readonly Named[] = [
  ["absent", undefined],
  ["null", null],
  ["empty", ""],
  ["blank", " \t\r\n"],
];

/** What is missing of an empty body: of a device and of a find, fields as a group. */
function missingOf(name: Reading): readonly string[] {
  if (name === "deviceAttachment") return ["device", "baggageId"];
  const either = name === "foundReport" ? ["airport or desk or words or position"] : [];
  return [...mandatoryOf(name), ...either];
}

/** Fields that are right, where only a careless reader finds them. */
const hidden = JSON.stringify(Object.assign({}, ...readingEndpoints.map(goodBody)));
const recordEndpoints = readingEndpoints.filter((name) => mandatoryOf(name).length > 0);

describe.each(recordEndpoints)("%s", (name) => {
  leavesNoTrace();

  it.each([
    ["an empty record", "{}"],
    ["white space", " \r\n\t"],
    ["unknown fields", '{"a":1,"b":[],"c":{"d":null}}'],
    ["keys in another case", '{"UNIQUEDEVICEID":"x","Nonce":"x","TOKEN":"x"}'],
    ["keys with spaces", '{" nonce":"x","uniqueDeviceId ":"x"}'],
    ["everything under the prototype's key", `{"__proto__":${hidden}}`],
    ["everything under the constructor's prototype", `{"constructor":{"prototype":${hidden}}}`],
    ["a nesting of 1,000 records", `${'{"a":'.repeat(1_000)}1${"}".repeat(1_000)}`],
  ])("names each missing field when sent %s", async (_, body) => {
    const { body: answer } = await expectRefused(name, body, "required_info_not_provided");
    const missing = missingOf(name);
    expect(answer.errors).toEqual(missing.map((field) => expect.stringContaining(field)));
    for (const field of missing) expect(answer.message).toContain(field);
  });

  const blanks = missingOf(name)
    .filter((field) => !field.includes(" "))
    .flatMap((field) => BLANKS.map(([blank, value]) => [field, blank, value] as const));

  it.each(blanks)("names %s when it is %s", async (field, _, value) => {
    const body = JSON.stringify(withField(goodBody(name), field, value));
    const { body: answer } = await expectRefused(name, body, "required_info_not_provided");
    expect(answer.errors).toEqual([expect.stringContaining(field)]);
    expect(answer.message).toContain(field);
  });

  it.each(wrongValues(name))("refuses as %s: %s", async (field, _, value) => {
    const body = JSON.stringify(withField(goodBody(name), field, value));
    const { body: answer } = await expectRefused(name, body, "invalid_request");
    expect(answer.errors).not.toEqual([]);
    for (const error of answer.errors) expect(error).toContain(field);
    expect(answer.message).toContain(field);
  });

  it("never repeats what it was sent, nor writes it to the log", async () => {
    const wrong = fieldsOf(name).reduce<Body>((body, field) => withField(body, field, ["SE-CRET"]), {});
    const answer = await expectRefused(name, JSON.stringify({ ...wrong, "SE-CRET": 1 }), "invalid_request");
    expect(answer.text).not.toContain("SE-CRET");
    expect(JSON.stringify(service.log)).not.toContain("SE-CRET");
  });
});

describe("the device of an attachment", () => {
  leavesNoTrace();

  it.each<[string, unknown]>([
    ["an empty record", {}],
    ["no identity but a serial number", { serialNumber: "x" }],
    ["identities that are null or blank", { uniqueID: null, mac: "", guid: " " }],
    ["an identity in another case", { uniqueid: "x", MAC: "x" }],
    ["an identity one level deeper", { device: { uniqueID: "x" } }],
    ["an identity in a prototype", JSON.parse('{"__proto__":{"uniqueID":"ebt-21-0001"}}')],
  ])("must name the tag, and %s does not", async (_, device) => {
    const answer = await expectRefused(
      "deviceAttachment",
      JSON.stringify({ device, baggageId: 1 }),
      "required_info_not_provided",
    );
    expect(answer.body.errors).toEqual([expect.stringMatching(/uniqueID.*mac.*guid/)]);
  });

  it.each<[string, unknown]>([
    ["a text", "ebt-21-0001"],
    ["a number", 7],
    ["true", true],
    ["an array", []],
    ["an array of a device", [{ uniqueID: "ebt-21-0001" }]],
  ])("is a record, and not %s", async (_, device) => {
    await expectRefused("deviceAttachment", JSON.stringify({ device, baggageId: 1 }), "invalid_request");
  });
});

describe("an advisory field of an attachment", () => {
  const ofDevice = wrongValues("deviceAttachment", true).filter(([field]) => field.startsWith("device."));
  it.each(ofDevice)("is cut or counts as absent, here %s as %s", async (field, wrong, value) => {
    const uniqueID = `${field} ${wrong}`;
    const name = field.replace("device.", "");
    const device = { uniqueID, ...{ ccid: "1", tagName: "2" }, [name]: value };
    const answer = await session.call("deviceAttachment", { device, baggageId: 1 });
    expect([answer.status, answer.body.uniqueDeviceId]).toEqual([200, uniqueID]);
    const { [name]: _, ...others } = { ccid: "1", tagName: "2" } as Record<string, string>;
    const cut = typeof value === "string" ? value.slice(0, name === "serialNumber" ? 64 : 40) : undefined;
    const isKept = cut !== undefined && !["phoneMac", "batteryPercentage"].includes(name);
    const [row] = await service.db.select().from(devices).where(eq(devices.id, uniqueID.toLowerCase()));
    expect(row?.model).toEqual({ ...others, ...(isKept && { [name]: cut }) });
  });
});

/** A malformed statement must not stop the report of a write, which has happened. */
const REPORTS = ["ebtAuthorization", "deviceAttachment", "ebtLookup", "ebtUnlock", "lockRelease"] as const;
describe.each(REPORTS)("what %s carries of the tag", (name) => {
  it.each(wrongValues(name, true).filter(([field]) => !field.startsWith("device.")))(
    "counts as absent: %s as %s",
    async (field, _, value) => {
      const bag = name === "deviceAttachment" ? { baggageId: 1 } : {};
      const body = withField({ ...goodBody(name), ...bag }, field, value);
      expect([400, 413, 415, 500, 503]).not.toContain((await send(name, JSON.stringify(body))).status);
    },
  );
});

describe.each(["nonce", "deviceClientCertificate"] as const)("%s takes no body", (name) => {
  it.each<[string, string, BodyInit]>([
    ["text that is not JSON", "text/plain", "{"],
    ["an array", "application/json", "[]"],
    ["a form", "multipart/form-data; boundary=x", "--x--"],
    ["1 MB", "application/octet-stream", new Uint8Array(1_000_000)],
  ])("and does not look at %s", async (_, type, body) => {
    expect((await send(name, body, { "Content-Type": type })).status).toBe(200);
  });
});
