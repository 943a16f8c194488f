import { readFile } from "node:fs/promises";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import type { GattVersion } from "../core/gatt/profile.ts";
import type { TagConfig } from "../sim/tag/tag-types.ts";
import { leapingWorld, restedWhenSpent } from "../sim/test-support/leaping-world.ts";
import { CHECKS } from "../web/desk/conformance/checks.ts";
import { GOOD_TAG, LOCKOUT_CHECK } from "../web/desk/conformance/test-support/good-tag.ts";
import { conformance as texts } from "../web/i18n/en-conformance.ts";
import { newTag } from "./support/tag-factory.ts";
import { expect, test } from "./support/test.ts";

/** A new tag whose message_1 allowance refills at once when it is spent. */
async function restedTag(service: string, generation: GattVersion, options: Partial<TagConfig> = {}) {
  const world = leapingWorld();
  return restedWhenSpent(await newTag(service, generation, options, world), world);
}

async function runsAllChecks(page: Page): Promise<void> {
  await page.getByRole("button", { name: texts.choose }).click();
  // Some seventy checks, each with a connection or two.
  await expect(page.getByRole("button", { name: texts.save })).toBeVisible({ timeout: 280_000 });
}

interface Report {
  readonly tag: { readonly id: string; readonly generation: string };
  readonly counts: { readonly pass: number; readonly fail: number; readonly skip: number };
  readonly checks: readonly {
    readonly id: string;
    readonly outcome: string;
    readonly seen: string;
    readonly why: string;
  }[];
}

function idsOf(checks: Report["checks"], outcome: string): string[] {
  return checks.filter((check) => check.outcome === outcome).map(({ id }) => id);
}

async function savesReport(page: Page): Promise<Report> {
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: texts.save }).click();
  return JSON.parse(await readFile(await (await download).path(), "utf8")) as Report;
}

/**
 * Tags without a fault, by night (`CONFORMANCE=all`): some seventy checks, each with a connection or two, take as long as ten
 * other stories. By day web/desk/conformance meets the same tags without a browser, and the tag below runs through this one.
 */
const GOOD = process.env.CONFORMANCE === "all" ? (["2.1", "2.0"] as const) : [];

for (const generation of GOOD) {
  test(`a good v${generation} tag passes every check that applies, through a real Bluetooth stack`, async ({
    page,
    service,
    open,
  }) => {
    const tag = await restedTag(service, generation);
    await open([tag], "/conformance");
    await runsAllChecks(page);
    const { tag: told, counts, checks } = await savesReport(page);
    const { passed, skipped } = GOOD_TAG[generation];
    expect(checks.filter(({ outcome }) => outcome === "fail")).toEqual([]);
    expect(told).toMatchObject({ id: tag.id, generation });
    // The page leaves out what locks the tag unless the person asks for it.
    expect(idsOf(checks, "skip")).toEqual([...skipped, LOCKOUT_CHECK]);
    expect(counts).toEqual({ pass: passed, fail: 0, skip: skipped.length + 1 });
    expect(checks.map(({ id }) => id)).toEqual(CHECKS.map(({ id }) => id));
    await expect(page.getByText(texts.allPassed(tag.name))).toBeVisible();
    expect(tag.snapshot().display).toMatchObject({ state: "BLANK", content: null });
  });
}

test("a tag that tells its serial number is caught by that check alone, and the page says why it matters", async ({
  page,
  service,
  open,
}) => {
  const id = "ebt-20-telltale";
  const tag = await restedTag(service, "2.0", { id, model: `Model ${id}` });
  await open([tag], "/conformance");
  await runsAllChecks(page);
  const { checks } = await savesReport(page);
  expect(idsOf(checks, "fail")).toEqual(["C08"]);
  await expect(page.getByText(texts.someFailed(tag.name, 1))).toBeVisible();
  await expect(page.getByText(texts.checks.C08.why)).toBeVisible();
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id: rule, nodes }) => [rule, nodes.map((node) => node.html)])).toEqual([]);
});
