import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { fromBase64 } from "../core/encoding/bytes.ts";
import type { GattVersion } from "../core/gatt/profile.ts";
import { toPem } from "../core/pki/pem.ts";
import tagCa from "../db/demo/tag-ca.json" with { type: "json" };
import type { Counts, Group } from "../kit/conformance/check-row.ts";
import { CHECKS } from "../kit/conformance/checks.ts";
import { GOOD_TAG, LOCKOUT_CHECK, RESPONSES_CHECK } from "../kit/conformance/test-support/fixture.ts";
import { CHECK_TEXTS } from "../kit/conformance/texts/english.ts";
import { JUERGEN } from "../scripts/drivers/passenger.ts";
import { newTag } from "../scripts/drivers/tag-factory.ts";
import { ROOT } from "../scripts/project-files.ts";
import type { TagConfig } from "../sim/tag/tag-types.ts";
import { leapingWorld, restedWhenSpent } from "../sim/test-support/virtual-time.ts";
import { en } from "../web/i18n/en.ts";
import { conformance as texts } from "../web/i18n/en-conformance.ts";
import { expect, test } from "./support/test.ts";

/** A new tag whose message_1 allowance refills at once when it is spent. */
async function restedTag(service: string, generation: GattVersion, options: Partial<TagConfig> = {}) {
  const world = leapingWorld();
  return restedWhenSpent(await newTag(service, generation, options, world), world);
}

async function runsChecks(page: Page, group?: Group): Promise<void> {
  if (group !== undefined) await page.getByLabel(texts.which).selectOption(group);
  await page.getByRole("button", { name: texts.choose }).click();
  // Some eighty checks, each with a connection or two.
  await expect(page.getByRole("button", { name: texts.save })).toBeVisible({ timeout: 280_000 });
}

interface Report {
  readonly tag: { readonly id: string; readonly generation: string };
  readonly counts: Counts;
  readonly checks: readonly {
    readonly id: string;
    readonly outcome: string;
    readonly seen: string;
    readonly why: string;
  }[];
}

function idsOf(checks: Report["checks"], outcome: string): string[] {
  return checks
    .filter((check) => check.outcome === outcome)
    .map(({ id }) => id)
    .toSorted();
}

async function savesReport(page: Page): Promise<{ readonly report: Report; readonly file: string }> {
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: texts.save }).click();
  const file = await (await download).path();
  return { report: JSON.parse(await readFile(file, "utf8")) as Report, file };
}

/** What the operator's command makes of the report, under the demo tag CA. */
async function verifies(file: string): Promise<string> {
  const roots = `${file}.pem`;
  await writeFile(roots, toPem(fromBase64(tagCa.certificate)));
  const words = ["scripts/ops/ops.ts", "report", "verify", "--file", file, "--tag-root", roots];
  const { stdout, stderr } = spawnSync("node", words, { cwd: ROOT, encoding: "utf8" });
  return `${stdout}${stderr}`;
}

/**
 * Tags without a fault: some eighty checks, each with a connection or two, take as long as ten other stories. Daily,
 * kit/conformance meets the same tags without a browser.
 */
for (const generation of ["2.1", "2.0"] as const) {
  test(`a good v${generation} tag passes every check that applies, through a real Bluetooth stack`, async ({
    page,
    service,
    open,
  }) => {
    const tag = await restedTag(service, generation);
    await open([tag], "/conformance");
    await runsChecks(page);
    const { report, file } = await savesReport(page);
    const { passed, skipped } = GOOD_TAG[generation];
    expect(report.checks.filter(({ outcome }) => outcome === "fail")).toEqual([]);
    expect(report.tag).toMatchObject({ id: tag.id, generation });
    // The page leaves out what locks the tag unless the person asks for it.
    // This browser writes with response.
    const here = generation === "2.1" ? [LOCKOUT_CHECK, RESPONSES_CHECK] : [LOCKOUT_CHECK];
    expect(idsOf(report.checks, "skip")).toEqual([...skipped, ...here].toSorted());
    const done = passed - (here.length - 1);
    expect(report.counts).toEqual({ applies: done, pass: done, fail: 0, skip: 0 });
    expect(report.checks.map(({ id }) => id)).toEqual(CHECKS.map(({ id }) => id));
    await expect(page.getByText(texts.allPassed(tag.name, done))).toBeVisible();
    expect(await verifies(file)).toContain(
      generation === "2.1" ? `verified: ${tag.id} signed this report` : "the tag cannot sign",
    );
    expect(tag.snapshot().display).toMatchObject({ state: "BLANK", content: null });
  });
}

test("a tag that reveals its serial number is caught by that check alone, and the page says why it matters", async ({
  page,
  service,
  open,
}) => {
  const id = "ebt-20-telltale";
  const tag = await restedTag(service, "2.0", { id, model: `Model ${id}` });
  await open([tag], "/conformance");
  await runsChecks(page, "gatt");
  const { checks } = (await savesReport(page)).report;
  expect(idsOf(checks, "fail")).toEqual(["C08"]);
  await expect(page.getByText(texts.someFailed(tag.name, 1))).toBeVisible();
  await expect(page.getByText(CHECK_TEXTS.C08.why)).toBeVisible();
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id: rule, nodes }) => [rule, nodes.map((node) => node.html)])).toEqual([]);
});

test("a tag that is locked to another person is refused before the run, with the way out", async ({
  page,
  makeTag,
  open,
  stranger,
}) => {
  const tag = await makeTag("2.1", { signs: false });
  await stranger.attach(tag.id, JUERGEN.baggageId);
  await open([tag], "/conformance");
  await page.getByRole("button", { name: texts.choose }).click();
  await expect(page.getByRole("alert")).toContainText(en.errors.custody_proof_required.what);
  await expect(page.getByRole("alert")).toContainText(texts.locked);
  await expect(page.getByRole("button", { name: texts.print })).toHaveCount(0);
});

test("the printed report leaves out the virtual tags", async ({ page, service }) => {
  await page.goto(`${service}/conformance?sim`);
  const panel = page.getByRole("complementary", { name: en.sim.title });
  await expect(panel).toBeVisible();
  await page.emulateMedia({ media: "print" });
  await expect(panel).toBeHidden();
  await expect(page.getByRole("heading", { name: texts.title })).toBeVisible();
});
