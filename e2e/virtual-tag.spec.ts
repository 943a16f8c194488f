import { verifyFile } from "../scripts/sec-verify.ts";
import { en } from "../web/i18n/en.ts";
import { ADA } from "./support/passenger.ts";
import { expect, test } from "./support/test.ts";

for (const [id, name, generation] of [
  ["ebt-21-0001", "EBT-0001", "2.1"],
  ["ebt-20-0005", "EBT-0005", "2.0"],
] as const) {
  test(`without a tag at hand, a bag goes on a virtual v${generation} tag`, async ({
    page,
    service,
    passenger,
    touchedTags,
  }) => {
    touchedTags.push(id);
    await page.goto(`${service}/?sim`);
    const panel = page.getByRole("complementary", { name: en.sim.title });
    await expect(panel).toContainText(name);
    await passenger.findsJourney(ADA);
    await passenger.putsFirstBagOnTag();
    await passenger.dialog.getByRole("button", { name }).click();
    await passenger.sees(en.job.doneTitle);
    await expect(panel).toContainText(en.sim.commits(1));
    await expect(
      panel.getByRole("img", { name: en.bag.drawing("Helsinki", ADA.licencePlate) }),
    ).toBeVisible();
  });
}

test("the panel saves a virtual tag's handshakes as a file that sec:verify accepts", async ({
  page,
  service,
  passenger,
  touchedTags,
}) => {
  touchedTags.push("ebt-21-0001");
  await page.goto(`${service}/?sim`);
  const panel = page.getByRole("complementary", { name: en.sim.title });
  await passenger.findsJourney(ADA);
  await passenger.putsFirstBagOnTag();
  await passenger.dialog.getByRole("button", { name: "EBT-0001" }).click();
  await passenger.sees(en.job.doneTitle);
  const downloading = page.waitForEvent("download");
  await panel.getByRole("button", { name: en.sim.saveHandshakes }).click();
  const lines: string[] = [];
  const code = await verifyFile(await (await downloading).path(), (line) => lines.push(line));
  expect({ code, lines }).toEqual({ code: 0, lines: ["handshake_1: ok", "1 transcripts verified"] });
});
