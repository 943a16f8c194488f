import { expect, test } from "vitest";
import { projectFiles } from "../project-files.ts";
import { buildInputs } from "./build.ts";

test("no text that is written beside the sources rebuilds the page", () => {
  expect(projectFiles("sdk/*.md")).toContain("sdk/CHANGELOG.md");
  expect(buildInputs().filter((path) => path.endsWith(".md"))).toEqual([]);
});

test("sources of page, service and SDK do", () => {
  expect(buildInputs()).toEqual(
    expect.arrayContaining(["web/main.tsx", "worker/index.ts", "sdk/index.ts", "package-lock.json"]),
  );
});
