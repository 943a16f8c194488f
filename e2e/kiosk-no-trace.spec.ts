import { B2B } from "../db/demo/values.ts";
import { ADA, JUERGEN } from "../scripts/drivers/passenger.ts";
import { expectLocked, expectUnlocked } from "../scripts/drivers/tag-checks.ts";
import { en } from "../web/i18n/en.ts";
import { kiosk as words } from "../web/i18n/en-kiosk.ts";
import { adasPass, passText } from "./support/boarding-pass.ts";
import type { Kiosk } from "./support/kiosk.ts";
import { test as base, expect, GRACE } from "./support/kiosk-test.ts";
import { inMemory, tracesOf } from "./support/traces.ts";

/** Transaction tokens as the page gets them, at a kiosk in reach of a tag that is locked to Jürgen's journey. */
const test = base.extend<{ tokens: readonly string[] }>({
  tokens: async ({ page, makeTag, reach, stranger }, use) => {
    const tokens: string[] = [];
    page.on("response", async (answer) => {
      if (answer.url().endsWith("/v2/ebt-authorizations") && answer.ok())
        tokens.push(((await answer.json()) as { transactionToken: string }).transactionToken);
    });
    const tag = await makeTag("2.1", { signs: false });
    await stranger.attach(tag.id, JUERGEN.baggageId);
    // One step back there is an empty page.
    await page.goto("about:blank");
    await reach(tag);
    await use(tokens);
  },
});
// Not with `--trace`: a recording of the page would itself keep what the page has forgotten.

/** Another's, or a slip of the finger. */
const WRONG_PIN = "97135864";

/** What names these two passengers, their journeys, and what the proof dialog hinted at. */
const SECRETS = [
  ADA.recordLocator,
  ADA.surname,
  ADA.licencePlate,
  "0117123457",
  "demo-journey-1",
  JUERGEN.recordLocator,
  JUERGEN.surname,
  "K•••••",
  "M•••••",
  passText(adasPass()),
];

/**
 * A visit with everything in it: pass, typed proof over a wrong one, written tag. Ends where it is done. Where it is, while
 * it lasts, is where the traces must be seen.
 */
async function visits(kiosk: Kiosk): Promise<void> {
  const { page, dialog } = kiosk;
  await kiosk.takesAdasBag();
  await expect(dialog).toContainText("K•••••");
  expect((await tracesOf(page, SECRETS)).map(({ place }) => place)).toContain("dom");
  await dialog.getByLabel(en.start.recordLocator).fill(JUERGEN.recordLocator);
  await dialog.getByLabel(en.start.surname).fill("ABSENT");
  await dialog.getByRole("button", { name: en.passenger.proof.submit }).click();
  await expect(dialog).toContainText(en.errors.custody_proof_invalid.what);
  // The surname stays, the reference is typed again.
  await dialog.getByLabel(en.start.recordLocator).fill(JUERGEN.recordLocator);
  await dialog.getByLabel(en.start.surname).fill(JUERGEN.surname);
  await dialog.getByRole("button", { name: en.passenger.proof.submit }).click();
  await kiosk.sees(words.job.doneTitle);
  // A visitor tries to copy it.
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Control+c");
}

test("a passenger who walks away leaves nothing behind, neither here nor one step back", async ({
  page,
  kiosk,
  tokens,
}) => {
  await visits(kiosk);
  await expect.poll(() => tokens.length).toBeGreaterThan(0);
  const secrets = [...SECRETS, ...tokens];

  // Not before: with this clock keys have no time of their own. The last sign of life starts the wait again.
  await page.clock.install();
  await page.evaluate(() => dispatchEvent(new Event("wheel")));
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 45_000);
  await expect(kiosk.dialog).toContainText(words.idle.title);
  // The screen is clear within a second of the page's own time, which stands still from then on.
  await page.clock.runFor(20_000 + 1_000);
  const since = Date.now();
  await kiosk.isAttracting();
  await expect.poll(() => tracesOf(page, secrets)).toEqual([]);
  test.info().annotations.push({ type: "wiped after", description: `${Date.now() - since} ms at most` });
  await page.clock.resume();

  await page.goBack();
  expect(await tracesOf(page, secrets)).toEqual([]);
  await page.goForward();
  await kiosk.isAttracting();
  expect(await tracesOf(page, secrets)).toEqual([]);
  const clipboard = await page
    .evaluate(() => navigator.clipboard.readText())
    .catch((refused: unknown) => `refused: ${String(refused)}`);
  expect(secrets.filter((secret) => clipboard.includes(secret))).toEqual([]);
});

test("a lock, the set-up and a shift wait for id and PIN, and no PIN leaves anything behind, in memory either", {
  tag: "@nightly",
}, async ({ page, kiosk, service, lockedTag, anotherStranger, staffed: _demanded }) => {
  const logged: string[] = [];
  page.on("console", (message) => logged.push(message.text()));
  page.on("request", (request) => logged.push(request.url()));
  const pins = [GRACE.pin, WRONG_PIN];
  const leavesNothing = async () => {
    expect(await tracesOf(page, pins)).toEqual([]);
    expect(logged.filter((line) => pins.some((pin) => line.includes(pin)))).toEqual([]);
    await expect.poll(() => inMemory(page, pins)).toEqual([]);
  };
  await kiosk.presses(words.job.proofRelease);
  // The passenger's dialog is gone before staff are asked for anything.
  await expect(kiosk.dialog).toHaveCount(0);
  await kiosk.presses(words.release.confirm);
  await expect(page.getByText(words.release.reasonMissing)).toBeVisible();
  await page.getByLabel(words.release.reasons.handover).check();
  await kiosk.presses(words.release.confirm);
  await kiosk.dialog.getByLabel(words.staffProof.pin).fill(WRONG_PIN);
  // It would be seen.
  expect((await tracesOf(page, pins)).map(({ place }) => place)).toContain("fields");
  await kiosk.provesStaff({ ...GRACE, pin: WRONG_PIN });
  await expect(page.getByText(words.staffProof.refused)).toBeVisible();
  await expect(page.getByLabel(words.staffProof.pin)).toHaveValue("");
  await leavesNothing();
  await expectLocked(lockedTag, anotherStranger);
  await kiosk.provesStaff(GRACE);
  await kiosk.sees(words.release.doneTitle);
  await expectUnlocked(lockedTag, anotherStranger);
  await leavesNothing();
  await kiosk.finishes();

  await page.goto(`${service}/kiosk/setup`);
  await page.getByLabel(words.signIn.username).fill(B2B.username);
  await page.getByLabel(words.signIn.password).fill(B2B.password);
  await kiosk.presses(words.setup.save);
  await kiosk.provesStaff(GRACE);
  await kiosk.isAttracting();
  await leavesNothing();

  await kiosk.presses(words.attract.staff);
  await kiosk.presses(words.staff.endShift);
  await expect(page.getByLabel(words.staffProof.pin)).toBeVisible();
  await page.keyboard.press("Escape");
  await kiosk.presses(words.staff.endShift);
  await kiosk.provesStaff(GRACE);
  await kiosk.sees(words.signIn.title);
  await leavesNothing();
});

test("the page's memory and its list of requests forget the passenger, too", { tag: "@nightly" }, async ({
  page,
  kiosk,
  tokens,
}) => {
  await visits(kiosk);
  await expect.poll(() => tokens.length).toBeGreaterThan(0);
  const secrets = [...SECRETS, ...tokens];
  // With a letter beyond ASCII, as the snapshot writes it.
  expect(await inMemory(page, secrets)).toEqual(expect.arrayContaining([ADA.surname, JUERGEN.surname]));
  expect((await tracesOf(page, secrets)).map(({ place }) => place)).toContain("performance");

  await kiosk.presses(words.journey.done);
  await kiosk.isAttracting();
  expect(await tracesOf(page, secrets)).toEqual([]);
  await expect.poll(() => inMemory(page, secrets)).toEqual([]);
});

test("a trace planted in any place is found, and one planted before the wipe is wiped", {
  tag: "@nightly",
}, async ({ page, kiosk }) => {
  const plant = () =>
    page.evaluate(async () => {
      const secret = "ABC123";
      sessionStorage.setItem("a", secret);
      localStorage.setItem("b", secret);
      history.replaceState({ secret }, "");
      performance.mark(secret);
      const cache = await caches.open("planted");
      await cache.put(`/v2/journeys?${secret}`, new Response(secret));
    });
  await kiosk.presses(words.attract.type);
  await plant();
  await kiosk.finishes();
  await expect.poll(() => tracesOf(page, ["ABC123"])).toEqual([]);

  await plant();
  await page.evaluate(async () => {
    const secret = "ABC123";
    document.title = secret;
    await cookieStore.set("c", secret);
    document.body.dataset.planted = secret;
    window.name = secret;
    const field = document.body.appendChild(document.createElement("input"));
    field.value = secret;
    history.replaceState(history.state, "", `/kiosk?${secret}`);
    await new Promise<void>((resolve) => {
      const request = indexedDB.open("planted", 1);
      request.onupgradeneeded = () => request.result.createObjectStore("s").put(secret, 1);
      request.onsuccess = () => {
        request.result.close();
        resolve();
      };
    });
  });
  const found = new Set((await tracesOf(page, ["ABC123"])).map(({ place }) => place));
  const stores = ["caches", "cookies", "cookiesOfBrowser", "indexedDB", "localStorage", "sessionStorage"];
  const inDocument = ["address", "dom", "fields", "history", "performance", "state", "title", "windowName"];
  expect([...found].sort()).toEqual([...stores, ...inDocument].sort());
});
