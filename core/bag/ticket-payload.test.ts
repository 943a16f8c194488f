import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "../encoding/bytes.ts";
import vectors from "../vectors/ticket-payload.json" with { type: "json" };
import { BagError } from "./errors.ts";
import { decodePayload, encodePayload, payloadDigest, type TicketPayload } from "./payload.ts";
import { clearPayload, type LabelJourney, ticketDay, ticketPayload } from "./ticket-payload.ts";

const journey: LabelJourney = {
  recordLocator: "ABC123",
  passenger: { givenName: "Ada", surname: "Lovelace" },
  departureAirport: "OSL",
  destinationCity: "Helsinki",
  flights: [
    { carrier: "SK", number: "1234", date: "2027-05-03", from: "OSL", to: "ARN" },
    { carrier: "SK", number: "0999", date: "2027-05-03", from: "ARN", to: "HEL" },
  ],
};
const bag = { licencePlate: "0117123456", readable: "SK 123456", flags: 1 };
const leg = (to: string) => ({ carrier: "SK", number: "1", date: "2027-05-03", from: "OSL", to });

describe.each(vectors.accepted)("the payload vector “$name”", ({ hex, sha256, payload }) => {
  it("is encoded to these bytes", () => {
    expect(toHex(encodePayload(payload as TicketPayload))).toBe(hex);
  });

  it("is decoded from these bytes", () => {
    expect(decodePayload(fromHex(hex))).toEqual(payload);
  });

  it("has this digest", async () => {
    expect(toHex(await payloadDigest(fromHex(hex)))).toBe(sha256);
  });
});

describe("decoding a payload", () => {
  it.each(vectors.refused)("refuses “$name”", ({ hex }) => {
    expect(() => decodePayload(fromHex(hex))).toThrow(BagError);
  });

  it("refuses every truncation of a full label", () => {
    const whole = fromHex(vectors.accepted.at(-1)?.hex ?? "");
    for (let length = 0; length < whole.length; length++) {
      expect(() => decodePayload(whole.subarray(0, length))).toThrow(BagError);
    }
  });
});

describe("the label of a bag", () => {
  it("is the vector made by hand when the locator is hidden", () => {
    const label = encodePayload(ticketPayload(journey, bag, { showLocator: false }));
    expect(toHex(label)).toBe(vectors.accepted[2]?.hex);
  });

  it("carries the locator only when asked to", () => {
    expect(ticketPayload(journey, bag, { showLocator: false })).not.toHaveProperty("recordLocator");
    expect(ticketPayload(journey, bag, { showLocator: true }).recordLocator).toBe("ABC123");
  });

  it("leaves absent what the journey does not say", () => {
    const bare = {
      recordLocator: "ABC123",
      passenger: { givenName: "", surname: "" },
      departureAirport: "",
      flights: [],
    };
    const label = ticketPayload(bare, { licencePlate: "0117123456", flags: 0 }, { showLocator: false });
    expect(label).toEqual({ kind: "write", licencePlate: "0117123456" });
  });

  it("cuts a name at twenty characters, not bytes, and never leaves a trailing space or slash", () => {
    const named = (surname: string, givenName: string) =>
      ticketPayload({ ...journey, passenger: { surname, givenName } }, bag, { showLocator: false }).name;
    expect(named("Öberg-Østergård-Ångström", "Åsa")).toBe("ÖBERG-ØSTERGÅRD-ÅNGS");
    expect(named("ABCDEFGHIJKLMNOPQRS", "X")).toBe("ABCDEFGHIJKLMNOPQRS");
    expect(named("ABCDEFGHIJKLMNOPQRS T", "")).toBe("ABCDEFGHIJKLMNOPQRS");
    expect(named("ABCDEFGHIJKLMNOPQRS𠮷田", "")).toBe("ABCDEFGHIJKLMNOPQRS𠮷");
  });

  it("spells a decomposed name as a composed one", () => {
    const decomposed = { ...journey, passenger: { givenName: "Ju\u0308rgen", surname: "Mu\u0308ller" } };
    expect(ticketPayload(decomposed, bag, { showLocator: false }).name).toBe("MÜLLER/JÜRGEN");
  });

  it("shows the next two airports and the last of a longer journey", () => {
    const flights = [leg("ARN"), leg("HEL"), leg("RIX"), leg("TLL")];
    const { segments } = ticketPayload({ ...journey, flights }, bag, { showLocator: false });
    expect(segments?.map(({ airport }) => airport)).toEqual(["ARN", "HEL", "TLL"]);
  });

  it("is refused when it bends the display's rules", () => {
    const encode = (changed: Partial<LabelJourney>) =>
      encodePayload(ticketPayload({ ...journey, ...changed }, bag, { showLocator: false }));
    expect(() => encode({ departureAirport: "OSLO" })).toThrow(BagError);
    expect(() => encode({ flights: [leg("A1")] })).toThrow(BagError);
    expect(() => encode({ destinationCity: "HEL\u202eSINKI" })).toThrow(BagError);
    expect(() => encode({ destinationCity: "HEL\ud800" })).toThrow(BagError);
  });

  it("cuts a flight at eight characters", () => {
    const flights = [{ ...leg("ARN"), carrier: "SKX", number: "12345A" }];
    const { segments } = ticketPayload({ ...journey, flights }, bag, { showLocator: false });
    expect(segments?.map(({ flight }) => flight)).toEqual(["SKX12345"]);
  });

  it.each(["\u0007", "\u007f", "\u202e", "\u2028", "\u2029", "\ud800"])(
    "is not written with %j, which no display shows",
    (character) => {
      const label = { kind: "write", licencePlate: "0117123456", name: `A${character}B` } as const;
      expect(() => encodePayload(label)).toThrow(BagError);
    },
  );

  it("is empty for a clear", () => {
    expect(toHex(encodePayload(clearPayload()))).toBe("a10002");
  });
});

describe("the day of a flight", () => {
  it.each([
    ["2027-01-21", "21JAN"],
    ["2027-05-03T09:15", "03MAY"],
    ["2027-05-03T23:30:00.000Z", "03MAY"],
    ["2027-05-03T23:30:00-04:00", "03MAY"],
    ["2027-05-03T23:30:00Z[Europe/Oslo]", "04MAY"],
    ["2027-05-04T01:30:00+02:00[America/New_York]", "03MAY"],
    ["03/05/2027", "03MAY"],
    ["2028-02-29", "29FEB"],
  ])("of %s is %s", (date, day) => {
    expect(ticketDay(date)).toBe(day);
  });

  it.each([
    "",
    "2027-02-29",
    "2027-13-01",
    "31/04/2027",
    "3/5/2027",
    "2027-05-03T25:00:00Z[Europe/Oslo]",
    "2027-05-03T09:15[Europe/Oslo]",
    "2027-05-03T09:15Z[Nowhere/Else]",
    "tomorrow",
  ])("of %j is refused", (date) => {
    expect(() => ticketDay(date)).toThrow(BagError);
  });
});
