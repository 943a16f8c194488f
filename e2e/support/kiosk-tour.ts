/** As tour.ts, for the kiosk. */
import { expect, type Page } from "@playwright/test";
import { asHeading, JUERGEN } from "../../scripts/drivers/passenger.ts";
import type { TagSimulator } from "../../sim/tag/tag-simulator.ts";
import type { Dictionary } from "../../web/i18n/dictionary.ts";
import { adasPass, passText } from "./boarding-pass.ts";
import { haltCamera } from "./camera.ts";
import { Kiosk } from "./kiosk.ts";
import type { Stop } from "./looks.ts";
import { patientTag } from "./patient-tag.ts";
import { hold, prove, type Scene } from "./tour.ts";

interface Walk extends Scene {
  readonly kiosk: Kiosk;
  readonly words: Dictionary;
  readonly stop: Stop;
}

const walkOf = (scene: Scene, words: Dictionary, stop: Stop): Walk => ({
  ...scene,
  ...{ words, stop },
  kiosk: new Kiosk(scene.page, words),
});

/** From a new device to the end of a shift, without a passenger. */
export async function walkThroughShift(scene: Scene, words: Dictionary, stop: Stop): Promise<void> {
  const walk = walkOf(scene, words, stop);
  await walkToAttract(walk);
  await walkToCamera(walk);
  await walkToEnd(walk);
}

/** Passengers come: one whose bag is written, one whose tag fails. */
export async function walkThroughVisits(scene: Scene, words: Dictionary, stop: Stop): Promise<void> {
  const walk = walkOf(scene, words, stop);
  await walk.kiosk.setsUp(scene.service);
  const tag = await patientTag(scene, "ebt-21-tour-0003");
  await scene.stranger.attach(tag.id, JUERGEN.baggageId);
  await scene.open([tag], "/kiosk");
  await walk.kiosk.isAttracting();
  await walkThroughVisit(walk);
  await walkIntoTrouble(walk, tag);
}

async function walkToAttract({ page, service, kiosk, words: all, stop }: Walk): Promise<void> {
  const { kiosk: words, start } = all;
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
  await kiosk.presses(words.release.title);
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

async function walkThroughVisit({ page, kiosk, words: all, stop }: Walk): Promise<void> {
  const { kiosk: words, start } = all;
  await expect(async () => {
    await kiosk.scans(passText({ ...adasPass(), recordLocator: "TOUR98" }));
    await expect(page.getByRole("heading", { name: words.find.notFound })).toBeVisible({ timeout: 5_000 });
  }).toPass();
  await stop("kiosk-problem");
  await scanPass(page, kiosk);
  await stop("kiosk-journey");
  await putsFirstBag(page, kiosk);
  await stop("kiosk-proof");
  await kiosk.presses(words.job.proofRelease);
  await expect(page.locator(".hints")).toBeVisible();
  await stop("kiosk-release-asks");
  await kiosk.presses(words.job.toJourney);
  await putsFirstBag(page, kiosk);
  const goOn = await hold(page, "**/v2/ebt-authorizations");
  await prove(page, JUERGEN);
  await expect(kiosk.dialog).toHaveCount(0);
  await expect(page.locator(".working-bar")).toBeVisible();
  await stop("kiosk-working");
  goOn();
  await kiosk.sees(words.job.doneTitle);
  await stop("kiosk-done");
  await kiosk.finishes();
  await kiosk.presses(start.clearAction);
  await kiosk.sees(start.clearAction);
  await stop("kiosk-clear");
  await kiosk.finishes();
}

/** On the tag that is locked to another journey. */
async function putsFirstBag(page: Page, kiosk: Kiosk): Promise<void> {
  await page.locator(".bag .button[data-kind=primary]").first().click();
  await kiosk.choosesTag();
  await expect(kiosk.dialog).toBeVisible();
}

async function walkIntoTrouble({ page, kiosk, words: all, stop }: Walk, tag: TagSimulator): Promise<void> {
  const { errors, job, kiosk: words, outbox, passenger } = all;
  tag.faults.wrongCertificate = true;
  await scanPass(page, kiosk);
  await page.locator(".bag .button").first().click();
  await kiosk.choosesTag();
  await kiosk.sees(asHeading(errors.wrong_tag.what));
  await stop("kiosk-failed");
  tag.faults.wrongCertificate = false;
  await page.route("**/v2/device-attachments", (route) => route.abort("connectionfailed"));
  await kiosk.presses(passenger.otherBag.another);
  await kiosk.sees(job.pendingTitle);
  await stop("kiosk-pending");
  await kiosk.finishes();
  await expect(page.locator(".attract-status .button")).toBeVisible();
  // The farewell goes by itself.
  await expect(page.getByText(words.notice.goodbye)).toHaveCount(0);
  await stop("kiosk-attract-waiting");
  await page.locator(".attract-status .button").click();
  await kiosk.sees(words.queue.title);
  await expect(page.locator(".queue-entry")).toBeVisible();
  await stop("kiosk-queue-waiting");
  await kiosk.finishes();
  await kiosk.endsShift();
  await expect(page.getByText(words.staff.waitingTitle)).toBeVisible();
  await page.keyboard.press("Escape");
  await page.locator(".attract-status .button").click();
  await kiosk.sees(words.queue.title);
  await page.unroute("**/v2/device-attachments");
  await kiosk.presses(outbox.retry);
  await expect(page.locator(".queue-entry")).toHaveCount(0);
}

/** On a very busy machine a scanner's keys arrive as slowly as a person's. */
async function scanPass(page: Page, kiosk: Kiosk): Promise<void> {
  await expect(async () => {
    await kiosk.scans(passText(adasPass()));
    await expect(page.locator(".kiosk-bags .bag").first()).toBeVisible({ timeout: 5_000 });
  }).toPass();
}

async function walkToCamera({ page, service, kiosk, words: all, stop }: Walk): Promise<void> {
  const { kiosk: words } = all;
  await page.context().grantPermissions(["camera"]);
  await page.clock.install();
  await kiosk.takesCamera(service);
  await kiosk.presses(words.attract.camera);
  await expect(page.locator(".kiosk-camera[data-open]")).toBeVisible();
  await haltCamera(page);
  await stop("kiosk-camera");
  await page.clock.resume();
  await kiosk.finishes();
}

async function walkToEnd({ page, service, kiosk, words: all, stop }: Walk): Promise<void> {
  const { kiosk: words } = all;
  await page.goto(`${service}/kiosk`);
  await kiosk.isAttracting();
  await kiosk.presses(words.attract.type);
  // No touch for 45 seconds; then the time stands still, so that the countdown does.
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 45_500);
  await expect(kiosk.dialog).toBeVisible();
  await stop("kiosk-idle");
  await page.clock.resume();
  await kiosk.presses(words.idle.finish);
  await kiosk.isAttracting();
  await kiosk.presses(words.attract.staff);
  await page.route("**/v2/auth/staff-checks", (route) => route.fulfill({ json: { pinRequired: true } }));
  await kiosk.presses(words.staff.endShift);
  await expect(kiosk.dialog.getByLabel(words.staffProof.pin)).toBeVisible();
  await stop("kiosk-who-pin");
  await page.unroute("**/v2/auth/staff-checks");
  await page.keyboard.press("Escape");
  await kiosk.presses(words.staff.endShift);
  await expect(kiosk.dialog.getByLabel(words.signIn.password)).toBeVisible();
  await stop("kiosk-who-password");
  await kiosk.provesStaff();
  await kiosk.sees(words.signIn.title);
  await stop("kiosk-sign-in");
}
