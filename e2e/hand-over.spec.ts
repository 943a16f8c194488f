import type { Page } from "@playwright/test";
import { codeBlocks } from "../scripts/documents/read-markdown.ts";
import { ADA, Passenger } from "../scripts/drivers/passenger.ts";
import { en } from "../web/i18n/en.ts";
import { HOST, hostToken, openFromSite } from "./support/host-airline.ts";
import { expect, test } from "./support/test.ts";

const words = en.passenger.handOver;
const AS_ADA = words.titleAs("Ada L••••• (SK1234)");
const goOn = (page: Page) => page.getByRole("button", { name: words.go, exact: true }).click();

/** Counts logins by a host's token. */
function countLogins(page: Page): () => number {
  let logins = 0;
  page.context().on("request", (request) => {
    if (request.url().endsWith("/v2/auth/federated/sessions")) logins += 1;
  });
  return () => logins;
}

test("a token in the address is wiped at once, gone with a reload, and used only after a yes", async ({
  page,
  service,
  passenger,
}) => {
  const logins = countLogins(page);
  await page.goto(`${service}/handover#token=${await hostToken()}`);
  await passenger.sees(AS_ADA);
  await page.reload();
  await passenger.sees(words.nothing);
  expect(logins()).toBe(0);
  await page.goto("about:blank");
  await page.goto(`${service}/handover#token=${await hostToken()}`);
  await passenger.sees(AS_ADA);
  await passenger.reads(words.lead("host-airline.example"));
  expect(page.url()).toBe(`${service}/handover`);
  await expect(page.getByText("LOVELACE", { exact: false })).toHaveCount(0);
  expect(logins()).toBe(0);
  await goOn(page);
  await passenger.sees(en.journey.title("Helsinki"));
  expect(logins()).toBe(1);
  // Nothing of it is in the history.
  await page.goBack();
  expect(page.url()).not.toContain("token");
});

test("an allowed site hands its traveller over by message, and cannot reach the page afterwards", async ({
  page,
  context,
  service,
}) => {
  await page.close();
  const opened = await openFromSite(context, HOST, `${service}/handover`, await hostToken());
  const passenger = new Passenger(opened);
  await passenger.sees(AS_ADA);
  await goOn(opened);
  await passenger.sees(en.journey.title("Helsinki"));
  expect(await opened.evaluate(() => window.opener)).toBeNull();
});

test("the lines of the documentation hand a traveller over", { tag: "@nightly" }, async ({
  page,
  context,
  service,
}) => {
  const [lines = ""] = codeBlocks("docs/embed.md", "js");
  const token = await hostToken();
  const script = `const tokenFromYourServer = async () => ${JSON.stringify(token)};
    document.querySelector("button").onclick = () => {
      ${lines.replaceAll("https://tags.example.com", service)}
    };`;
  await context.route(`${HOST}/**`, (route) =>
    route.fulfill({
      contentType: "text/html",
      body: `<button>Tag my bag</button><script>${script}</script>`,
    }),
  );
  await page.goto(`${HOST}/`);
  const opening = page.waitForEvent("popup");
  await page.getByRole("button").click();
  const passenger = new Passenger(await opening);
  await passenger.sees(AS_ADA);
});

test("no other site's message counts", async ({ context, service }) => {
  const opened = await openFromSite(
    context,
    "https://elsewhere.example",
    `${service}/handover`,
    await hostToken(),
  );
  await new Passenger(opened).sees(words.nothing);
});

test("a session with a waiting outbox is kept until the report", async ({
  page,
  makeTag,
  open,
  passenger,
  service,
}) => {
  const logins = countLogins(page);
  const emulated = await open([await makeTag("2.1")]);
  await page.route("**/v2/device-attachments", (route) => route.abort("connectionfailed"));
  await passenger.beginsFirstBag(ADA);
  await passenger.sees(en.job.pendingTitle);
  await emulated.goto(`${service}/handover#token=${await hostToken()}`);
  await goOn(page);
  await passenger.reads(words.outboxTitle);
  await page.unroute("**/v2/device-attachments");
  await page.getByRole("alert").getByRole("button", { name: en.outbox.retry }).click();
  // The commit is confirmed now, so only this session can end the lock.
  await passenger.reads(words.locksTitle);
  expect(logins()).toBe(0);
});
