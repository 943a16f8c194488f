import { beforeEach, describe, expect, it } from "vitest";
import { bags, journeys } from "../../db/schema.ts";
import { bsmDay, bsmText, type PrintedMessage } from "../test-support/baggage-message-text.ts";
import { TOMORROW as date } from "../test-support/days.ts";
import { startFeeding } from "../test-support/feeds.ts";
import { guestSession, type TestSession } from "../test-support/logins.ts";
import { expectError, type TestService } from "../test-support/service.ts";

/** Whose bags a message speaks of, what of it was not read, and how much is made of it. */

let service: TestService;
let staff: TestSession;

beforeEach(async () => {
  ({ service, staff } = await startFeeding());
});

const take = async (message: string) => (await staff.call("baggageSourceMessages", { message })).body.results;
const bsm = (message: Partial<PrintedMessage> = {}) => bsmText({ date, ...message });

async function load(recordLocator: string, surname: string) {
  const passenger = await guestSession(service);
  return (await passenger.call("journeyFromRecordLocator", { recordLocator, surname })).body;
}

it("passengers who join a booking later, by either feed, find it like the first", async () => {
  const feed = (surname: string, givenName: string) =>
    staff.call("journeysFromAirlinePayload", {
      ...{ airline: "SK", recordLocator: "LATER1", passengers: [{ surname, givenName }] },
      flights: [{ carrier: "SK", number: "1460", date, from: "OSL", to: "CPH" }],
    });
  await feed("NOETHER", "EMMY");
  await feed("CURIE", "MARIE");
  const message = bsm({ flights: ["SK1460/CPH"], locator: "LATER1", plates: "0117830009001" });
  expect(await take(message)).toMatchObject([{ outcome: "applied" }]);
  for (const surname of ["NOETHER", "CURIE", "HOPPER"]) {
    expect((await load("LATER1", surname)).passenger?.surname).toBe(surname);
  }
});

describe("the answer to a message names its unread elements", () => {
  it("by its elements, each once", async () => {
    const more = [".S/Y/08A", ".W/P/1", ".Y/SK123", ".Y/LH456", ".E/RUSH", ".E/PRIO"];
    const answer = await take(bsm({ more }));
    expect(answer[0].ignored).toEqual([".Y", ".E/RUSH"]);
    expect((await take(bsm({ plates: "0117800002001" })))[0]).not.toHaveProperty("ignored");
  });

  it("but stores all passengers it names, with the bags on the first", async () => {
    const message = bsm({ name: "" }).replace(".L/", ".P/2HOPPER/GRACE/ANNE\n.P/1MURRAY/V\n.L/");
    expect((await take(message))[0]).not.toHaveProperty("ignored");
    const first = await load("BSM001", "MURRAY");
    const people = [first, ...first.companions].map(({ passenger, baggage }) => [
      passenger.givenName,
      baggage.length,
    ]);
    expect(people.toSorted()).toEqual([
      ["ANNE", 0],
      ["GRACE", 1],
      ["V", 0],
    ]);
    expect(await take(message)).toMatchObject([{ outcome: "unchanged" }]);
    const more = message.replace(".P/1MURRAY/V", ".P/3MURRAY/V/W");
    expect((await take(more))[0]).toMatchObject({ outcome: "applied", ignored: [".P"] });
    expect((await load("BSM001", "MURRAY")).companions).toHaveLength(3);
  });

  it("where a plate is known as another passenger's of the booking", async () => {
    await take(bsm());
    const answer = await take(bsm({ name: "MURRAY/V" }));
    expect(answer[0]).toMatchObject({ outcome: "unchanged", ignored: [".P"] });
  });

  it("where a change names another passenger, who does not get the bags", async () => {
    await take(bsm());
    const change = (name: string) => bsm({ action: "CHG", name });
    expect((await take(change("HOPPER/ANNE")))[0].ignored).toEqual([".P"]);
    expect((await take(change("HOPPER/GRACE")))[0]).not.toHaveProperty("ignored");
    expect((await load("BSM001", "HOPPER")).passenger.givenName).toBe("GRACE");
  });

  it("where the locator is another airline's", async () => {
    expect((await take(bsm({ locator: "BSM001/SK" })))[0]).not.toHaveProperty("ignored");
    const other = bsm({ locator: "BSM001/LH", plates: "0117800002001" });
    expect((await take(other))[0]).toMatchObject({ outcome: "applied", ignored: [".L/LH"] });
    expect((await load("BSM001", "HOPPER")).baggage).toHaveLength(2);
  });
});

const OWNERS = [".P/1SMITH/TOM", ".N/0117200102001", ".P/1BROWN/JIM"];
const owned = (message: Partial<PrintedMessage> = {}) =>
  bsm({ plates: "0117200101001", name: "", locator: "ABC777", more: OWNERS, ...message });

/** Surname and plates of all passengers of the booking. */
async function ownersOf(surname = "SMITH"): Promise<Record<string, readonly string[]>> {
  const first = await load("ABC777", surname);
  const people = [first, ...(first.companions ?? [])].map(({ passenger, baggage }) => [
    passenger.surname,
    baggage.map(({ licencePlate }: { licencePlate: string }) => licencePlate),
  ]);
  return Object.fromEntries(people);
}
const EACH = { SMITH: ["0117200101"], BROWN: ["0117200102"] };

/** A bag of the wrong one would get the wrong label, silently. */
describe("a message with the bags of several passengers", () => {
  it("gives each plate to the passenger behind it, once", async () => {
    expect(await take(owned())).toEqual([expect.objectContaining({ outcome: "applied" })]);
    expect(await ownersOf()).toEqual(EACH);
    expect(await take(owned())).toMatchObject([{ outcome: "unchanged" }]);
    expect(await ownersOf("BROWN")).toEqual(EACH);
  });

  it("distinguishes two of one surname, of whom the booking has an initial", async () => {
    await take(owned({ plates: "0117200109001", more: [".P/1SMITH/T"] }));
    await take(owned({ more: [".P/1SMITH/TOM", ".N/0117200102001", ".P/1SMITH/TIM"] }));
    const plates = (await service.db.select().from(bags)).filter(({ licencePlate }) =>
      /2001/.test(licencePlate),
    );
    const journeys = [...Map.groupBy(plates, ({ journeyId }) => journeyId).values()];
    const platesOf = journeys.map((own) =>
      own
        .map(({ licencePlate }) => licencePlate)
        .toSorted()
        .join(" "),
    );
    expect(platesOf.toSorted()).toEqual(["0117200101 0117200109", "0117200102"]);
  });

  it("is refused whole where one of them would have too many bags", async () => {
    await take(owned({ plates: "0117200201010", more: [".P/1BROWN/JIM"] }));
    const refused = { outcome: "refused", errorCode: "bag_limit" };
    expect(await take(owned())).toMatchObject([refused]);
    expect(await take(owned({ plates: "0117200301011" }))).toMatchObject([refused]);
    expect(Object.keys(await ownersOf("BROWN"))).toEqual(["BROWN"]);
  });

  it("changes the journeys of all of them, or none", async () => {
    await take(owned());
    const change = (flight: string, more = OWNERS) => owned({ action: "CHG", flights: [flight], more });
    const unknown = OWNERS.map((line) => line.replace("0117200102", "0117200103"));
    expect(await take(change("SK1460/CPH", unknown))).toMatchObject([{ errorCode: "baggage_not_found" }]);
    const destinations = async () => {
      const first = await load("ABC777", "SMITH");
      return [first, ...first.companions].map(({ destinationAirport }) => destinationAirport);
    };
    expect(await destinations()).toEqual(["ARN", "ARN"]);
    const [result] = await take(change("SK1460/CPH"));
    expect(result).toMatchObject({ outcome: "applied" });
    expect(result).not.toHaveProperty("ignored");
    expect(await destinations()).toEqual(["CPH", "CPH"]);
    const swapped = [".P/1BROWN/JIM", ".N/0117200102001", ".P/1SMITH/TOM"];
    expect(await take(change("SK1460/CPH", swapped))).toMatchObject([{ ignored: [".P"] }]);
  });
});

/** A feed's body has a limit; what is made of it must not be a thousand times that. */
describe("a body full of baggage messages", () => {
  it("cannot ask for more plates than the limit, in however many messages", async () => {
    const one = (i: number) => bsmText({ date, action: "DEL", plates: `0${100_000 + i}001099` });
    const message = Array.from({ length: 1_500 }, (_, i) => one(i)).join("");
    const answer = await staff.call("baggageSourceMessages", { message });
    expect(answer.body.results).toHaveLength(1_500);
    const codes = answer.body.results.map(({ errorCode }: { errorCode: string }) => errorCode);
    expect(new Set(codes)).toEqual(new Set(["bag_limit"]));
    expect(answer.text.length).toBeLessThan(256 * 1024);
  });

  it("gets the first of its faults where its text has no message at all", async () => {
    const answer = await staff.call("baggageSourceMessages", { message: "BSM\n".repeat(1_000) });
    expectError(answer, "invalid_bsm_format");
    expect(answer.body.errors).toHaveLength(20);
  });

  it("makes no booking of more passengers than 99, in one message or many", async () => {
    const before = await service.db.$count(journeys);
    const name = (i: number) => `X${String.fromCharCode(65 + (i % 26), 65 + Math.floor(i / 26))}X/A`;
    const crowd = Array.from({ length: 600 }, (_, i) => `.P/1${name(i + 1)}`);
    const one = (i: number, more: readonly string[] = []) =>
      bsmText({ date, name: name(i), locator: "CROWD1", plates: `01178200${10 + i}001`, more });
    const whole = await staff.call("baggageSourceMessages", { message: one(0, crowd) });
    expect(whole.body.results).toMatchObject([{ outcome: "applied", ignored: [".P"] }]);
    expect(await service.db.$count(journeys)).toBe(before + 99);
    const bagsBefore = await service.db.$count(bags);
    const known = one(0, crowd.slice(80, 90));
    const { body } = await staff.call("baggageSourceMessages", {
      message: known + one(1, crowd.slice(95, 105)),
    });
    const refused = { outcome: "refused", errorCode: "invalid_request" };
    expect(body.results).toMatchObject([{ outcome: "unchanged" }, refused]);
    const [surname = "", givenName = ""] = name(0).split("/");
    const flights = [{ carrier: "SK", number: "1234", date, from: "OSL", to: "ARN" }];
    const booking = { airline: "SK", recordLocator: "CROWD1", flights };
    const fed = (passengers: readonly object[]) =>
      staff.call("journeysFromAirlinePayload", { ...booking, passengers });
    expectError(await fed([{ surname: "MARPLE", givenName }]), "invalid_request");
    expect((await fed([{ surname, givenName }])).status).toBe(200);
    expect([await service.db.$count(journeys), await service.db.$count(bags)]).toEqual([
      before + 99,
      bagsBefore,
    ]);
  });

  it("gives no journey more flights than eight, at once or one change after the other", async () => {
    const onward = (from: number, count: number) =>
      Array.from(
        { length: count },
        (_, i) => `.O/SK${from + i}/${bsmDay(date)}/A${String.fromCharCode(65 + i)}A/Y`,
      );
    const take = async (message: Partial<PrintedMessage>) => {
      const text = bsmText({ date, locator: "LEGS01", plates: "0117830001001", ...message });
      return (await staff.call("baggageSourceMessages", { message: text })).body.results[0];
    };
    const refused = { outcome: "refused", errorCode: "invalid_request" };
    expect(await take({ more: onward(1, 8) })).toMatchObject(refused);
    expect(await take({ more: onward(1, 7) })).toMatchObject({ outcome: "applied" });
    const change = { action: "CHG", station: "ABA", flights: ["SK20/BBB"] } as const;
    expect(await take({ ...change, more: onward(21, 5) })).toMatchObject(refused);
    expect(await take({ ...change, more: onward(21, 4) })).toMatchObject({ outcome: "applied" });
  });
});
