import { ADA, asHeading } from "../scripts/drivers/passenger.ts";
import { expectBlank, expectLabel, expectLocked, expectUnlocked } from "../scripts/drivers/tag-checks.ts";
import { issueCredential } from "../scripts/drivers/tag-factory.ts";
import { en } from "../web/i18n/en.ts";
import { MOVING } from "./support/browser.ts";
import { expect, test } from "./support/test.ts";

test.use(MOVING);

for (const generation of ["2.1", "2.0"] as const) {
  test(`a bag is written to a v${generation} tag and the tag is locked to its journey`, async ({
    makeTag,
    open,
    passenger,
    stranger,
  }) => {
    const tag = await makeTag(generation);
    await open([tag]);
    await passenger.writesFirstBag(ADA);
    expectLabel(tag, ADA);
    await expectLocked(tag, stranger);
  });
}

test("nothing that names the passenger can be read from the tag", async ({ makeTag, open, passenger }) => {
  const tag = await makeTag("2.1");
  const read: string[] = [];
  tag.observe((event) => {
    if (event.type === "gatt" && event.operation === "read")
      read.push(Buffer.from(event.value).toString("latin1"));
  });
  await open([tag]);
  await passenger.writesFirstBag(ADA);
  // message_2 takes two of them.
  expect(read.length).toBeGreaterThan(4);
  for (const secret of [ADA.surname, ADA.licencePlate, ADA.recordLocator]) {
    expect(read.join("\n")).not.toContain(secret);
  }
});

test("a first connection that fails is tried again without a second chooser", { tag: "@nightly" }, async ({
  makeTag,
  open,
  passenger,
}) => {
  const tag = await makeTag("2.1");
  tag.faults.refuseConnects = 1;
  await open([tag]);
  await passenger.writesFirstBag(ADA);
  expectLabel(tag, ADA);
});

test("closing the chooser is no error and writes nothing", { tag: "@nightly" }, async ({
  makeTag,
  open,
  passenger,
  stranger,
}) => {
  const tag = await makeTag("2.1");
  const emulated = await open([tag]);
  emulated.choose("cancel");
  await passenger.beginsFirstBag(ADA);
  await passenger.sees(en.job.readyTitle);
  await expect(passenger.page.locator(".notice[data-tone=bad]")).toHaveCount(0);
  expectBlank(tag);
  await expectUnlocked(tag, stranger);
});

test("a tag that is written while the service is down is attached as soon as it answers", {
  tag: "@nightly",
}, async ({ page, tag, passenger, stranger }) => {
  await page.route("**/v2/device-attachments", (route) => route.abort("connectionfailed"));
  await passenger.beginsFirstBag(ADA);
  await passenger.sees(en.job.pendingTitle);
  expectLabel(tag, ADA);
  await expectUnlocked(tag, stranger);

  await page.unroute("**/v2/device-attachments");
  await page.evaluate(() => window.dispatchEvent(new Event("online")));
  await passenger.sees(en.job.doneTitle);
  await expectLocked(tag, stranger);
});

test("a tag with the wrong certificate gets nothing", { tag: "@nightly" }, async ({
  makeTag,
  open,
  passenger,
  stranger,
}) => {
  const tag = await makeTag("2.1", { wrongCredential: await issueCredential("ebt-21-another") });
  tag.faults.wrongCertificate = true;
  await open([tag]);
  await passenger.beginsFirstBag(ADA);
  await passenger.sees(asHeading(en.errors.wrong_tag.what));
  expectBlank(tag);
  await expectUnlocked(tag, stranger);
});
