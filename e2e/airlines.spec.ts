/** Another airline has given out the same record locator to a passenger of the same name. */
import { JUERGEN } from "../scripts/drivers/passenger.ts";
import { en } from "../web/i18n/en.ts";
import { passText, photograph } from "./support/boarding-pass.ts";
import { today } from "./support/day.ts";
import { feed } from "./support/family.ts";
import { expect, test } from "./support/test.ts";

/** SK's staff feed it, or withdraw it again: other stories have one booking under each locator. */
const feedNamesake = (service: string, more: object = {}) =>
  feed(service, {
    recordLocator: JUERGEN.recordLocator,
    flights: [
      {
        carrier: "SK",
        number: "1460",
        date: new Date(today()).toISOString().slice(0, 10),
        from: "OSL",
        to: "CPH",
      },
    ],
    passengers: [{ surname: JUERGEN.surname, givenName: "JÖRG" }],
    ...more,
  });

test.beforeEach(({ service }) => feedNamesake(service));
test.afterEach(({ service }) => feedNamesake(service, { withdraw: "booking" }));

test("who types both, or says yes to a link, is asked for the airline, and not who shows the boarding pass", async ({
  page,
  service,
  passenger,
}) => {
  const question = page.getByRole("alert").getByText(en.errors.airline_required.what);
  const choose = page.getByRole("alert").getByRole("button", { name: "LH", exact: true });
  const link = `${service}/t/ebt-21-0003#booking=${JUERGEN.recordLocator}/${encodeURIComponent(JUERGEN.surname)}`;
  await page.goto(link);
  await page.getByRole("button", { name: en.passenger.link.yes }).click();
  await expect(question).toBeVisible();
  await choose.click();
  await passenger.reads(en.passenger.link.which);

  const flight = { route: "JFKFRA", carrier: "LH", flight: "0401", day: today() + 86_400_000 };
  const pass = passText({ name: "MUELLER/JUERGEN", recordLocator: JUERGEN.recordLocator, ...flight });
  const buffer = await photograph(await page.context().newPage(), "qrcode", pass);
  await page.goto(`${service}/scan`);
  await page.locator("input[type=file]").setInputFiles({ name: "pass.jpg", mimeType: "image/jpeg", buffer });
  await passenger.sees(en.journey.title("Frankfurt"));

  await passenger.goesHome();
  await passenger.more.click();
  await page.getByRole("link", { name: en.journey.other }).click();
  await passenger.submits(JUERGEN);
  await expect(question).toBeInViewport({ ratio: 1 });
  await choose.click();
  await passenger.sees(en.journey.title("Frankfurt"));
});
