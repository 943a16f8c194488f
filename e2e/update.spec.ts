import { en } from "../web/i18n/en.ts";
import { EmulatedTags } from "./cdp-tag.ts";
import { runFront } from "./support/front.ts";
import { ADA } from "./support/passenger.ts";
import { controlled } from "./support/service-worker.ts";
import { expectLabel } from "./support/tag-checks.ts";
import { expect, test } from "./support/test.ts";

test.use({ serviceWorkers: "allow" });

test("a new version is offered when no job runs, installed when asked, and never by itself", async ({
  page,
  service,
  makeTag,
  passenger,
}) => {
  const front = await runFront(service);
  // Slow enough for an update to come in the middle.
  const tag = await makeTag("2.1", { displayMs: 5_000 });
  const emulated = await EmulatedTags.install(page, [tag]);
  try {
    emulated.choose(tag);
    await page.goto(front.url);
    await controlled(page);
    await emulated.goto(front.url);
    const offer = page.getByText(en.update.title);
    const script = await page.evaluate(() => navigator.serviceWorker.controller?.scriptURL);
    expect(script).toBe(`${front.url}/sw.js`);

    await passenger.findsJourney(ADA);
    await passenger.putsFirstBagOnTag();
    await passenger.reads(en.step.display);
    front.release();
    await page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.update());
    await page.waitForFunction(async () => (await navigator.serviceWorker.getRegistration())?.waiting);
    await expect(offer).toHaveCount(0);
    await passenger.sees(en.job.doneTitle);
    expectLabel(tag, ADA);

    await expect(offer).toBeVisible();
    const loads = page.waitForEvent("load");
    await page.getByRole("button", { name: en.update.action }).click();
    await loads;
    await page.waitForFunction(async () => {
      const registration = await navigator.serviceWorker.getRegistration();
      return registration?.active?.state === "activated" && registration.waiting === null;
    });
    await expect(offer).toHaveCount(0);
  } finally {
    await emulated.remove();
    await front.stop();
  }
});

test("the page can be installed", async ({ page, context, service }) => {
  await page.goto(service);
  await controlled(page);
  const session = await context.newCDPSession(page);
  const { installabilityErrors } = await session.send("Page.getInstallabilityErrors");
  // A test's context is a private window, which installs nothing.
  expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== "in-incognito")).toEqual(
    [],
  );
});
