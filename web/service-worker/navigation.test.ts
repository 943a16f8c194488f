import { describe, expect, test } from "vitest";
import { answererOf } from "./navigation.ts";

describe("a navigation is answered", () => {
  test.each([
    ["page", ["/", "/find", "/journeys/j1/bags/2", "/t/tag-1.v21", "/clear/", "/kiosk/setup"]],
    [
      "network",
      ["/v2/nothing", "/docs", "/assets/a.js", "/screens/clear", "/privacy", "/handover", "/HandOver"],
    ],
    ["unknown", ["/nowhere", "/kiosk/nowhere", "/t/a/b", "/docs2", "/icon.svg"]],
  ] as const)("by the %s", (answerer, paths) => {
    expect(paths.map((path) => [path, answererOf(path)])).toEqual(paths.map((path) => [path, answerer]));
  });
});
