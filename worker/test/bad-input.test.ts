import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { type EndpointName, type ErrorCode, endpoints, HEADER, limits } from "../../core/api/index.ts";
import { devices } from "../../db/schema.ts";
import { leavesNoTrace } from "../test-support/database.ts";
import { staffSession, type TestSession } from "../test-support/logins.ts";
import {
  BLANKS,
  type Body,
  emptyRecords,
  fieldsOf,
  goodBody,
  mandatoryOf,
  NOT_A_RECORD,
  readingEndpoints,
  tooLarge,
  withField,
  wrongValues,
} from "../test-support/request-bodies.ts";
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

async function expectRefused(
  name: EndpointName,
  body: BodyInit,
  code: ErrorCode,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const answer = await send(name, body, headers);
  expectError(answer, code);
  expect(service.log.at(-1)).toMatchObject({ status: answer.status, rowsWritten: 0 });
  return answer;
}

describe.each(readingEndpoints)("%s", (name) => {
  leavesNoTrace();

  it.each(NOT_A_RECORD)("refuses %s", async (_, body) => {
    await expectRefused(name, body, "invalid_request");
  });

  it.each([
    "text/plain",
    "text/json",
    "application/xml",
    "application/x-www-form-urlencoded",
    "application/jsonx",
    "*/*",
  ])("refuses a good body of type %s", async (type) => {
    const body = JSON.stringify(goodBody(name));
    await expectRefused(name, body, "unsupported_media_type", { "Content-Type": type });
  });

  it.each(["gzip", "br", "identity, gzip", "X-GZIP", "*"])("refuses a body encoded as %s", async (coding) => {
    const encoded = { "Content-Encoding": coding };
    const { headers } = await expectRefused(
      name,
      JSON.stringify(goodBody(name)),
      "unsupported_media_type",
      encoded,
    );
    expect(headers.get("Accept-Encoding")).toBe("identity");
  });

  it.each(tooLarge(limits[endpoints[name].maxBody]))("refuses %s", async (_, body) => {
    await expectRefused(name, body, "payload_too_large");
  });
});

it.each(readingEndpoints)(
  "%s does not find the body malformed that the cases below start from",
  async (name) => {
    const answer = await send(name, JSON.stringify(goodBody(name)));
    expect([400, 413, 415, 500, 503]).not.toContain(answer.status);
  },
);

/** What is missing of an empty body: of a device and of a find, fields as a group. */
function missingOf(name: (typeof readingEndpoints)[number]): readonly string[] {
  if (name === "deviceAttachment") return ["device", "baggageId"];
  const either = name === "foundReport" ? ["airport or desk or words or position"] : [];
  return [...mandatoryOf(name), ...either];
}

const everyField: Body = Object.assign({}, ...readingEndpoints.map(goodBody));
const recordEndpoints = readingEndpoints.filter((name) => mandatoryOf(name).length > 0);

describe.each(recordEndpoints)("%s", (name) => {
  leavesNoTrace();

  it.each(emptyRecords(everyField))("names each missing field when sent %s", async (_, body) => {
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
  ])("must name the tag, and %s does not", async (_, device) => {
    const answer = await expectRefused(
      "deviceAttachment",
      JSON.stringify({ device, baggageId: 1 }),
      "required_info_not_provided",
    );
    expect(answer.body.errors).toEqual([expect.stringMatching(/uniqueID.*mac.*guid/)]);
  });

  it("is not looked for in a prototype", async () => {
    const body = '{"device":{"__proto__":{"uniqueID":"ebt-21-0001"}},"baggageId":1}';
    await expectRefused("deviceAttachment", body, "required_info_not_provided");
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
      const plain = Object.fromEntries(
        Object.entries(goodBody(name)).filter(
          ([own]) => !["tagCertificate", "tagStatement", "cti"].includes(own),
        ),
      );
      const body = { ...plain, ...(name === "deviceAttachment" && { baggageId: 1 }), [field]: value };
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
