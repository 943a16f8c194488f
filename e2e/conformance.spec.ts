import { readFile } from "node:fs/promises";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { conformance as texts } from "../web/i18n/en-conformance.ts";
import { realTimeWorld } from "../web/sim/real-time-world.ts";
import type { TagWorld } from "../web/sim/tag-types.ts";
import { newTag } from "./support/tag-factory.ts";
import { expect, test } from "./support/test.ts";

/** A tag's clock at sixty times its speed: its message_1 allowance refills within the test. */
function hastyWorld(): TagWorld {
  const world = realTimeWorld();
  return { ...world, now: () => world.now() * 60 };
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

async function savesReport(page: Page): Promise<Report> {
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: texts.save }).click();
  return JSON.parse(await readFile(await (await download).path(), "utf8")) as Report;
}

for (const generation of ["2.1", "2.0"] as const) {
  test(`a good v${generation} tag passes every check that applies, through a real Bluetooth stack`, async ({
    page,
    service,
    open,
  }) => {
    const tag = await newTag(service, generation, {}, hastyWorld());
    await open([tag], "/conformance");
    await runsAllChecks(page);
    const { tag: told, counts, checks } = await savesReport(page);
    expect(checks.filter(({ outcome }) => outcome === "fail")).toEqual([]);
    expect(told).toMatchObject({ id: tag.id, generation });
    expect(counts.pass).toBeGreaterThanOrEqual(30);
    expect(checks.length).toBe(Object.keys(texts.checks).length);
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
  const tag = await newTag(service, "2.0", { id, model: `Model ${id}` }, hastyWorld());
  await open([tag], "/conformance");
  await runsAllChecks(page);
  const { checks } = await savesReport(page);
  expect(checks.filter(({ outcome }) => outcome === "fail").map((check) => check.id)).toEqual(["C08"]);
  await expect(page.getByText(texts.someFailed(tag.name, 1))).toBeVisible();
  await expect(page.getByText(texts.checks.C08.why)).toBeVisible();
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id: rule, nodes }) => [rule, nodes.map((node) => node.html)])).toEqual([]);
});
