import { describe, expect, it } from "vitest";
import { concat, fromHex } from "../encoding/bytes.ts";
import file from "../vectors/sec-refusals.json" with { type: "json" };
import { errorFrom } from "./answers.ts";
import { SecError } from "./errors.ts";
import { codeOf } from "./test-support/parties.ts";
import { type RefusalCase, victimOf } from "./test-support/victims.ts";

const cases: readonly RefusalCase[] = file.cases;
const errors = cases.filter(({ at }) => at === "error");
/** These need a whole tag or a link: sim/tag/pitfalls.test.ts runs them. */
const OVER_GATT: readonly string[] = ["tag", "link"];
const forgeries = cases.filter(({ at }) => at !== "error" && !OVER_GATT.includes(at));
const places = [...new Set(forgeries.map(({ at }) => at))];

describe.each(places)("a forgery in %s", (place) => {
  const here = forgeries.filter(({ at }) => at === place);

  it.each(here.filter(({ code }) => code !== null))("is refused as $code: $name", async (refusal) => {
    const victim = await victimOf(refusal);
    expect(await codeOf(() => victim.read(victim.forged))).toBe(refusal.code);
    expect(await codeOf(() => victim.read(victim.honest))).toBe(victim.after);
  });

  const harmless = here.filter(({ code }) => code === null);
  for (const refusal of harmless) {
    it(`is no forgery at all: ${refusal.name}`, async () => {
      const victim = await victimOf(refusal);
      expect(await codeOf(() => victim.read(victim.forged))).toBe("no failure");
    });
  }
});

it.each(errors)("a received error is $code: $name", ({ type, bytes, code }) => {
  const error = errorFrom(type === "ALERT" ? "ALERT" : "EDHOC_ERROR", fromHex(bytes ?? ""));
  expect(error.code).toBe(code);
});

describe.each([
  ["message_1", 1],
  ["message_2", 31],
  ["message_3", 31],
  ["message_4", 1],
])("%s", (at, step) => {
  const honestCase: RefusalCase = { at, name: "", code: null, rule: "", append: "" };

  it("is refused when it is cut, at every length", async () => {
    const { honest } = await victimOf(honestCase);
    for (let length = 0; length < honest.length; length += length < 64 ? 1 : step) {
      const victim = await victimOf(honestCase);
      expect(await codeOf(() => victim.read(victim.honest.slice(0, length)))).toBe("MESSAGE");
    }
  });

  it("is refused with a byte behind it that is no item", async () => {
    const victim = await victimOf(honestCase);
    const longer = concat(victim.honest, Uint8Array.of(0xff));
    expect(await codeOf(() => victim.read(longer))).toBe("MESSAGE");
  });
});

it("the table has at least 150 refusals, each with a name of its own", () => {
  expect(cases.filter(({ code }) => code !== null).length).toBeGreaterThanOrEqual(150);
  expect(new Set(cases.map(({ at, name }) => `${at}: ${name}`)).size).toBe(cases.length);
});

it("the table refuses something for every pitfall from 1 to 18, and names it as its rule does", () => {
  const refused = new Set(cases.filter(({ code }) => code !== null).map(({ pitfall }) => pitfall));
  const numbers = Array.from({ length: 18 }, (_, index) => index + 1);
  expect(numbers.filter((number) => !refused.has(number))).toEqual([]);
  for (const { name, rule, pitfall } of cases) {
    const [, number] = /^sec\.md §10 \((\d+)\)$/.exec(rule) ?? [];
    if (number !== undefined) expect(pitfall, name).toBe(Number(number));
    if (pitfall !== undefined) expect(numbers, name).toContain(pitfall);
  }
});

it("an error without details says its code and no more", () => {
  const error = new SecError("FRAME");
  expect(error.message).toBe("FRAME");
  expect("cause" in error).toBe(false);
  expect([error.suitesR, error.peer]).toEqual([undefined, undefined]);
});

it("an error with details says its code first, and keeps its cause", () => {
  const cause = new TypeError("no key");
  const error = new SecError("CHAIN", { message: "empty chain", cause });
  expect(error.message).toBe("CHAIN: empty chain");
  expect(error.cause).toBe(cause);
});
