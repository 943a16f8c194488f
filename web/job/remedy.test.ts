// @vitest-environment jsdom
import { expect, test } from "vitest";
import { OperationError, type TaglatchErrorCode } from "../../sdk/index.ts";
import { errors } from "../i18n/en-errors.ts";
import { actionOf } from "./Remedy.tsx";

const codes = Object.keys(errors) as TaglatchErrorCode[];
const action = (code: TaglatchErrorCode) =>
  actionOf(Object.assign(new OperationError("internal", ""), { code }));

/** What a sentence must say of each action; the button is right below it. */
const ADVICE = {
  reload: /Reload the page/,
  renew: /find your trip again|find that trip here|Check the .* and the surname/,
} as const;

test.each(Object.keys(ADVICE) as (keyof typeof ADVICE)[])(
  "the button “%s” is below that advice, and only there",
  (name) => {
    const advised = codes.filter((code) => ADVICE[name].test(errors[code].next));
    expect(codes.filter((code) => action(code) === name).sort()).toEqual(advised.sort());
  },
);

test("an error whose sentence advises trying again, and nothing else, has that button", () => {
  const waits = /^Wait|another tag|Ask|list|minutes/;
  const advised = codes.filter(
    (code) => /try again/i.test(errors[code].next) && !waits.test(errors[code].next),
  );
  expect(advised.filter((code) => action(code) !== "again")).toEqual([]);
});

test("where trying again is pointless, the sentence does not advise it", () => {
  const pointless = codes.filter((code) => ["another", "leave", "journey"].includes(action(code)));
  const waiting: TaglatchErrorCode[] = [
    "custody_proof_attempts_exceeded",
    "lockout",
    "too_many_attempts",
    "too_many_requests",
  ];
  expect(pointless.filter((code) => /try again/i.test(errors[code].next)).sort()).toEqual(waiting);
});
