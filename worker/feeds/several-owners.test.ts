import { beforeEach, describe, expect, it } from "vitest";
import { bags } from "../../db/schema.ts";
import { bsmText, type PrintedMessage } from "../test-support/baggage-message-text.ts";
import { TOMORROW } from "../test-support/days.ts";
import { startFeeding } from "../test-support/feeds.ts";
import { guestSession, type TestSession } from "../test-support/logins.ts";
import type { TestService } from "../test-support/service.ts";

/** A message with the bags of several passengers: a bag of the wrong one would get the wrong label, silently. */

let service: TestService;
let staff: TestSession;

beforeEach(async () => {
  ({ service, staff } = await startFeeding());
});

const take = async (message: string) => (await staff.call("baggageSourceMessages", { message })).body.results;
const OWNERS = [".P/1SMITH/TOM", ".N/0117200102001", ".P/1BROWN/JIM"];
const bsm = (message: Partial<PrintedMessage> = {}) =>
  bsmText({ date: TOMORROW, plates: "0117200101001", name: "", locator: "ABC777", more: OWNERS, ...message });

/** Surname and plates of all passengers of the booking. */
async function ownersOf(surname = "SMITH"): Promise<Record<string, readonly string[]>> {
  const passenger = await guestSession(service);
  const { body } = await passenger.call("journeyFromRecordLocator", { recordLocator: "ABC777", surname });
  const people = [body, ...(body.companions ?? [])].map(({ passenger, baggage }) => [
    passenger.surname,
    baggage.map(({ licencePlate }: { licencePlate: string }) => licencePlate),
  ]);
  return Object.fromEntries(people);
}
const EACH = { SMITH: ["0117200101"], BROWN: ["0117200102"] };

describe("a message with the bags of several passengers", () => {
  it("gives each plate to the passenger behind it, once", async () => {
    expect(await take(bsm())).toEqual([expect.objectContaining({ outcome: "applied" })]);
    expect(await ownersOf()).toEqual(EACH);
    expect(await take(bsm())).toMatchObject([{ outcome: "unchanged" }]);
    expect(await ownersOf("BROWN")).toEqual(EACH);
  });

  it("adds missing bags to their owners", async () => {
    await take(bsm({ more: [".P/1SMITH/TOM"] }));
    expect(await take(bsm())).toMatchObject([{ outcome: "applied" }]);
    expect(await ownersOf()).toEqual(EACH);
  });

  it("distinguishes two of one surname, of whom the booking has an initial", async () => {
    await take(bsm({ plates: "0117200109001", more: [".P/1SMITH/T"] }));
    await take(bsm({ more: [".P/1SMITH/TOM", ".N/0117200102001", ".P/1SMITH/TIM"] }));
    const plates = (await service.db.select().from(bags)).filter(({ licencePlate }) =>
      /2001/.test(licencePlate),
    );
    const journeys = [...Map.groupBy(plates, ({ journeyId }) => journeyId).values()];
    const owned = journeys.map((own) =>
      own
        .map(({ licencePlate }) => licencePlate)
        .toSorted()
        .join(" "),
    );
    expect(owned.toSorted()).toEqual(["0117200101 0117200109", "0117200102"]);
  });

  it("is refused whole where one of them would have too many bags", async () => {
    await take(bsm({ plates: "0117200201010", more: [".P/1BROWN/JIM"] }));
    const refused = { outcome: "refused", errorCode: "bag_limit" };
    expect(await take(bsm())).toMatchObject([refused]);
    expect(await take(bsm({ plates: "0117200301011" }))).toMatchObject([refused]);
    expect(Object.keys(await ownersOf("BROWN"))).toEqual(["BROWN"]);
  });

  it("changes the journeys of all of them, or none", async () => {
    await take(bsm());
    const change = (flight: string, more = OWNERS) => bsm({ action: "CHG", flights: [flight], more });
    const unknown = OWNERS.map((line) => line.replace("0117200102", "0117200103"));
    expect(await take(change("SK1460/CPH", unknown))).toMatchObject([{ errorCode: "baggage_not_found" }]);
    const destinations = async () => {
      const { body } = await (await guestSession(service)).call("journeyFromRecordLocator", {
        recordLocator: "ABC777",
        surname: "SMITH",
      });
      return [body, ...body.companions].map(({ destinationAirport }) => destinationAirport);
    };
    expect(await destinations()).toEqual(["ARN", "ARN"]);
    const [result] = await take(change("SK1460/CPH"));
    expect(result).toMatchObject({ outcome: "applied" });
    expect(result).not.toHaveProperty("ignored");
    expect(await destinations()).toEqual(["CPH", "CPH"]);
    const swapped = [".P/1BROWN/JIM", ".N/0117200102001", ".P/1SMITH/TOM"];
    expect(await take(change("SK1460/CPH", swapped))).toMatchObject([{ ignored: [".P"] }]);
  });

  it("deletes the bags of all of them", async () => {
    await take(bsm());
    expect(await take(bsm({ action: "DEL" }))).toMatchObject([{ outcome: "applied" }]);
    expect(await ownersOf()).toEqual({ SMITH: [], BROWN: [] });
  });
});
