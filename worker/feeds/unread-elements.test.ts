import { beforeEach, describe, expect, it } from "vitest";
import { bsmText, type PrintedMessage } from "../test-support/baggage-message-text.ts";
import { TOMORROW } from "../test-support/days.ts";
import { startFeeding } from "../test-support/feeds.ts";
import { guestSession, type TestSession } from "../test-support/logins.ts";
import type { Answer, TestService } from "../test-support/service.ts";

let service: TestService;
let staff: TestSession;

beforeEach(async () => {
  ({ service, staff } = await startFeeding());
});

const take = (...messages: readonly string[]): Promise<Answer> =>
  staff.call("baggageSourceMessages", { message: messages.join("") });
const bsm = (message: Partial<PrintedMessage> = {}) => bsmText({ date: TOMORROW, ...message });
const resultsOf = ({ body }: Answer) => body.results;
const outcomes = (answer: Answer) => resultsOf(answer).map(({ outcome }: { outcome: string }) => outcome);

async function load(recordLocator: string, surname: string): Promise<Answer> {
  const passenger = await guestSession(service);
  return passenger.call("journeyFromRecordLocator", { recordLocator, surname });
}

describe("the answer to a message names its unread elements", () => {
  it("by its elements, each once", async () => {
    const more = [".S/Y/08A", ".W/P/1", ".Y/SK123", ".Y/LH456", ".E/RUSH", ".E/PRIO"];
    const answer = await take(bsm({ more }));
    expect(resultsOf(answer)[0].ignored).toEqual([".Y", ".E/RUSH"]);
    expect(resultsOf(await take(bsm({ plates: "0117800002001" })))[0]).not.toHaveProperty("ignored");
  });

  it("but stores all passengers it names, with the bags on the first", async () => {
    const message = bsm({ name: "" }).replace(".L/", ".P/2HOPPER/GRACE/ANNE\n.P/1MURRAY/V\n.L/");
    expect(resultsOf(await take(message))[0]).not.toHaveProperty("ignored");
    const { body } = await load("BSM001", "MURRAY");
    const people = [body, ...body.companions].map(({ passenger, baggage }) => [
      passenger.givenName,
      baggage.length,
    ]);
    expect(people.toSorted()).toEqual([
      ["ANNE", 0],
      ["GRACE", 1],
      ["V", 0],
    ]);
    expect(outcomes(await take(message))).toEqual(["unchanged"]);
    const more = message.replace(".P/1MURRAY/V", ".P/3MURRAY/V/W");
    expect(resultsOf(await take(more))[0]).toMatchObject({ outcome: "applied", ignored: [".P"] });
    expect((await load("BSM001", "MURRAY")).body.companions).toHaveLength(3);
  });

  it("where a plate is known as another passenger's of the booking", async () => {
    await take(bsm());
    const answer = await take(bsm({ name: "MURRAY/V" }));
    expect(resultsOf(answer)[0]).toMatchObject({ outcome: "unchanged", ignored: [".P"] });
  });

  it("where a change names another passenger, who does not get the bags", async () => {
    await take(bsm());
    const change = (name: string) => bsm({ action: "CHG", name });
    expect(resultsOf(await take(change("HOPPER/ANNE")))[0].ignored).toEqual([".P"]);
    expect(resultsOf(await take(change("HOPPER/GRACE")))[0]).not.toHaveProperty("ignored");
    expect((await load("BSM001", "HOPPER")).body.passenger.givenName).toBe("GRACE");
  });

  it("where the locator is another airline's", async () => {
    expect(resultsOf(await take(bsm({ locator: "BSM001/SK" })))[0]).not.toHaveProperty("ignored");
    const other = bsm({ locator: "BSM001/LH", plates: "0117800002001" });
    expect(resultsOf(await take(other))[0]).toMatchObject({ outcome: "applied", ignored: [".L/LH"] });
    expect((await load("BSM001", "HOPPER")).body.baggage).toHaveLength(2);
  });
});
