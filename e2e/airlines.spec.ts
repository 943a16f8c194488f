/** Another airline has given out the same record locator to a passenger of the same name. */
import type { Page } from "@playwright/test";
import { post } from "../scripts/drivers/caller.ts";
import { JUERGEN } from "../scripts/drivers/passenger.ts";
import { en } from "../web/i18n/en.ts";
import { passText, photograph } from "./support/boarding-pass.ts";
import { today } from "./support/day.ts";
import { expect, test } from "./support/test.ts";

/** SK's staff feed it, or withdraw it again: other stories have one booking under each locator. */
async function feedNamesake(service: string, more: object = {}): Promise<void> {
  const key = { "X-Source-App-Key": "demo-kiosk-key" };
  const login = { username: "kiosk-osl-1", password: "correct horse battery staple" };
  const secret = { ...key, "X-B2B-Secret": "demo-b2b-secret" };
  const { body } = await post(service, "/v2/auth/b2b-secret/sessions", login, secret);
  const date = new Date(today()).toISOString().slice(0, 10);
  const booking = {
    ...{ airline: "SK", recordLocator: JUERGEN.recordLocator, ...more },
    flights: [{ carrier: "SK", number: "1460", date, from: "OSL", to: "CPH" }],
    passengers: [{ surname: JUERGEN.surname, givenName: "JÖRG" }],
  };
  const headers = { ...key, Authorization: `Bearer ${String(body.accessToken)}` };
  const { status } = await post(service, "/v2/journeys/from-airline-payload", booking, headers);
  expect(status).toBe(200);
}

test.beforeEach(({ service }) => feedNamesake(service));
test.afterEach(({ service }) => feedNamesake(service, { withdraw: "booking" }));

const question = (page: Page) => page.getByRole("alert").getByText(en.errors.airline_required.what);
const choose = (page: Page, airline: string) =>
  page.getByRole("alert").getByRole("button", { name: airline, exact: true }).click();

test("who types both is asked for the airline, and sees their own journey", async ({
  page,
  service,
  passenger,
}) => {
  await page.goto(service);
  await passenger.submits(JUERGEN);
  await expect(question(page)).toBeInViewport({ ratio: 1 });
  await choose(page, "LH");
  await passenger.sees(en.journey.title("Frankfurt"));
});

test("so is who says yes to the booking of a link, and not who shows the boarding pass", async ({
  page,
  service,
  passenger,
}) => {
  await page.goto(
    `${service}/t/ebt-21-0003#booking=${JUERGEN.recordLocator}/${encodeURIComponent(JUERGEN.surname)}`,
  );
  await page.getByRole("button", { name: en.passenger.link.yes }).click();
  await expect(question(page)).toBeVisible();
  await choose(page, "LH");
  await passenger.reads(en.passenger.link.which);

  const flight = { route: "JFKFRA", carrier: "LH", flight: "0401", day: today() + 86_400_000 };
  const pass = passText({ name: "MUELLER/JUERGEN", recordLocator: JUERGEN.recordLocator, ...flight });
  const buffer = await photograph(await page.context().newPage(), "qrcode", pass);
  await page.goto(`${service}/scan`);
  await page.locator("input[type=file]").setInputFiles({ name: "pass.jpg", mimeType: "image/jpeg", buffer });
  await passenger.sees(en.journey.title("Frankfurt"));
});
