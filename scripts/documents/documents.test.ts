import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ERRORS, endpoints } from "../../core/api/index.ts";
import { CLIENTS } from "../../db/demo/values.ts";
import { readOptions } from "../../kit/command-line.ts";
import { TARGET_OPTIONS } from "../ops/command.ts";
import { COMMANDS } from "../ops/commands.ts";
import { projectFiles, projectText, ROOT } from "../project-files.ts";
import { codeBlocks, tablesOf, tableWith } from "./read-markdown.ts";
import { sdkReference } from "./sdk-reference.ts";
import { leftOpen, operator, statement } from "./statements.ts";
import { errorCatalogue, GENERATED, listenPage } from "./write.ts";

/** Guidelines of WCAG 2.2, each with its criteria of levels A and AA. */
const WCAG = [
  ["1.1", 1],
  ["1.2", 1, 2, 3, 4, 5],
  ["1.3", 1, 2, 3, 4, 5],
  ["1.4", 1, 2, 3, 4, 5, 10, 11, 12, 13],
  ["2.1", 1, 2, 4],
  ["2.2", 1, 2],
  ["2.3", 1],
  ["2.4", 1, 2, 3, 4, 5, 6, 7, 11],
  ["2.5", 1, 2, 3, 4, 7, 8],
  ["3.1", 1, 2],
  ["3.2", 1, 2, 3, 4, 6],
  ["3.3", 1, 2, 3, 4, 7, 8],
  ["4.1", 2, 3],
] as const;

const PAGES = projectFiles("README.md", "CONTRIBUTING.md", "docs/*.md", "kit/README.md");

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

it.each(PAGES)("%s names clients that the development data have, or that it makes itself", (page) => {
  const after = (option: string) => (words: readonly string[]) =>
    words.flatMap((word, index) => (words[index - 1] === option ? [word] : []));
  const of = (name: string) => opsIn(page).filter((words) => words.join(" ").startsWith(`${name} `));
  const known: readonly string[] = [
    ...CLIENTS.map(({ id }) => id),
    ...of("client create").flatMap(after("--id")),
  ];
  const named = [...of("client").flatMap(after("--id")), ...opsIn(page).flatMap(after("--client"))];
  expect(named.filter((id) => !known.includes(id))).toEqual([]);
});

it("listen.md has a line for each evidence", () => {
  expect(listenPage()).toMatch(/^- `claimed`: \S.*\n(?:- `\w+`: \S.*\n){3}/m);
});

it.each(Object.entries(GENERATED))("docs/%s is what its table says: npm run documents", (name, text) => {
  expect(projectText(`docs/${name}`)).toBe(text());
});

it("alarms ask for columns as the service writes them, of paths and errors that it has", () => {
  const writes = projectText("worker/http/request.ts");
  expect(writes).toContain("blobs: [route, method, String(status), code, client],");
  expect(writes).toContain("doubles: doublesOf(milliseconds, calls),");
  const queries = projectText("docs/alarms.json");
  const codes = [...queries.matchAll(/blob4 = '(\w+)'/g)].map(([, code]) => code);
  expect(Object.keys(ERRORS)).toEqual(expect.arrayContaining(codes));
  const paths = [...queries.matchAll(/'(\/[^']+)'/g)].map(([, path]) => path);
  expect(Object.values(endpoints).map(({ path }) => path)).toEqual(expect.arrayContaining(paths));
  expect(codes.length + paths.length).toBeGreaterThan(8);
});

/** Tests that a page names from the top folder, without their ending, and that are not there. */
function missingTests(page: string) {
  const text = projectText(page);
  const named = [...text.matchAll(/`((?:core|db|kit|worker|sdk|sim|web|e2e|scripts)\/[\w/-]+)`/g)];
  const endings = ["test.ts", "test.tsx", "spec.ts"];
  const isThere = (name: string) => endings.some((end) => existsSync(join(ROOT, `${name}.${end}`)));
  return {
    named: named.length,
    missing: named.map(([, name = ""]) => name).filter((name) => !isThere(name)),
  };
}

/** Requirements of asvs.md, whose entries have several numbers each: `state` is met, in part, not met or without object. */
function requirementsIn(page: string) {
  const NUMBERS = /((?:\*{0,2}\d+(?:\.\d+){1,2}\*{0,2}(?:, )?)+)/.source;
  const present = [...page.matchAll(new RegExp(`^- ${NUMBERS}: (?:\\*\\*(in part|not met)\\*\\*: )?`, "gm"))];
  const absent = [...page.matchAll(/^Without object: ([\s\S]*?)\.\n/gm)].flatMap(([, text = ""]) =>
    [...text.replaceAll(/\s+/g, " ").matchAll(new RegExp(`(?:^|; )${NUMBERS} \\(`, "g"))].map((match) => [
      ...match,
      "without object",
    ]),
  );
  return [...present, ...absent].flatMap(([, ids = "", state = "met"]) =>
    ids.split(", ").map((id) => ({ id: id.replaceAll("*", ""), state })),
  );
}

it("asvs.md has each requirement once, under its chapter, counts them, and names tests that exist", () => {
  const page = projectText("docs/asvs.md");
  const requirements = requirementsIn(page);
  const ids = requirements.map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(200);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  const misplaced = page.split(/^## V/m).flatMap((chapter) => {
    const number = `${Number.parseInt(chapter, 10)}.`;
    return requirementsIn(chapter).filter(({ id }) => !id.startsWith(number));
  });
  expect(misplaced).toEqual([]);
  const count = (state: string) => requirements.filter((one) => one.state === state).length;
  expect(page).toContain(`${count("met")} met, ${count("in part")} met in part, ${count("not met")} not met`);
  const { named, missing } = missingTests("docs/asvs.md");
  expect(named).toBeGreaterThan(100);
  expect(missing).toEqual([]);
});

describe("the statements", () => {
  it("have no gap but those that the operator fills, and no markup of anybody's", () => {
    const said = {
      ...operator(),
      airline: "<script>Polar & Air</script>",
      contact: "[mail us](javascript:x)",
    };
    const html = statement("privacy", said);
    expect(html).toContain("&lt;script&gt;Polar &amp; Air&lt;/script&gt;");
    expect(html).not.toMatch(/<script|href="javascript|\{\{/);
    expect(html).toContain('<th scope="row">record locator, passenger&#39;s name</th>');
    expect(html).toContain("any minute of the last 30 days");
    expect(() => statement("privacy", {})).toThrow("docs/operator.json says nothing of");
    expect(leftOpen()).toContain("airline");
    expect(leftOpen({ airline: "Polar Air" })).toEqual([]);
  });

  it("go through each criterion of WCAG 2.2, A and AA, once, and name tests that exist", () => {
    const page = projectText("docs/accessibility.md");
    const { rows } = tableWith(tablesOf(page), "criteria", "", "how");
    expect(rows.flatMap(([criteria = ""]) => criteria.split(", ")).toSorted()).toEqual(
      WCAG.flatMap(([guideline = "", ...last]) => last.map((each) => `${guideline}.${each}`)).toSorted(),
    );
    expect(missingTests("docs/accessibility.md").missing).toEqual([]);
  });
});

it("the error catalogue has every code of the service and of the SDK's classes", () => {
  const codes = [...errorCatalogue().matchAll(/^### `(\w+)`$/gm)].map(([, code]) => code);
  const ofSdk = ["cancelled", "outcome_unknown", "passkey_refused", "network", "tag_carries_other_bag"];
  const ofTags = ["unsupported", "custody_proof_attempts_exceeded", "tag_shows_other_label"];
  expect(codes).toEqual(expect.arrayContaining([...Object.keys(ERRORS), ...ofSdk, ...ofTags]));
});

/** What the declarations of the SDK name of the language and of browsers, and their parameters of types. */
const NAMES_OF_OTHERS = (
  "AbortSignal ArrayBuffer ArrayBufferView CryptoKey CryptoKeyPair DataView Error ErrorOptions JsonWebKey Map Name " +
  "Partial Pick Promise Readonly Record Set Tag Uint8Array Value fetch"
).split(" ");

describe("the reference of the SDK", () => {
  const reference = sdkReference();

  it("has every export of each entrance, with its comment and without its code", () => {
    expect(reference).toContain("## createTaglatch\n\n");
    expect(reference).toContain("## installVirtualTags\n\n");
    expect(reference).toContain("  transferTag(");
    expect(reference).not.toMatch(/\bawait /);
  });

  const sections = [...reference.matchAll(/^## (\w+)$/gm)].map(([, name = ""]) => name);

  it("has every value of each entrance under its name, and its types", async () => {
    const parts = reference
      .split(/^# /m)
      .map((part) => [...part.matchAll(/^## (\w+)$/gm)].map(([, name]) => name));
    const entrances = [
      import("../../sdk/index.ts"),
      import("../../sdk/capacitor.ts"),
      import("../../sim/install.ts"),
    ];
    for (const [at, entrance] of (await Promise.all(entrances)).entries())
      expect(parts[at + 1]).toEqual(expect.arrayContaining(Object.keys(entrance)));
    // By its name, with all of a file, and of core.
    expect(parts[1]).toEqual(expect.arrayContaining(["TaglatchStorage", "DelegationCode", "Bytes"]));
  });

  it("has every type that a declaration in it names, DisplayTicket's label too", () => {
    const code = [...reference.matchAll(/^```ts\n([\s\S]*?)^```$/gm)]
      .map(([, block = ""]) => block.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|"[^"]*"|`[^`]*`/g, ""))
      .join("\n");
    const named = [...code.matchAll(/(?<![\w.])[A-Z]\w*[a-z]\w*|(?<=typeof )\w+/g)].map(([name]) => name);
    const missing = named.filter((name) => !sections.includes(name));
    expect([...new Set(missing)].toSorted()).toEqual(NAMES_OF_OTHERS);
    expect(sections).toContain("LabelPayload");
  });

  it("says something of every function and class", () => {
    const silent = [...reference.matchAll(/^## (\w+)\n\n```ts\n(?:async )?(?:function|class)/gm)];
    expect(silent.map(([, name]) => name)).toEqual([]);
  });
});
