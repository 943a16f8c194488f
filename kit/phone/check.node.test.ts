import "fake-indexeddb/auto";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { fromBase64 } from "../../core/encoding/bytes.ts";
import { dailyOrFull } from "../../core/full.test-support.ts";
import { readCertificate } from "../../core/pki/certificate.ts";
import { importKey } from "../../core/pki/chain.ts";
import { faultOfWord, type Report, type ReportWord } from "../../core/sec/report.ts";
import { newTag } from "../../scripts/drivers/tag-factory.ts";
import { ROOT } from "../../scripts/project-files.ts";
import { start as startProgram } from "../../scripts/run.ts";
import { type Server, startServer } from "../../scripts/serve/server.ts";
import { createTaglatch } from "../../sdk/index.ts";
import { webBluetoothRadio } from "../../sdk/tag/web-bluetooth-link.ts";
import { valueIn } from "../../sdk/test-support/value-in.ts";
import { fakeBluetooth } from "../../sim/radio/fake-bluetooth.ts";
import type { TagSimulator } from "../../sim/tag/tag-simulator.ts";
import { restedWhenSpent } from "../../sim/test-support/virtual-time.ts";
import { hastyWorld } from "../conformance/test-support/fixture.ts";
import { createWorkbench } from "../conformance/workbench.ts";
import { onAir } from "../test-support/att-fixture.ts";
import { start } from "../test-support/running.ts";
import { checkTag } from "./check.ts";

const PHONE = fileURLToPath(new URL("phone.ts", import.meta.url));
const FOREIGN = fileURLToPath(new URL("../test-support/foreign_tag.py", import.meta.url));

let service: Server;
const folder = mkdtempSync(join(tmpdir(), "taglatch-phone-check-"));
const endings: (() => unknown)[] = [];
beforeAll(async () => {
  service = await startServer({ port: 0, stateDir: join(folder, "service") });
});
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The checks `only` of `tag` over ATT: the outcome, the lines that were printed, and the report's files. */
async function checks(tag: TagSimulator, only: readonly string[]) {
  const { remote, close } = await onAir(tag);
  endings.push(close);
  const radio = webBluetoothRadio(() => fakeBluetooth([remote], async ([first]) => first));
  const workbench = createWorkbench({ baseUrl: service.url, radio, databaseName: "phone-check" });
  const report = join(folder, `${tag.id}.json`);
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const isGood = await checkTag({ only, lockout: false, report, workbench, print, pause: 100 });
  const [json = "", xml = ""] = [report, report.replace(".json", ".xml")].map((file) =>
    readFileSync(file, "utf8"),
  );
  return { isGood, lines, report: JSON.parse(json) as Report, xml };
}

async function tagNow(changes: Parameters<typeof newTag>[2] = {}): Promise<TagSimulator> {
  const world = hastyWorld();
  return restedWhenSpent(await newTag(service.url, "2.1", { displayMs: 10, ...changes }, world), world);
}

test("a good tag's report is signed, with JUnit's beside it, and the tag is left blank", async () => {
  const tag = await tagNow();
  const { isGood, lines, report, xml } = await checks(tag, ["label", "C12"]);
  expect(isGood, lines.join("\n")).toBe(true);
  expect(lines.at(-1)).toMatch(/^\d+ passed, 0 failed, 0 could not run$/);
  expect(report).toMatchObject({ group: "label,C12", counts: { fail: 0, skip: 0 } });
  const word = report.word as unknown as ReportWord;
  const publicKey = await importKey(readCertificate(fromBase64(word.certificate)));
  expect(await faultOfWord(report, word, { publicKey, deviceId: tag.id })).toBeUndefined();
  const { pass } = report.counts as { readonly pass: number };
  expect(xml.match(/<testcase/g)).toHaveLength(pass);
  expect(xml).toContain(`tests="${pass}" failures="0" skipped="0"`);
  expect(tag.snapshot().display).toMatchObject({ state: "BLANK", content: null });
});

test("a fault fails the run, and its line says what was expected and seen", async () => {
  const id = "ebt-21-telltale";
  const { isGood, lines, xml } = await checks(await tagNow({ id, model: `Model ${id}` }), ["gatt"]);
  expect(isGood).toBe(false);
  const at = lines.findIndex((line) => /C08 {2}FAILED/.test(line));
  expect(lines.slice(at, at + 3)).toEqual([
    expect.stringContaining("C08"),
    expect.stringContaining("expected: "),
    expect.stringContaining("seen: "),
  ]);
  expect(xml.match(/<failure/g)).toHaveLength(1);
});

test("a tag that another person has written is refused before a check runs", async () => {
  const { remote, close } = await onAir(await tagNow());
  endings.push(close);
  const radio = webBluetoothRadio(() => fakeBluetooth([remote], async ([first]) => first));
  const config = { baseUrl: service.url, radio };
  const passenger = createTaglatch({ ...config, databaseName: "passenger" });
  const journey = valueIn(await passenger.journeys.fromRecordLocator("ABC123", "Lovelace"));
  const tag = valueIn(await passenger.pickTag());
  const { journeyId, baggage } = journey;
  const request = { ...tag, journeyId, baggageId: baggage[0]?.baggageId ?? 0 };
  valueIn(await passenger.transferTag(request));
  await passenger.disconnect(tag.deviceId);
  const lines: string[] = [];
  const options = { only: undefined, lockout: false, report: undefined, pause: 100 };
  const workbench = createWorkbench({ ...config, databaseName: "maker" });
  const run = checkTag({ ...options, workbench, print: (line) => void lines.push(line) });
  await expect(run).rejects.toMatchObject({ name: "ServiceError", code: "custody_proof_required" });
  expect(lines).toEqual([expect.stringContaining(tag.name)]);
});

/** The command in a process of its own; `line` is where its tag belongs. */
const command = (...words: readonly string[]) => commandBy([process.execPath, PHONE], ...words);

async function commandBy([program = "", ...before]: readonly string[], ...words: readonly string[]) {
  const phone = startProgram(program, [...before, "check", "--service", service.url, ...words]);
  endings.push(() => phone.stop("SIGKILL"));
  const [, line = ""] = await phone.prints(/(?:--radio|\(H4\):) (\S+)/).catch(() => []);
  return { ...phone, line };
}

/** Behind one of `npm run tag`; daily, a foreign one starts in a third of the time. */
const OWN_TAGS = dailyOrFull([], ["npm run tag"]);

test.each(OWN_TAGS)("`npm run phone -- check` ends with status 0 behind a good tag of `%s`", async () => {
  const { line, ended, said } = await command("--only", "gatt,C12");
  const state = join(folder, "tag");
  await start(["--radio", line, "--state", state, "--service", service.url], (end) => endings.push(end));
  expect((await ended).code, said()).toBe(0);
  expect(said()).toMatch(/C12 {2}passed[\s\S]*\d+ passed, 0 failed, 0 could not run/);
});

/** The command as a maker's build server calls it: from the package, packed and installed. */
function packed(): readonly string[] {
  const run = (program: string, ...words: readonly string[]) => execFileSync(program, words, { cwd: ROOT });
  run(process.execPath, "scripts/build/build-kit.ts");
  run("npm", "pack", "./kit", "--silent", "--pack-destination", folder);
  return ["npx", "--offline", "--yes", "--package", join(folder, "taglatch-kit-0.1.0.tgz"), "taglatch-phone"];
}
const CALLS = [["`npm run phone`", () => [process.execPath, PHONE]] as const];

test.each(dailyOrFull(CALLS, [...CALLS, ["`npx` of the packed kit", packed] as const]))(
  "%s ends with status 0 behind a good tag that shares no code with it",
  async (_call, words) => {
    const report = join(folder, "foreign.json");
    const only = ["--only", "gatt,frames,C67,C68,C69", "--report", report];
    const { line, ended, said } = await commandBy(words(), ...only);
    const tag = startProgram("python3", [FOREIGN, line]);
    endings.push(() => tag.stop("SIGKILL"));
    expect((await ended).code, said() + tag.said()).toBe(0);
    const { tag: facts, counts, checks } = JSON.parse(readFileSync(report, "utf8"));
    expect(facts).toMatchObject({ id: "foreign-0042", generation: "2.0", name: "EBT-0042" });
    expect(counts).toMatchObject({ fail: 0, skip: 0 });
    expect(checks.find(({ id }: { id: string }) => id === "C91")).toMatchObject({ outcome: "pass" });
  },
);

test.each([
  [["erase"], "Unknown action 'erase'.\nnpm run phone --"],
  [["--only", "C29"], "Unknown check 'C29'; groups are gatt, "],
  [["--report", "/no/such/report.json"], "There is no folder /no/such for the report"],
])("`npm run phone -- check` says what is wrong in %j", async (words, sentence) => {
  const { ended, said } = await command(...words);
  expect((await ended).code).toBe(2);
  expect(said()).toContain(sentence);
});
