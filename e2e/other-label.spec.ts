import { ADA, JUERGEN } from "../scripts/drivers/passenger.ts";
import { expectLabel, expectLocked } from "../scripts/drivers/tag-checks.ts";
import { en } from "../web/i18n/en.ts";
import { test } from "./support/test.ts";

const { otherBag } = en.passenger;

for (const generation of ["2.1", "2.0"] as const)
  test(`a label that another person has just written to a v${generation} tag is asked about`, {
    tag: generation === "2.0" ? "@nightly" : [],
  }, async ({ page, service, makeTag, open, passenger, stranger }) => {
    const tag = await makeTag(generation);
    const emulated = await open([tag]);
    // Written, and not yet locked: the confirmation does not arrive.
    await page.route("**/v2/device-attachments", (route) => route.abort());
    await passenger.beginsFirstBag(ADA);
    await passenger.sees(en.job.pendingTitle);
    expectLabel(tag, ADA);

    // Another person, at a device that knows nothing of it.
    await page.context().clearCookies();
    const session = await page.context().newCDPSession(page);
    await session.send("Storage.clearDataForOrigin", {
      origin: service,
      storageTypes: "all",
    });
    await emulated.goto(service);
    await page.unroute("**/v2/device-attachments");
    await passenger.beginsFirstBag(JUERGEN);
    await passenger.choosesTagUntil(page.getByRole("heading", { level: 1, name: otherBag.labelTitle }));
    expectLabel(tag, ADA);
    await page.getByRole("button", { name: otherBag.replace }).click();
    await passenger.sees(en.job.doneTitle);
    expectLabel(tag, JUERGEN);
    await expectLocked(tag, stranger);
  });
