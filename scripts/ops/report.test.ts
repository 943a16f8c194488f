import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type Bytes, fromBase64Url, toBase64, toBase64Url } from "../../core/encoding/bytes.ts";
import { TAG_TIMER } from "../../core/gatt/profile.ts";
import { toPem } from "../../core/pki/pem.ts";
import { type Report, type ReportWord, reportChallenge, reportText } from "../../core/sec/report.ts";
import { certificateHash, signStatement } from "../../core/sec/statement.ts";
import { CHECKS } from "../../kit/conformance/checks.ts";
import { Desk } from "../../kit/conformance/desk.ts";
import { Probe } from "../../kit/conformance/probe.ts";
import { reportFile, reportOf, signReport } from "../../kit/conformance/report.ts";
import { runChecks, type TagFacts } from "../../kit/conformance/runner.ts";
import {
  benchOf,
  type Fixture,
  fixture,
  hastyWorld,
  tagOf,
} from "../../kit/conformance/test-support/fixture.ts";
import type { TagConfig } from "../../sim/tag/tag-types.ts";
import { NOW, TAG_ID, tagCa } from "../../sim/test-support/parties.ts";
import { temporaryFolder } from "../test/test-support/temporary-folder.ts";
import { outcomeOf } from "./test-support/operator.ts";

/** Reports as the page makes them, signed by virtual tags; and what a forger might make of them. */

type Signed = Report & { readonly word: ReportWord & Record<string, string> };

const OTHER_ID = "ebt-21-0002";
const folder = temporaryFolder();
const file = (name: string) => join(folder, name);
const { signal } = new AbortController();

let here: Fixture;
/** The file of a good tag's run, and what is in it. */
let text: string;
let report: Signed;

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  here = await fixture();
  text = await reportBy();
  report = JSON.parse(text) as Signed;
});
afterAll(() => vi.useRealTimers());

/** The report of a short run against a tag of the scene. */
async function reportBy(changes: Partial<TagConfig> = {}, date = new Date(NOW)): Promise<string> {
  const bench = await benchOf(here, await tagOf(here, "2.1", changes));
  let tag: TagFacts | undefined;
  const results = await runChecks(
    CHECKS.filter(({ group }) => group === "gatt"),
    bench,
    {
      signal,
      optional: false,
      onTag: (facts) => {
        tag = facts;
      },
      onStart: () => undefined,
      onResult: () => undefined,
    },
  );
  const made = reportOf({ tag: tag as TagFacts, group: "gatt", results, date });
  return reportFile(made, await signReport(made, new Desk(new Probe(bench, signal))));
}

/** The last line of the command, or why it fails. */
async function verified(content: string | Report, root?: Bytes | ""): Promise<string> {
  writeFileSync(file("report.json"), typeof content === "string" ? content : reportText(content));
  if (root !== undefined) writeFileSync(file("ca.pem"), root === "" ? "" : toPem(root));
  const options = root === undefined ? [] : ["--tag-root", file("ca.pem")];
  const { lines, sentence } = await outcomeOf([
    "report",
    "verify",
    "--file",
    file("report.json"),
    ...options,
  ]);
  return sentence || (lines.at(-1) ?? "");
}

const VERIFIED = `verified: ${TAG_ID} signed this report`;
const known = (content: string | Report) => verified(content, here.people.tags.root);
const wordIn = (content: string) => (JSON.parse(content) as Signed).word;
/** The report with another word, or another part of it. */
const worded = (word: Partial<ReportWord>): Report => ({
  ...report,
  word: { certificate: report.word.certificate, statement: report.word.statement, ...word },
});
const unworded = (): Report => Object.fromEntries(Object.entries(report).filter(([name]) => name !== "word"));

it("verifies a report that its tag has signed", async () => {
  expect(text).toMatch(/^\{\n {2}"format": "taglatch-conformance\/2",\n/);
  expect(await known(text)).toBe(VERIFIED);
  const { lines } = await outcomeOf(["report", "verify", "--file", file("report.json")]);
  expect(lines).toEqual([
    `${TAG_ID}, ${new Date(NOW).toISOString()}: 12 passed, 0 failed, 0 could not run; only the group gatt`,
  ]);
});

/** A statement of the tag's own key. */
async function signed(changes: object): Promise<Report> {
  const { chain, privateKey } = here.people.credential;
  const key = { certificateHash: await certificateHash(chain[0] ?? new Uint8Array()), privateKey };
  const claims = { deviceId: TAG_ID, cti: null, mark: null, operation: null, commits: 0, ...changes };
  return worded({ statement: toBase64Url(await signStatement(claims, key)) });
}
const challenge = () => reportChallenge(unworded());
const otherTag = async () =>
  wordIn(await reportBy({ id: OTHER_ID, credential: await here.people.tags.issue(OTHER_ID) }));

/** A statement with its last byte changed: a part of the signature. */
function spoilt(): string {
  const bytes = fromBase64Url(report.word.statement);
  return toBase64Url(bytes.with(-1, (bytes.at(-1) ?? 0) ^ 1));
}

it.each<[string, () => Promise<string | Report>, string]>([
  [
    "a check left out",
    async () => ({ ...report, checks: [] }),
    "the tag signed another report than this one",
  ],
  ["a member more", async () => ({ ...report, more: true }), "the tag signed another report than this one"],
  ["a bit changed", async () => worded({ statement: spoilt() }), "the signature is not the tag's"],
  [
    "a byte more",
    async () => worded({ statement: `${report.word.statement}AA` }),
    "statement cannot be read",
  ],
  ["a statement over its own digest", async () => signed({ challenge: await challenge() }), VERIFIED],
  [
    "the same tag's statement on another report",
    async () => worded(wordIn(await reportBy({}, new Date(NOW + 60_000)))),
    "the tag signed another report than this one",
  ],
  ["another tag's word", async () => worded(await otherTag()), `it was signed by ${OTHER_ID}, another tag`],
  [
    "another tag's statement",
    async () => worded({ statement: (await otherTag()).statement }),
    "the tag's statement is under another certificate",
  ],
  [
    "the tag's key in another tag's name",
    async () => signed({ challenge: await challenge(), deviceId: OTHER_ID }),
    "the statement is of another tag",
  ],
  ["a statement over no challenge", () => signed({}), "the tag signed another report than this one"],
  ["no word", async () => unworded(), "the tag can sign, and its word is missing"],
  [
    "no word of a tag that cannot",
    () => reportBy({ signs: false }),
    "the tag cannot sign: this report is unsigned",
  ],
  ["another program's file", async () => JSON.stringify(report), "the file is not as the page saved it"],
  [
    "a name that comes twice",
    async () => text.replace('"counts": {', '"counts": {\n    "pass": 99,'),
    "the file is not as the page saved it",
  ],
])("of a report with %s says so", async (_what, content, sentence) => {
  expect(await known(await content())).toContain(sentence);
});

it("refuses a key that certified itself, and a certificate of another CA for the very same id", async () => {
  const stranger = await tagCa();
  const forged = await reportBy({ credential: await stranger.issue(TAG_ID) });
  expect(await known(forged)).toContain("the certificate is not one of these CAs' (CHAIN)");
  expect(await verified(forged, stranger.root)).toBe(VERIFIED);
  const { certificate } = wordIn(forged);
  expect(await verified(worded({ certificate }), stranger.root)).toContain("another certificate");
});

it("refuses a client's certificate in a tag's place", async () => {
  const [leaf, issuer] = here.people.client.chain;
  const certificate = toBase64(leaf ?? new Uint8Array());
  expect(await verified(worded({ certificate }), issuer)).toContain("not verified");
});

it("verifies nothing without the CAs of tags, or with none in the file", async () => {
  expect(await verified(text)).toContain("--tag-root");
  expect(await verified(text, "")).toContain("(CHAIN)");
});

it.each(["", "[]", "null", '{"format":"taglatch-conformance/1"}', '{"format":"taglatch-conformance/2"}'])(
  "reports that %j is no report",
  async (content) => expect(await known(content)).toMatch(/^not a/),
);

it("has the word of a tag that the run has locked once it is open again", async () => {
  const world = hastyWorld();
  const after: typeof world.after = (milliseconds, action) =>
    world.after(milliseconds === TAG_TIMER.lockoutFirst ? 1_000 : milliseconds, action);
  const tag = await tagOf(here, "2.1", {}, { ...world, after });
  const bench = await benchOf(here, tag);
  const lockout = CHECKS.filter(({ id }) => id === "C74");
  const ignore = () => undefined;
  await runChecks(lockout, bench, {
    signal,
    optional: true,
    onTag: ignore,
    onStart: ignore,
    onResult: ignore,
  });
  expect(tag.snapshot().state).toBe("LOCKOUT");
  const word = await signReport(unworded(), new Desk(new Probe(bench, signal)));
  expect(word?.certificate).toBe(report.word.certificate);
});
