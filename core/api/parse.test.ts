import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { Theme } from "./configuration.ts";
import {
  advisory,
  base64Text,
  base64UrlText,
  cutText,
  day,
  digest32,
  instant,
  int32,
  octets8,
} from "./fields.ts";
import {
  AuditEventsRequest,
  DeviceAttachmentRequest,
  EbtAuthorizationRequest,
  EbtCustodyProofRequest,
  EbtLockLookupResponse,
  EbtUnlockResponse,
  JourneysFromAirlinePayloadRequest,
  parseAnswer,
  parseBody,
} from "./index.ts";
import { BaggageTagRequest } from "./journeys.ts";
import { TracedBagsRequest } from "./traces.ts";

const digest = "A".repeat(43);

describe("parseBody", () => {
  it("returns the record and drops what the contract does not know", () => {
    expect(
      parseBody(EbtAuthorizationRequest, {
        uniqueDeviceId: "ebt",
        nonce: "n",
        surplus: 1,
      }),
    ).toEqual({
      ok: true,
      value: { uniqueDeviceId: "ebt", nonce: "n" },
    });
  });

  it("names the first of many wrong items and no more", () => {
    const flights = Array.from({ length: 5_000 }, () => 0);
    const parsed = parseBody(JourneysFromAirlinePayloadRequest, {
      airline: "SK",
      recordLocator: "ABC123",
      flights,
      passengers: [{ surname: "A", givenName: "B" }],
    });
    expect(!parsed.ok && [parsed.fields.length, parsed.errors.length, parsed.fields[0]]).toEqual([
      20,
      20,
      "flights.0",
    ]);
  });

  it("says in words what each field must be", () => {
    const parsed = parseBody(JourneysFromAirlinePayloadRequest, {
      airline: "SK",
      recordLocator: "ab",
      flights: [
        { carrier: "SK", number: 1, date: "tomorrow", from: "OSL", to: "CPH", scheduledArrival: "noon" },
      ],
      passengers: [
        { surname: "A" },
        { surname: "A".repeat(65), givenName: "B", baggage: [{ licencePlate: "0117000001", flags: 1.5 }] },
        { surname: "A", givenName: "B", baggage: [{ licencePlate: "0117000002", flags: 4 }] },
      ],
      withdraw: "all",
    });
    expect(!parsed.ok && parsed.errors).toEqual([
      "recordLocator must be of the form [A-Z0-9]{5,8}",
      "flights.0.number must be text",
      "flights.0.date must be a day such as 2027-03-13",
      "flights.0.scheduledArrival must be an instant such as 2027-03-13T12:00:00Z",
      "passengers.0.givenName must be there",
      "passengers.1.surname must be text of 64 characters or fewer",
      "passengers.1.baggage.0.flags must be a whole number",
      "passengers.2.baggage.0.flags must be 3 or less",
      'withdraw must be ("passengers" | "booking")',
    ]);
    const none = { airline: "SK", recordLocator: "ABC123", flights: [], passengers: [{}] };
    expect(parseBody(JourneysFromAirlinePayloadRequest, none)).toMatchObject({
      errors: [
        "flights must be a list of 1 or more",
        "passengers.0.surname must be there",
        "passengers.0.givenName must be there",
      ],
    });
  });

  it.each(["2026-13-01T00:00:00Z", "2026-01-01T00:00:00+05", "2026-01-01"])(
    "takes %s for no instant",
    (from) => {
      expect(parseBody(AuditEventsRequest, { from })).toMatchObject({ ok: false, fields: ["from"] });
    },
  );

  it("keeps text exactly as sent", () => {
    const parsed = parseBody(EbtAuthorizationRequest, {
      uniqueDeviceId: " Ebt ",
      nonce: "n",
    });
    expect(parsed).toMatchObject({
      ok: true,
      value: { uniqueDeviceId: " Ebt " },
    });
  });

  it("takes null for an absent optional field", () => {
    const parsed = parseBody(EbtAuthorizationRequest, {
      uniqueDeviceId: "e",
      nonce: "n",
      payloadDigest: null,
    });
    expect(parsed).toEqual({
      ok: true,
      value: { uniqueDeviceId: "e", nonce: "n" },
    });
  });

  it("takes null for an absent optional field of an item, too", () => {
    const leg = { carrier: "SK", number: "1", date: "2026-05-03", from: "OSL", to: "ARN" };
    const parsed = parseBody(JourneysFromAirlinePayloadRequest, {
      airline: "SK",
      recordLocator: "ABC123",
      flights: [{ ...leg, scheduledDeparture: null }],
      passengers: [{ surname: "A", givenName: "B" }],
    });
    expect(parsed).toMatchObject({ ok: true, value: { flights: [leg] } });
  });

  it.each([
    ["absent", {}],
    ["null", { uniqueDeviceId: null, recordLocator: null, surname: null }],
    ["blank", { uniqueDeviceId: "", recordLocator: " ", surname: "\t" }],
  ])("names every mandatory field that is %s", (_, body) => {
    expect(parseBody(EbtCustodyProofRequest, body)).toEqual({
      ok: false,
      code: "required_info_not_provided",
      fields: ["uniqueDeviceId", "recordLocator", "surname"],
      errors: ["uniqueDeviceId is required", "recordLocator is required", "surname is required"],
    });
  });

  it.each([
    ["none", {}],
    ["null", { uniqueID: null }],
    ["only blank", { mac: "", ccid: "x" }],
  ])("asks for one identity of the device when there is %s", (_, device) => {
    expect(parseBody(DeviceAttachmentRequest, { device, baggageId: 1 })).toMatchObject({
      ok: false,
      code: "required_info_not_provided",
      fields: ["device.uniqueID or device.mac or device.guid"],
    });
  });

  it("names a missing record once, not its inner fields", () => {
    expect(parseBody(DeviceAttachmentRequest, {})).toMatchObject({
      fields: ["device", "baggageId"],
    });
  });

  it.each([
    ["zero", { device: { mac: "m" }, baggageId: 0 }, "baggageId"],
    ["a fraction", { device: { mac: "m" }, baggageId: 1.5 }, "baggageId"],
    ["beyond int32", { device: { mac: "m" }, baggageId: 2 ** 31 }, "baggageId"],
    ["text", { device: { mac: "m" }, baggageId: "1" }, "baggageId"],
    ["an array", { device: [], baggageId: 1 }, "device"],
    ["a number", { device: { mac: 7 }, baggageId: 1 }, "device.mac"],
    ["too long", { device: { mac: "m".repeat(129) }, baggageId: 1 }, "device.mac"],
  ])("refuses %s where the record wants something else", (_, body, field) => {
    expect(parseBody(DeviceAttachmentRequest, body)).toMatchObject({
      ok: false,
      code: "invalid_request",
      fields: [field],
    });
  });

  it.each([["text"], [7], [[]], [null], [undefined]])("refuses a body that is %j", (body) => {
    expect(parseBody(EbtCustodyProofRequest, body)).toMatchObject({
      code: "invalid_request",
      fields: ["body"],
    });
  });

  it("survives a body of nothing but brackets", () => {
    const nested = JSON.parse(`${"[".repeat(8_000)}${"]".repeat(8_000)}`);
    expect(
      parseBody(EbtCustodyProofRequest, { uniqueDeviceId: nested, recordLocator: "r", surname: "s" }),
    ).toMatchObject({
      code: "invalid_request",
      fields: ["uniqueDeviceId"],
    });
  });

  it("never repeats what it refuses", () => {
    const body = {
      uniqueDeviceId: "e",
      nonce: "n",
      payloadDigest: `${digest}SECRET`,
    };
    expect(JSON.stringify(parseBody(EbtAuthorizationRequest, body))).not.toContain("SECRET");
  });
});

describe("parseAnswer", () => {
  const answer = { uniqueDeviceId: "ebt", locked: false };

  it("returns the record, drops what it does not know, and takes null for absent", () => {
    expect(parseAnswer(EbtUnlockResponse, { ...answer, surplus: 1 })).toEqual({ ok: true, value: answer });
    expect(parseAnswer(EbtLockLookupResponse, { locked: true, lost: null })).toEqual({
      ok: true,
      value: { locked: true },
    });
  });

  it.each([
    ["a wrong field", { ...answer, locked: "yes" }, ["locked"]],
    ["no field at all", {}, ["uniqueDeviceId", "locked"]],
    ["a list", [], ["body"]],
    ["nothing", undefined, ["body"]],
  ])("of %s names the fields", (_, value, fields) => {
    expect(parseAnswer(EbtUnlockResponse, value)).toEqual({ ok: false, fields });
  });
});

const plate = (lpn: string) => v.is(BaggageTagRequest, { lpn });
const cursor = (text: string) => v.is(TracedBagsRequest, { cursor: text });
const logo = (text: string) => v.is(Theme, { logo: text });
const is = (schema: v.GenericSchema<unknown, unknown>) => (text: string) => v.is(schema, text);

describe.each<[string, (text: string) => boolean, readonly string[], readonly string[]]>([
  [
    "32 bytes in base64url",
    is(digest32),
    ["A".repeat(43), `${"-".repeat(42)}8`, `${"_".repeat(42)}A`],
    // The last character carries four bits: the other two of it would be a second spelling.
    [
      "A".repeat(42),
      "A".repeat(44),
      `${"A".repeat(42)}B`,
      `${"A".repeat(42)}9`,
      `${"A".repeat(43)}=`,
      `+${"A".repeat(42)}`,
      `${"A".repeat(43)}\n`,
    ],
  ],
  [
    "8 bytes in base64url",
    is(octets8),
    ["A".repeat(11)],
    ["A".repeat(10), "A".repeat(12), `${"A".repeat(10)}B`],
  ],
  ["base64url", is(base64UrlText(8)), ["", "A-_A"], ["A+/A", "AA==", "AAAA\nAAAA", "A".repeat(9)]],
  ["a cursor", cursor, ["a.0b"], ["", "a", "a.b.c", "A.B", `${"z".repeat(11)}.0b`, "1.1) or (1"]],
  [
    "base64",
    is(base64Text(8)),
    ["", "AAAA", "+/==", "AAA="],
    ["AA=A", "=AAA", "A===", "-_==", "AAAAAAAAA", "AA A", "AAAA\nAAAA"],
  ],
  [
    "an instant",
    is(instant),
    ["2026-05-03T09:15:00Z", "2026-05-03T09:15:00.123+02:00"],
    ["2026-05-03", "2026-05-03T25:00:00Z", "2026-13-01T00:00:00Z", "2026-01-01T00:00:00", "03/05/2026", ""],
  ],
  ["a day", is(day), ["2026-05-03"], ["2026-5-3", "2026-05-03T00:00:00Z", "2026-13-01"]],
  [
    "a licence plate asked for",
    plate,
    ["0117123456", "0000000001"],
    ["0000000000", "011712345", "01171234567", "011712345X"],
  ],
  [
    "an airline's logo",
    logo,
    ["/logo.svg", "/a/b-1.png", "data:image/png;base64,AAAA"],
    [
      "//elsewhere.example/logo.svg",
      "/\\elsewhere.example",
      "https://elsewhere.example/logo.svg",
      "/",
      "data:text/html;base64,AAAA",
    ],
  ],
])("%s", (_what, takes, right, wrong) => {
  it.each(right)("is %j", (text) => expect(takes(text)).toBe(true));
  it.each(wrong)("is not %j", (text) => expect(takes(text)).toBe(false));
});

it.each([1.5, 1e-9, 2_147_483_648, -2_147_483_649, 1e300])("an int32 is not %s", (value) => {
  expect(v.is(int32(), value)).toBe(false);
});

describe("an advisory field", () => {
  const Record = v.object({ name: advisory(cutText(3)), charge: advisory(int32()) });
  it.each([
    ["keeps what fits", { name: "abc", charge: -1 }, { name: "abc", charge: -1 }],
    ["is cut where it is longer", { name: "abcd" }, { name: "abc" }],
    ["is cut before a character that would be split", { name: "ab\u{1f9f3}" }, { name: "ab" }],
    ["is absent where its value is of another type", { name: 7, charge: 1.5 }, {}],
  ])("%s", (_, sent, read) => expect(v.parse(Record, sent)).toEqual(read));
});
