import { expect, test } from "vitest";
import { PHASES } from "./types.ts";

test("an operation connects, secures, asks, proves, is authorized, writes, shows and attaches, in this order", () => {
  expect(PHASES.join(" ")).toBe("connect secure lookup proof authorize write display attach");
});
