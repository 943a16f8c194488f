/** A family's booking, as its airline announces it. */
import { expectLabel } from "../scripts/drivers/tag-checks.ts";
import { en } from "../web/i18n/en.ts";
import { MOVING } from "./support/browser.ts";
import { announceFamily, EVE, IRENE } from "./support/family.ts";
import { expect, test } from "./support/test.ts";

const { otherBag } = en.passenger;

test.describe("in motion", () => {
  test.use(MOVING);

  test("two bags, two tags, and then the companion's: one run, with each bag's tag beside it", async ({
    page,
    makeTag,
    open,
    passenger,
    service,
  }) => {
    const tags = [await makeTag("2.1"), await makeTag("2.0"), await makeTag("2.1")] as const;
    const [first, second, third] = tags;
    const turn = (number: number) => page.locator(".run > li").nth(number - 1);
    const said = (number: number, tag: string) => `IRENE ${en.bag.title(number)}${tag}${en.stepState.done}`;
    /** `done` bags have their tags then: a heading would be that of the screen before. */
    const goOn = async (name: string, done: number) => {
      await page.getByRole("button", { name }).click();
      await passenger.choosesTagUntil(page.locator(".run > [data-done]").nth(done - 1));
      await passenger.sees(en.job.doneTitle);
    };
    await announceFamily(service);
    const emulated = await open(tags);
    await passenger.findsJourney(IRENE);
    await passenger.reads(en.journey.run(2));
    await expect(page.getByRole("link", { name: `EVE, ${en.journey.bags(1)}` })).toBeVisible();
    await passenger.putsFirstBagOnTag();
    await passenger.sees(en.job.doneTitle);
    await passenger.reads(en.passenger.run.done(1, "CPH"));
    await expect(turn(1)).toHaveText(said(1, first.name));
    await expect(turn(2)).toHaveText(`IRENE ${en.bag.title(2)}`);
    emulated.choose(second);
    await goOn(en.job.nextBag(2), 2);
    await expect(turn(2)).toHaveText(said(2, second.name));
    emulated.choose(third);
    await goOn(en.job.nextBagOf("EVE", 1), 3);
    expectLabel(third, EVE);
    // Her screen is hers, and all three bags have their tags.
    await expect(page.locator(".run > [data-done]")).toHaveCount(3);
    await expect(page.getByRole("button", { name: /^Now/ })).toHaveCount(0);
    // The tag of one is known for what it is when the other's bag is to go on it.
    await page.getByRole("link", { name: en.job.toJourney }).click();
    await page.getByRole("link", { name: /^IRENE,/ }).click();
    await passenger.firstBag.click();
    await passenger.choosesTagUntil(page.getByRole("heading", { name: otherBag.titleOf("EVE", 1) }));
    expectLabel(third, EVE);
    // It has Ève's lock, which Irène's booking would not release after the test.
    await emulated.goto(`${service}/clear`);
    await passenger.clearsTag();
    await passenger.sees(en.clear.doneTitle);
  });
});
