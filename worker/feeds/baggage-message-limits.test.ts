import { beforeAll, describe, expect, it } from "vitest";
import { bags, journeys } from "../../db/schema.ts";
import { bsmDay, bsmText, type PrintedMessage } from "../test-support/baggage-message-text.ts";
import { staffSession, type TestSession } from "../test-support/logins.ts";
import { expectError, startService, type TestService } from "../test-support/service.ts";

/** A feed's body has a limit; what is made of it must not be a thousand times that. */

let service: TestService;
let staff: TestSession;
let date: string;

beforeAll(async () => {
  service = await startService();
  staff = await staffSession(service);
  date = new Date(service.now() + 86_400_000).toISOString().slice(0, 10);
});

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
