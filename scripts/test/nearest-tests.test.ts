import { describe, expect, it } from "vitest";
import { projectFiles, SOURCES } from "../project-files.ts";
import { importersAmong, importsOf, nearestTests } from "./nearest-tests.ts";

describe("what a file imports", () => {
  it("is found over several lines, renamed, for its effects and late", () => {
    const text = `import { a } from "./a.ts";
import {
  b,
  type C,
} from "../b.ts";
import "./c.ts";
export { d } from "./d.ts";
const e = await import("./e.ts");
import type { F } from "./f.ts";
import { g } from "valibot";
`;
    expect(importsOf("web/ui/x.ts", text)).toEqual([
      ...["web/ui/a.ts", "web/b.ts", "web/ui/c.ts", "web/ui/d.ts", "web/ui/e.ts"],
    ]);
  });
});

describe("the tests nearest to a change", () => {
  const importers = new Map([
    ["tags/rule.ts", ["tags/rule.test.ts", "tags/route.ts"]],
    ["tags/route.ts", ["app.ts"]],
    ["app.ts", ["tags/whole.test.ts", "auth/whole.test.ts"]],
  ]);

  it("are all of them where they are few", () => {
    expect(nearestTests(["tags/rule.ts"], importers, 3)).toEqual([
      ...["tags/rule.test.ts", "tags/whole.test.ts", "auth/whole.test.ts"],
    ]);
  });

  it("are beyond the limit those of its folder alone", () => {
    expect(nearestTests(["tags/rule.ts"], importers, 2)).toEqual(["tags/rule.test.ts", "tags/whole.test.ts"]);
  });

  it("are a changed test itself", () => {
    expect(nearestTests(["auth/whole.test.ts"], importers, 1)).toEqual(["auth/whole.test.ts"]);
  });

  it("are found through the project's own files", () => {
    const tests = nearestTests(["scripts/test/nearest-tests.ts"], importersAmong(projectFiles(SOURCES)), 9);
    expect(tests).toEqual(["scripts/test/nearest-tests.test.ts"]);
  });
});
