import { expect, it } from "vitest";
import { affectedTests } from "./affected.ts";

const sources = new Map([
  ["core/leaf.ts", "export const leaf = 1;"],
  ["core/leaf.test.ts", 'import { app } from "../worker/app.ts";'],
  ["core/near.test.ts", 'import { leaf } from "./leaf.ts";'],
  ["worker/app.ts", 'import { leaf } from "../core/leaf.ts"; const late = () => import("./late.ts");'],
  ["worker/late.ts", 'import type { Shape } from "../core/shape.ts";'],
  ["worker/app.test.ts", 'import { app } from "./app.ts";'],
  ["core/shape.ts", "export interface Shape {}"],
  ["scripts/document.test.ts", 'const text = read("docs/protocol.md");'],
  ["scripts/other.test.ts", 'import data from "../core/data.json" with { type: "json" };'],
]);
const affected = (...changed: string[]) => affectedTests(sources, changed).map(({ path }) => path);

it("finds every test that reaches a change, those named after it first and then the nearest", () => {
  expect(affected("core/leaf.ts")).toEqual(["core/leaf.test.ts", "core/near.test.ts", "worker/app.test.ts"]);
});

it("says how many imports away each is", () => {
  expect(affectedTests(sources, ["core/leaf.ts"]).at(-1)).toEqual({
    path: "worker/app.test.ts",
    distance: 2,
  });
});

it("follows what is imported on demand", () => {
  expect(affected("worker/late.ts")).toEqual(["core/leaf.test.ts", "worker/app.test.ts"]);
});

it("runs a test that changed itself, and none of a test that is gone", () => {
  expect(affected("core/near.test.ts", "core/gone.test.ts")).toEqual(["core/near.test.ts"]);
});

it("leaves types to the compiler", () => {
  expect(affected("core/shape.ts")).toEqual([]);
});

it("finds who imports data, and who reads a file by its name", () => {
  expect(affected("core/data.json")).toEqual(["scripts/other.test.ts"]);
  expect(affected("docs/protocol.md")).toEqual(["scripts/document.test.ts"]);
});
