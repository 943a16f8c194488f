import { expect, type Locator, type Page } from "@playwright/test";
import { B2B } from "../../db/demo/values.ts";
import { ADA } from "../../scripts/drivers/passenger.ts";
import type { Dictionary } from "../../web/i18n/dictionary.ts";
import { en } from "../../web/i18n/en.ts";
import { adasPass, passText } from "./boarding-pass.ts";

/** Between two characters of a scanner, in seconds. */
const SCANNER_PACE = 0.004;

/** What staff do at a kiosk, in the words it shows. */
export class Kiosk {
  readonly page: Page;
  readonly #words: Dictionary["kiosk"];

  readonly #journey: Dictionary["journey"];

  constructor(page: Page, { kiosk, journey }: Dictionary = en) {
    this.page = page;
    this.#words = kiosk;
    this.#journey = journey;
  }

  /** Sets this device up; the shift begins with it. */
  async setsUp(service: string): Promise<void> {
    const page = this.page;
    const words = this.#words;
    await page.goto(`${service}/kiosk/setup`);
    await page.getByLabel(words.setup.name).fill("OSL 12");
    await page.getByLabel(words.setup.airline).fill("SK");
    await page.getByLabel(words.setup.airport).fill("OSL");
    await page.getByLabel(words.setup.secret).fill(B2B.secret);
    await this.#savesSetUp();
  }

  /** The camera reads boarding passes from now on, beside the scanner. */
  async takesCamera(service: string): Promise<void> {
    await this.page.goto(`${service}/kiosk/setup`);
    await this.page.getByLabel(this.#words.setup.both).check();
    await this.#savesSetUp();
  }

  async #savesSetUp(): Promise<void> {
    await this.page.getByLabel(this.#words.signIn.username).fill(B2B.username);
    await this.page.getByLabel(this.#words.signIn.password).fill(B2B.password);
    await this.presses(this.#words.setup.save);
    await this.isAttracting();
  }

  /** The scanner types: all keys are on their way before the first is answered, as a device's are. */
  async scans(text: string): Promise<void> {
    const session = await this.page.context().newCDPSession(this.page);
    // At the scanner's pace, however long a busy machine takes to pass them on.
    const began = Date.now() / 1_000;
    const press = (key: string, typed: string, at: number) => {
      const timestamp = began + at * SCANNER_PACE;
      return [
        session.send("Input.dispatchKeyEvent", { type: "keyDown", key, text: typed, timestamp }),
        session.send("Input.dispatchKeyEvent", { type: "keyUp", key, timestamp }),
      ];
    };
    const keys = [...text].flatMap((key, at) => press(key, key, at));
    await Promise.all([...keys, ...press("Enter", "\r", text.length)]);
    await session.detach();
  }

  /** Ada comes, and the paper label of her first bag is scanned: a tag is sought for it. */
  async takesAdasBag(): Promise<void> {
    await this.scans(passText(adasPass()));
    await this.sees(this.#journey.title("Helsinki"));
    await this.scans(ADA.licencePlate);
    // Of a bag that an earlier test has put on a tag, the label says only that.
    const onTag = this.page.getByText(this.#words.notice.onTag);
    await expect(onTag.or(this.#job).first()).toBeVisible();
    if (await onTag.isVisible())
      await this.page.locator(".kiosk-bags > .bag:first-child .button").first().click();
    await this.choosesTag();
  }

  async isAttracting(): Promise<void> {
    await expect(this.page.locator(".attract h1")).toHaveText(this.#words.attract.scan);
  }

  async presses(name: string | RegExp): Promise<void> {
    await this.page.getByRole("button", { name, exact: true }).click();
  }

  async sees(heading: string): Promise<void> {
    await expect(this.page.getByRole("heading", { level: 1, name: heading })).toBeVisible();
  }

  async finishes(): Promise<void> {
    // Where no journey is open, there is nothing to finish.
    const done = this.page.getByRole("button", { name: this.#words.journey.done, exact: true });
    const toStart = this.page.locator(".kiosk-bar-end > .button[data-kind=secondary]");
    await done.or(toStart).first().click();
    await this.isAttracting();
  }

  /** Staff authenticate: by the account's password, or by id and PIN. */
  async provesStaff(staff?: { readonly id: string; readonly pin: string }): Promise<void> {
    const { staffProof, signIn } = this.#words;
    const [name, secret] = staff ? [staffProof.staffId, staffProof.pin] : [signIn.username, signIn.password];
    await this.dialog.getByLabel(name).fill(staff?.id ?? B2B.username);
    await this.dialog.getByLabel(secret).fill(staff?.pin ?? B2B.password);
    await this.presses(staffProof.submit);
  }

  /** From the attract screen. */
  async endsShift(): Promise<void> {
    await this.presses(this.#words.attract.staff);
    await this.presses(this.#words.staff.endShift);
    await this.provesStaff();
  }

  get dialog(): Locator {
    return this.page.getByRole("dialog");
  }

  /** What opens the chooser; a scan or a touch on the bag before has opened it already where it still counted. */
  async choosesTag(): Promise<void> {
    await expect(this.#job).toBeVisible();
    const choose = this.page.getByRole("button", { name: this.#words.release.choose });
    if (await choose.isVisible()) await choose.click();
  }

  /** A job that waits for its tag, or has begun. */
  get #job(): Locator {
    const choose = this.page.getByRole("button", { name: this.#words.release.choose });
    return choose.or(this.page.locator(".working")).first();
  }
}
