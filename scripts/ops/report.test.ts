import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { fromBase64Url, toBase64, toBase64Url } from "../../core/encoding/bytes.ts";
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
import { operate } from "./operate.ts";

/** Reports as the page makes them, signed by virtual tags; and what a forger might make of them. */

type Signed = Report & { readonly word: ReportWord & Record<string, string> };

const OTHER_ID = "ebt-21-0002";
const folder = mkdtempSync(join(tmpdir(), "taglatch-report-"));
const file = (name: string) => join(folder, name);
const { signal } = new AbortController();

let here: Fixture;
/** The file of a good tag's run, and what is in it. */
let text: string;
let report: Signed;

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  here = await fixture();
  writeFileSync(file("tag-ca.pem"), toPem(here.people.tags.root));
  text = await reportBy();
  report = JSON.parse(text) as Signed;
});
afterAll(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

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

async function verify(content: string | Report, ...options: string[]): Promise<string[]> {
  writeFileSync(file("report.json"), typeof content === "string" ? content : reportText(content));
  const lines: string[] = [];
  const words = ["report", "verify", "--file", file("report.json"), ...options];
  await operate(words, { print: (line) => lines.push(line), env: {} });
  return lines;
}

const known = (content: string | Report) => verify(content, "--tag-root", file("tag-ca.pem"));
const otherTag = async () => ({ id: OTHER_ID, credential: await here.people.tags.issue(OTHER_ID) });
const wordIn = (content: string) => (JSON.parse(content) as Signed).word;

it("verifies a report that its tag has signed", async () => {
  expect(await known(text)).toEqual([
    `${TAG_ID}, ${new Date(NOW).toISOString()}: 12 passed, 0 failed, 0 could not run; only the group gatt`,
    `verified: ${TAG_ID} signed this report`,
  ]);
});

it("is a file of this format, which people can read", () => {
  expect(text.split("\n").slice(0, 2)).toEqual(["{", '  "format": "taglatch-conformance/2",']);
});

it("refuses a report in which anything was changed", async () => {
  const [first, ...others] = report.checks as { outcome: string }[];
  const changed: Partial<Report>[] = [
    { checks: [{ ...first, outcome: "fail" }, ...others] },
    { checks: others },
    { date: new Date(NOW + 1).toISOString() },
    { group: "all" },
    { counts: { applies: 85, pass: 85, fail: 0, skip: 0 } },
    { tag: { ...(report.tag as object), firmware: "9.9" } },
    { more: true },
  ];
  for (const change of changed)
    await expect(
      known({ ...report, ...change } as Report),
      JSON.stringify(change).slice(0, 40),
    ).rejects.toThrow("not verified: the tag signed another report than this one");
});

it("refuses a statement with a bit changed, cut off, or too long", async () => {
  const bytes = fromBase64Url(report.word.statement);
  const spoilt = [...bytes.keys()].filter((at) => at % 7 === 0 || at > bytes.length - 3);
  for (const at of spoilt) {
    const statement = toBase64Url(bytes.map((byte, i) => (i === at ? byte ^ 1 : byte)));
    await expect(known({ ...report, word: { ...report.word, statement } }), `${at}`).rejects.toThrow(
      "not verified",
    );
  }
  for (const statement of ["", toBase64Url(bytes.slice(0, -1)), `${report.word.statement}AA`, "?"])
    await expect(known({ ...report, word: { ...report.word, statement } })).rejects.toThrow(
      "not verified: the tag's statement cannot be read",
    );
});

it("refuses the statement that the same tag gave another report", async () => {
  const word = wordIn(await reportBy({}, new Date(NOW + 60_000)));
  expect(word.certificate).toBe(report.word.certificate);
  await expect(known({ ...report, word: { ...word } })).rejects.toThrow("signed another report");
});

it("refuses another tag's statement, also under the tag's certificate", async () => {
  const word = wordIn(await reportBy(await otherTag()));
  await expect(known({ ...report, word: { ...word } })).rejects.toThrow(`signed by ${OTHER_ID}, another tag`);
  const { certificate } = report.word;
  await expect(known({ ...report, word: { ...word, certificate } })).rejects.toThrow("another certificate");
});

it("refuses what the tag's own key signed in another tag's name, and over no challenge", async () => {
  const { chain, privateKey } = here.people.credential;
  const key = { certificateHash: await certificateHash(chain[0] ?? new Uint8Array()), privateKey };
  const { word: _word, ...bare } = report;
  const challenge = await reportChallenge(bare as unknown as Report);
  const claims = { deviceId: TAG_ID, cti: null, mark: null, operation: null, commits: 0 };
  const signed = async (changes: object) => {
    const statement = toBase64Url(await signStatement({ ...claims, ...changes }, key));
    return known({ ...report, word: { ...report.word, statement } });
  };
  expect(await signed({ challenge })).toHaveLength(2);
  await expect(signed({ challenge, deviceId: OTHER_ID })).rejects.toThrow("of another tag");
  await expect(signed({})).rejects.toThrow("another report");
});

it("refuses a key that certified itself, and a certificate of another CA for the very same id", async () => {
  const stranger = await tagCa();
  const forged = await reportBy({ credential: await stranger.issue(TAG_ID) });
  await expect(known(forged)).rejects.toThrow("the certificate is not one of these CAs' (CHAIN)");
  writeFileSync(file("stranger.pem"), toPem(stranger.root));
  expect(await verify(forged, "--tag-root", file("stranger.pem"))).toHaveLength(2);
  const swapped = { ...report, word: { ...report.word, certificate: wordIn(forged).certificate } };
  await expect(verify(swapped, "--tag-root", file("stranger.pem"))).rejects.toThrow("another certificate");
});

it("refuses a client's certificate in a tag's place", async () => {
  const [leaf] = here.people.client.chain;
  const word = { ...report.word, certificate: toBase64(leaf ?? new Uint8Array()) };
  writeFileSync(file("client-ca.pem"), toPem(here.people.client.chain[1] ?? new Uint8Array()));
  await expect(verify({ ...report, word }, "--tag-root", file("client-ca.pem"))).rejects.toThrow(
    "not verified",
  );
});

it("verifies nothing without the CAs of tags, or with none in the file", async () => {
  await expect(verify(text)).rejects.toThrow("--tag-root");
  writeFileSync(file("empty.pem"), "");
  await expect(verify(text, "--tag-root", file("empty.pem"))).rejects.toThrow("(CHAIN)");
});

it("says of a tag that cannot sign that its report is unsigned, and of another that its statement is missing", async () => {
  const unsigned = await reportBy({ signs: false });
  expect(JSON.parse(unsigned).word).toBeUndefined();
  await expect(known(unsigned)).rejects.toThrow("not verified: the tag cannot sign");
  const { word: _word, ...bare } = report;
  await expect(known(bare as unknown as Report)).rejects.toThrow("its word is missing");
});

it("refuses a file that another program has written, and one in which a name comes twice", async () => {
  await expect(known(JSON.stringify(report))).rejects.toThrow("not as the page saved it");
  const twice = text.replace('"counts": {', '"counts": {\n    "pass": 99,');
  expect(JSON.parse(twice)).toEqual(report);
  await expect(known(twice)).rejects.toThrow("not as the page saved it");
});

it.each(["", "[]", "null", '{"format":"taglatch-conformance/1"}', '{"format":"taglatch-conformance/2"}'])(
  "reports that %j is no report",
  async (content) => {
    await expect(known(content)).rejects.toThrow(/^not a/);
  },
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
  const { word: _word, ...bare } = report;
  const word = await signReport(bare as unknown as Report, new Desk(new Probe(bench, signal)));
  expect(word?.certificate).toBe(report.word.certificate);
});
