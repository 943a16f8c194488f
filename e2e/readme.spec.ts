import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { ROOT } from "../scripts/project-files.ts";
import { en } from "../web/i18n/en.ts";
import { Kiosk } from "./support/kiosk.ts";
import { expect, test } from "./support/test.ts";

/** The paragraph of a page that begins with `title` in bold. */
function paragraph(page: string, title: string): string {
  const text = readFileSync(join(ROOT, page), "utf8");
  const found = text.split("\n\n").find((one) => one.startsWith(`**${title}**`));
  if (found === undefined) throw new Error(`${page} has no paragraph "${title}"`);
  return found.replaceAll("\n", " ");
}

/** Does what a paragraph says: opens its address, types each *label* `value`, presses each other *button*. */
async function follow(page: Page, service: string, text: string): Promise<void> {
  const [, path = ""] = /<http:\/\/localhost:8787(\S*)>/.exec(text) ?? [];
  await page.goto(`${service}${path}`);
  // The panel of virtual tags has buttons with the tags' names, too.
  const screen = page.getByRole("main").or(page.getByRole("dialog"));
  for (const [, name = "", value] of text.matchAll(/(?<!\*)\*([^*]+)\*(?!\*)(?: `([^`]+)`)?/g)) {
    if (value !== undefined) await page.getByLabel(name, { exact: true }).fill(value);
    else await screen.getByRole("button", { name }).first().click();
  }
}

test("the steps of the README write a first tag without a tag", async ({
  page,
  service,
  passenger,
  touchedTags,
}) => {
  touchedTags.push("ebt-21-0001");
  await follow(page, service, paragraph("README.md", "Your first tag, without a tag."));
  await passenger.sees(en.job.doneTitle);
});

test("the steps of the page about running set a kiosk up", async ({ page, service }) => {
  await follow(page, service, paragraph("docs/development.md", "A kiosk."));
  await new Kiosk(page).isAttracting();
  await expect(page.getByRole("complementary", { name: en.sim.title })).toContainText("EBT-0001");
});
