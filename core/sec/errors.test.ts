import { expect, it } from "vitest";
import { SecError } from "./errors.ts";

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
