import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type Bytes, fromBase64Url, toBase64, toBase64Url } from "../../core/encoding/bytes.ts";
import { TAG_TIMER } from "../../core/gatt/profile.ts";
import { toPem } from "../../core/pki/pem.ts";
import {
  REPORT_FORMAT,
  type Report,
  type ReportWord,
  reportChallenge,
  reportText,
} from "../../core/sec/report.ts";
import { certificateHash, signStatement } from "../../core/sec/statement.ts";
import { CHECKS } from "../../kit/conformance/checks.ts";
import { Desk } from "../../kit/conformance/desk.ts";
import { Probe } from "../../kit/conformance/probe.ts";
import { reportFile, signReport } from "../../kit/conformance/report.ts";
import { runChecks } from "../../kit/conformance/runner.ts";
import { benchOf, fixture, hastyWorld, tagOf } from "../../kit/conformance/test-support/fixture.ts";
import type { TagCredential } from "../../sim/tag/tag-types.ts";
import { clientCa, NOW, TAG_ID, tagCa } from "../../sim/test-support/parties.ts";
import { temporaryFolder } from "../test/test-support/temporary-folder.ts";
import { outcomeOf } from "./test-support/operator.ts";

/** Reports that tags have signed, and what a forger might make of them. */

type Claims = { readonly deviceId?: string; readonly challenge?: undefined };
const OTHER_ID = "ebt-21-0002";
const folder = temporaryFolder();
const file = (name: string) => join(folder, name);

let tags: Awaited<ReturnType<typeof tagCa>>;
let credential: TagCredential;
/** What the page says of a run. */
const RUN: Report = {
  format: REPORT_FORMAT,
  date: new Date(NOW).toISOString(),
  tag: { id: TAG_ID, signs: true },
  group: "gatt",
  checks: [
    { applies: true, outcome: "pass" },
    { applies: true, outcome: "skip" },
    { applies: false, outcome: "fail" },
  ],
};
let report: Report & { readonly word: ReportWord & Record<string, string> };

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  tags = await tagCa();
  credential = await tags.issue(TAG_ID);
  report = { ...RUN, word: await wordOn(RUN) };
});
afterAll(() => vi.useRealTimers());

/** The statement on `about` of the tag with these keys, or with these claims. */
async function wordOn(about: Report, claims: Claims = {}, by = credential) {
  const certificate = by.chain[0] ?? new Uint8Array();
  const key = { certificateHash: await certificateHash(certificate), privateKey: by.privateKey };
  const none = { cti: null, mark: null, operation: null, commits: 0 };
  const challenge = "challenge" in claims ? {} : { challenge: await reportChallenge(about) };
  const asked = { deviceId: claims.deviceId ?? TAG_ID, ...none, ...challenge };
  const statement = toBase64Url(await signStatement(asked, key));
  return { certificate: toBase64(certificate), statement };
}

/** The lines of the command, with why it fails. */
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
  return [...lines, sentence].join("\n");
}

const VERIFIED = `\nverified: ${TAG_ID} signed this report\n`;
/** The report with another word, or another part of it. */
const worded = (word: Partial<ReportWord>): Report => ({ ...report, word: { ...report.word, ...word } });
const signed = async (claims: Claims) => worded(await wordOn(RUN, claims));
const otherTag = async () => wordOn(RUN, { deviceId: OTHER_ID }, await tags.issue(OTHER_ID));

it("verifies a report that its tag has signed", async () => {
  const run = "1 passed, 0 failed, 1 could not run; only the group gatt";
  expect(await verified(report, tags.root)).toBe(`${TAG_ID}, ${String(RUN.date)}: ${run}${VERIFIED}`);
});

/** A statement with its last byte changed: a part of the signature. */
function spoilt(): string {
  const bytes = fromBase64Url(report.word.statement);
  return toBase64Url(bytes.with(-1, (bytes.at(-1) ?? 0) ^ 1));
}

const OTHER_REPORT = "the tag signed another report than this one";
it.each<[string, () => Promise<string | Report>, string]>([
  ["a check left out", async () => ({ ...report, checks: [] }), OTHER_REPORT],
  ["a member more", async () => ({ ...report, more: true }), OTHER_REPORT],
  ["a bit changed", async () => worded({ statement: spoilt() }), "the signature is not the tag's"],
  [
    "a byte more",
    async () => worded({ statement: `${report.word.statement}AA` }),
    "statement cannot be read",
  ],
  ["a statement on another report", async () => worded(await wordOn({ ...RUN, date: "" })), OTHER_REPORT],
  ["another tag's word", async () => worded(await otherTag()), `it was signed by ${OTHER_ID}, another tag`],
  [
    "another tag's statement",
    async () => worded({ statement: (await otherTag()).statement }),
    "the tag's statement is under another certificate",
  ],
  [
    "the tag's key in another tag's name",
    () => signed({ deviceId: OTHER_ID }),
    "the statement is of another tag",
  ],
  ["a statement over no challenge", () => signed({ challenge: undefined }), OTHER_REPORT],
  ["no word", async () => RUN, "the tag can sign, and its word is missing"],
  [
    "no word of a tag that cannot",
    async () => ({ ...RUN, tag: { id: TAG_ID, signs: false } }),
    "the tag cannot sign: this report is unsigned",
  ],
  ["another program's file", async () => JSON.stringify(report), "the file is not as the page saved it"],
  [
    "a name that comes twice",
    async () => reportText(report).replace('"checks": [', '"checks": [],\n  "checks": ['),
    "the file is not as the page saved it",
  ],
])("of a report with %s says so", async (_what, content, sentence) => {
  expect(await verified(await content(), tags.root)).toContain(sentence);
});

it("refuses a key that certified itself, and a certificate of another CA for the very same id", async () => {
  const stranger = await tagCa();
  const forged = await wordOn(RUN, {}, await stranger.issue(TAG_ID));
  expect(await verified(worded(forged), tags.root)).toContain(
    "the certificate is not one of these CAs' (CHAIN)",
  );
  expect(await verified(worded(forged), stranger.root)).toContain(VERIFIED);
  const { certificate } = forged;
  expect(await verified(worded({ certificate }), stranger.root)).toContain("another certificate");
});

it("refuses a client's certificate in a tag's place", async () => {
  const { chain } = await (await clientCa()).issue();
  const certificate = toBase64(chain[0] ?? new Uint8Array());
  expect(await verified(worded({ certificate }), chain[1])).toContain("not verified");
});

it("verifies nothing without the CAs of tags, or with none in the file", async () => {
  expect(await verified(report)).toContain("--tag-root");
  expect(await verified(report, "")).toContain("(CHAIN)");
});

it.each(["", "[]", "null", '{"format":"taglatch-conformance/1"}', '{"format":"taglatch-conformance/2"}'])(
  "reports that %j is no report",
  async (content) =>
    expect(await verified(content, tags.root)).toMatch(/not a conformance report|is not JSON/),
);

it("has the word of a tag that the run has locked once it is open again", async () => {
  const here = await fixture();
  const world = hastyWorld();
  const after: typeof world.after = (milliseconds, action) =>
    world.after(milliseconds === TAG_TIMER.lockoutFirst ? 1_000 : milliseconds, action);
  const tag = await tagOf(here, "2.1", {}, { ...world, after });
  const bench = await benchOf(here, tag);
  const { signal } = new AbortController();
  const lockout = CHECKS.filter(({ id }) => id === "C74");
  const ignore = () => undefined;
  const events = { onTag: ignore, onStart: ignore, onResult: ignore };
  await runChecks(lockout, bench, { signal, optional: true, ...events });
  expect(tag.snapshot().state).toBe("LOCKOUT");
  const word = await signReport(RUN, new Desk(new Probe(bench, signal)));
  expect(await verified(reportFile(RUN, word), here.people.tags.root)).toContain(VERIFIED);
});
