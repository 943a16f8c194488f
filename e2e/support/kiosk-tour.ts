/** As tour.ts, for the kiosk. */
import { expect } from "@playwright/test";
import type { Dictionary } from "../../web/i18n/dictionary.ts";
import { adasPass, passText } from "./boarding-pass.ts";
import { Kiosk } from "./kiosk.ts";
import { JUERGEN } from "./passenger.ts";
import { hold, patientTag, prove, type Scene, type Stop } from "./tour.ts";

export async function walkAsStaff(scene: Scene, words: Dictionary, stop: Stop): Promise<void> {
  const kiosk = new Kiosk(scene.page, words);
  await walkThroughShift(scene, kiosk, words, stop);
  await walkThroughVisit(scene, kiosk, words, stop);
  await walkToEnd(scene, kiosk, words, stop);
}

async function walkThroughShift(
  { page, service }: Scene,
  kiosk: Kiosk,
  { kiosk: words, start }: Dictionary,
  stop: Stop,
): Promise<void> {
  await page.goto(`${service}/kiosk`);
  await kiosk.sees(words.unset.title);
  await stop("kiosk-unset");
  await page.goto(`${service}/kiosk/setup`);
  await kiosk.presses(words.setup.save);
  await expect(page.locator(".field-error").first()).toBeVisible();
  await stop("kiosk-setup");
  await kiosk.setsUp(service);
  await stop("kiosk-attract");
  await kiosk.presses(words.attract.staff);
  await stop("kiosk-staff");
  await kiosk.presses(words.staff.release);
  await stop("kiosk-release");
  await kiosk.finishes();
  await kiosk.presses(words.attract.staff);
  await kiosk.presses(words.staff.queue);
  await stop("kiosk-queue");
  await kiosk.finishes();
  await kiosk.presses(words.attract.type);
  await kiosk.presses(start.find);
  await stop("kiosk-typing");
  await kiosk.finishes();
}

async function walkThroughVisit(
  scene: Scene,
  kiosk: Kiosk,
  { kiosk: words }: Dictionary,
  stop: Stop,
): Promise<void> {
  const { page } = scene;
  const tag = await patientTag(scene, "ebt-21-tour-0002");
  await scene.stranger.attach(tag.id, JUERGEN.baggageId);
  await scene.open([tag], "/kiosk");
  await kiosk.isAttracting();
  await expect(async () => {
    await kiosk.scans(passText({ ...adasPass(), recordLocator: "TOUR98" }));
    await expect(page.getByRole("heading", { name: words.find.notFound })).toBeVisible({ timeout: 5_000 });
  }).toPass();
  await stop("kiosk-problem");
  // On a machine that is busy enough a scanner's keys come as slowly as a person's.
  await expect(async () => {
    await kiosk.scans(passText(adasPass()));
    await expect(page.locator(".kiosk-bags .bag").first()).toBeVisible({ timeout: 5_000 });
  }).toPass();
  await stop("kiosk-journey");
  await page.locator(".bag .button[data-kind=primary]").first().click();
  await kiosk.choosesTag();
  await expect(kiosk.dialog).toBeVisible();
  await stop("kiosk-proof");
  const goOn = await hold(page, "**/v2/ebt-authorizations");
  await prove(page, JUERGEN);
  await expect(kiosk.dialog).toHaveCount(0);
  await expect(page.locator(".step[data-state=active]")).toBeVisible();
  await stop("kiosk-working");
  goOn();
  await kiosk.sees(words.job.doneTitle);
  await stop("kiosk-done");
  await kiosk.finishes();
  await kiosk.presses(words.attract.clear);
  await kiosk.sees(words.job.clearTitle);
  await stop("kiosk-clear");
  await kiosk.finishes();
}

async function walkToEnd(
  { page }: Scene,
  kiosk: Kiosk,
  { kiosk: words }: Dictionary,
  stop: Stop,
): Promise<void> {
  await kiosk.presses(words.attract.staff);
  await kiosk.presses(words.staff.endShift);
  await kiosk.sees(words.signIn.title);
  await page.waitForLoadState("networkidle");
  await stop("kiosk-sign-in");
}
