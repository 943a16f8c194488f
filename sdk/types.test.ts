import { expect, test } from "vitest";
import { PHASES } from "./types.ts";

test("an operation connects, secures, asks, proves, is authorised, writes, shows and attaches, in this order", () => {
  expect(PHASES.join(" ")).toBe("connect secure lookup proof authorise write display attach");
});
