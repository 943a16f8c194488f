import { beforeAll, describe, expect, it } from "vitest";
import { bsmText } from "../test-support/baggage-message-text.ts";
import { expectError } from "../test-support/expect-error.ts";
import { staffSession, type TestSession } from "../test-support/logins.ts";
import { startService } from "../test-support/service.ts";

/** A feed's body has a limit; what is made of it must not be a thousand times that. */

let staff: TestSession;
let date: string;

beforeAll(async () => {
  const service = await startService();
  staff = await staffSession(service);
  date = new Date(service.now() + 86_400_000).toISOString().slice(0, 10);
});

describe("a body full of baggage messages", () => {
  it("cannot ask for more plates than anybody has, in however many messages", async () => {
    const one = (i: number) => bsmText({ date, action: "DEL", plates: `0${100_000 + i}001099` });
    const message = Array.from({ length: 1_500 }, (_, i) => one(i)).join("");
    const answer = await staff.call("baggageSourceMessages", { message });
    expect(answer.body.results).toHaveLength(1_500);
    const codes = answer.body.results.map(({ errorCode }: { errorCode: string }) => errorCode);
    expect(new Set(codes)).toEqual(new Set(["bag_limit"]));
    expect(answer.text.length).toBeLessThan(256 * 1024);
  });

  it("is told the first of its faults where it is no messages at all", async () => {
    const answer = await staff.call("baggageSourceMessages", { message: "BSM\n".repeat(1_000) });
    expectError(answer, "invalid_bsm_format");
    expect(answer.body.errors).toHaveLength(20);
  });
});
