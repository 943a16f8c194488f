import { readFile } from "node:fs/promises";
import { verifyFile } from "../kit/vectors/sec-verify.ts";
import { ADA, type Passenger } from "../scripts/drivers/passenger.ts";
import { en } from "../web/i18n/en.ts";
import { diagnostics } from "../web/i18n/en-diagnostics.ts";
import { expect, test } from "./support/test.ts";
import { storesOf } from "./support/traces.ts";

/** Opens the virtual tags and puts Ada's first bag on the one of this name; resolves with their panel. */
async function writeVirtualTag(passenger: Passenger, service: string, name: string) {
  const { page } = passenger;
  await page.goto(`${service}/?sim`);
  const panel = page.getByRole("complementary", { name: en.sim.title });
  await expect(panel).toContainText(name);
  await passenger.beginsFirstBag(ADA);
  await passenger.dialog.getByRole("button", { name: en.passenger.list.show }).click();
  await passenger.dialog.getByRole("button", { name }).click();
  await passenger.sees(en.job.doneTitle);
  await expect(panel).toContainText(en.sim.commits(1));
  await expect(panel.getByRole("img", { name: en.bag.drawing("Helsinki", ADA.licencePlate) })).toBeVisible();
  return panel;
}

test("on a phone the tag's label stays in sight beside the newest of its steps", { tag: "@nightly" }, async ({
  page,
  service,
  passenger,
  touchedTags,
}) => {
  touchedTags.push("ebt-20-0006");
  await page.setViewportSize({ width: 360, height: 740 });
  const panel = await writeVirtualTag(passenger, service, "EBT-0006");
  await panel.locator(".transcript-list > li").last().scrollIntoViewIfNeeded();
  await panel.locator(".transcript-list").evaluate((list) => list.scrollIntoView({ block: "end" }));
  await expect(panel.locator(".transcript-list > li").last()).toBeInViewport({ ratio: 1 });
  await expect(panel.getByRole("img", { name: en.bag.drawing("Helsinki", ADA.licencePlate) })).toBeInViewport(
    {
      ratio: 1,
    },
  );
});

test("a virtual v2.1 tag's handshakes are saved as a file that sec:verify accepts, its transcript is replayed", {
  tag: "@nightly",
}, async ({ page, service, passenger, touchedTags }) => {
  touchedTags.push("ebt-21-0001");
  const panel = await writeVirtualTag(passenger, service, "EBT-0001");
  const saving = page.waitForEvent("download");
  await panel.getByRole("button", { name: en.sim.saveHandshakes }).click();
  const lines: string[] = [];
  const code = await verifyFile(await (await saving).path(), (line) => lines.push(line));
  expect({ code, lines }).toEqual({ code: 0, lines: ["handshake_1: ok", "1 transcripts verified"] });

  const downloading = page.waitForEvent("download");
  await panel.getByRole("button", { name: en.sim.save, exact: true }).click();
  const file = await (await downloading).path();
  await panel.getByLabel(en.sim.replayOpen).setInputFiles(file);
  const replay = panel.getByRole("region", { name: en.sim.replayTitle });
  await expect(replay).toContainText(/Decoded again by this version: (\d+) of \1 read the same/);
  await expect(replay.getByRole("img", { name: en.sim.blankDrawing })).toBeVisible();
  await replay.getByRole("button", { name: en.sim.replayNext }).click();
  await expect(replay.getByRole("status")).toContainText("1 of ");
  await replay.getByRole("button", { name: en.sim.replayLast }).click();
  await expect(
    replay.getByRole("img", { name: en.sim.bagDrawing("Helsinki", ADA.licencePlate) }),
  ).toBeVisible();
  await replay.getByRole("button", { name: en.sim.replayClose }).click();
  await panel.getByLabel(en.sim.replayOpen).setInputFiles({
    name: "notes.jsonl",
    mimeType: "application/jsonl",
    buffer: Buffer.from("hello"),
  });
  await expect(panel.getByRole("alert")).toContainText(en.sim.replayProblem.not_json(1));
});

test("after a transfer the diagnostics page has its timings, and saves them without a name in them", {
  tag: "@nightly",
}, async ({ page, service, passenger, touchedTags }) => {
  touchedTags.push("ebt-21-0002");
  await writeVirtualTag(passenger, service, "EBT-0002");
  // Who leaves the page as a run is being kept may lose it.
  await expect.poll(async () => (await storesOf(page))["taglatch-runs runs"]?.length).toBe(2);
  await page.goto(`${service}/diagnostics`);
  await expect(page.getByRole("cell", { name: "transfer" })).toBeVisible();
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: diagnostics.save }).click();
  const text = await readFile(await (await downloading).path(), "utf8");
  const { abilities, runs } = JSON.parse(text);
  expect(abilities.ecdsaP256).toEqual({ has: true });
  expect(runs.map(({ operation }: { operation: string }) => operation)).toEqual(["transfer", "pick"]);
  expect(text).not.toMatch(/ABC123|LOVELACE|0117123456|ebt-21|EBT-/i);
});
