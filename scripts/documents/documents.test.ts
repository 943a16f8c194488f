import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ERRORS } from "../../core/api/index.ts";
import { readOptions, TARGET_OPTIONS } from "../ops/command.ts";
import { COMMANDS } from "../ops/commands.ts";
import { projectFiles, ROOT } from "../project-files.ts";
import { codeBlocks } from "./code-blocks.ts";
import { errorCatalogue } from "./error-catalogue.ts";
import { sdkReference } from "./sdk-reference.ts";

const PAGES = projectFiles("README.md", "CONTRIBUTING.md", "docs/*.md");

/** Every `npm run ops -- …` of a page's shell blocks, as words. */
const opsIn = (page: string): readonly (readonly string[])[] =>
  codeBlocks(page, "sh")
    .join("\n")
    .replaceAll("\\\n", " ")
    .split("\n")
    .flatMap((line) => line.match(/^npm run ops -- (.*?)(?: +#.*)?$/)?.[1] ?? [])
    .map((line) => [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? ""));

const SHOWN = PAGES.flatMap((page) => opsIn(page).map((words) => [page, words.join(" "), words] as const));

describe("the operator's commands in the documentation", () => {
  it("are many", () => expect(SHOWN.length).toBeGreaterThan(15));

  it.each(SHOWN)("%s: %s", (_page, _line, words) => {
    const command = COMMANDS.find(({ name }) => name === words.slice(0, name.split(" ").length).join(" "));
    if (command === undefined) throw new Error("no such command");
    const options = { ...TARGET_OPTIONS, ...command.options };
    readOptions(options, words.slice(command.name.split(" ").length));
  });
});

describe("the error catalogue", () => {
  it("is what the tables say: npm run documents", () => {
    expect(readFileSync(join(ROOT, "docs", "errors.md"), "utf8")).toBe(errorCatalogue());
  });

  it("has every code of the service and of the SDK", () => {
    const codes = [...errorCatalogue().matchAll(/^\| [^|]+ \| `(\w+)` \|/gm)].map(([, code]) => code);
    expect(codes).toEqual(expect.arrayContaining(Object.keys(ERRORS)));
    expect(codes).toEqual(
      expect.arrayContaining(["cancelled", "unsupported", "outcome_unknown", "passkey_refused", "network"]),
    );
  });
});

describe("the reference of the SDK", () => {
  const reference = sdkReference();

  it("has every export of both entrances, with its comment and without its code", () => {
    expect(reference).toContain("## createTaglatch\n\n");
    expect(reference).toContain("## installVirtualTags\n\n");
    expect(reference).toContain("  transferTag(");
    expect(reference).not.toMatch(/\bawait /);
  });

  it("says something of every function and class", () => {
    const silent = [...reference.matchAll(/^## (\w+)\n\n```ts\n(?:async )?(?:function|class)/gm)];
    expect(silent.map(([, name]) => name)).toEqual([]);
  });
});
