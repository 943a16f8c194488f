import { type Locator, type Page, expect as playwrightExpect } from "@playwright/test";
import { en } from "../../web/i18n/en.ts";

/** As in playwright.config.ts, for the demo, which runs without it: a busy machine is slow, not wrong. */
const expect = playwrightExpect.configure({ timeout: 60_000 });

/** Demo passengers (rules §9), the first bag of each and what a tag shows for it. */
export const ADA = {
  recordLocator: "ABC123",
  surname: "LOVELACE",
  baggageId: 1,
  licencePlate: "0117123456",
  destination: "HEL",
};
export const JUERGEN = {
  recordLocator: "K7Q2ZD",
  surname: "MÜLLER",
  baggageId: 3,
  licencePlate: "0220654321",
  destination: "FRA",
};
export const SILE = {
  recordLocator: "OB1NKE",
  surname: "O'BRIEN",
  baggageId: 4,
  licencePlate: "0117765432",
  destination: "CPH",
};

type Booking = { readonly recordLocator: string; readonly surname: string };

/** What happened, as a heading: without its full stop. */
export const asHeading = (what: string): string => what.replace(/[.。]$/u, "");

/** What a passenger does on the page, in the words the page shows. */
export class Passenger {
  readonly page: Page;
  constructor(page: Page) {
    this.page = page;
  }

  /** On the start page, which may open onto the journey of an earlier visit. */
  async findsJourney(booking: Booking): Promise<void> {
    const { more } = this;
    await expect(more.or(this.page.getByLabel(en.start.recordLocator))).toBeVisible();
    if (await more.isVisible()) {
      await more.click();
      await this.page.getByRole("link", { name: en.journey.other }).click();
    }
    await this.submits(booking);
    await expect(this.firstBag).toBeVisible();
  }

  /** In the form that the page shows. */
  async submits({ recordLocator, surname }: Booking): Promise<void> {
    await this.page.getByLabel(en.start.recordLocator).fill(recordLocator);
    await this.page.getByLabel(en.start.surname, { exact: true }).fill(surname);
    await this.page.getByRole("button", { name: en.start.find }).click();
  }

  /** Opens the rare actions below a journey. */
  get more(): Locator {
    return this.page.locator("summary").filter({ hasText: en.journey.foot });
  }

  /** The journey outlasts this document: the page keeps it after it shows it, and a navigation in between loses it. */
  async keepsJourney(): Promise<void> {
    await this.page.waitForFunction(() => localStorage.getItem("taglatch.journey-kept") !== null);
  }

  async putsFirstBagOnTag(): Promise<void> {
    await this.firstBag.click();
  }

  /** From the start page to the tag. */
  async beginsFirstBag(booking: Booking): Promise<void> {
    await this.findsJourney(booking);
    await this.putsFirstBagOnTag();
  }

  /** From the start page until the tag is ready. */
  async writesFirstBag(booking: Booking): Promise<void> {
    await this.beginsFirstBag(booking);
    await this.sees(en.job.doneTitle);
  }

  /** What writes the first bag; its words change once the bag is, or was, on a tag (of an earlier test, too). */
  get firstBag(): Locator {
    const again = [en.passenger.link.again, en.passenger.card.putBack];
    const names = again.map((words) => `${words}: ${en.bag.title(1)}`);
    const all = [en.bag.putLabel(1), en.bag.putAgainLabel(1), ...names];
    return this.page.getByRole("button", { name: new RegExp(`^(${all.join("|")})$`) });
  }

  async proves({ recordLocator, surname }: Booking): Promise<void> {
    const { dialog } = this;
    await dialog.getByLabel(en.start.recordLocator).fill(recordLocator);
    await dialog.getByLabel(en.start.surname).fill(surname);
    await dialog.getByRole("button", { name: en.passenger.proof.submit }).click();
  }

  /** What opens the browser's list; it names the tag where it can only be one. */
  get choose(): Locator {
    const names = [en.job.choose, en.bag.putOn("EBT-"), en.clear.titleOf("")];
    return this.page.getByRole("button", { name: new RegExp(`^(${names.join("|")})`) }).first();
  }

  /**
   * Where the tap that led to a job still counts, it begins by itself, else with another one. Which of them is seen only
   * by `outcome`: the button stands there for a moment in any case.
   */
  async choosesTagUntil(outcome: Locator): Promise<void> {
    const { choose } = this;
    await expect(async () => {
      if (await choose.isVisible()) await choose.click({ timeout: 1_000 });
      await expect(outcome).toBeVisible({ timeout: 1_000 });
    }).toPass();
  }

  /** The rare actions of the first bag that is on a tag. */
  async opensMore(): Promise<void> {
    await this.page.locator(".more > summary").first().click();
  }

  async goesHome(): Promise<void> {
    await this.page.getByRole("link", { name: en.app.home(en.app.name) }).click();
  }

  async asksForProof(): Promise<void> {
    await expect(this.dialog).toBeVisible();
  }

  async opensClearPage(): Promise<void> {
    const { more } = this;
    const clear = this.page.getByRole("link", { name: en.start.clearAction });
    await expect(more.or(clear).first()).toBeVisible();
    if (await more.isVisible()) await more.click();
    await clear.click();
  }

  async clearsTag(): Promise<void> {
    await this.choose.click();
  }

  /** The trip is not over, and no tag was named: the page asks once. */
  async clearsTagEarly(): Promise<void> {
    await this.clearsTag();
    await this.page.getByRole("button", { name: new RegExp(`^${en.clear.titleOf("")}`) }).click();
  }

  get dialog(): Locator {
    return this.page.getByRole("dialog");
  }

  /** The page has come to a screen with this heading. */
  async sees(heading: string): Promise<void> {
    await expect(this.page.getByRole("heading", { level: 1, name: heading })).toBeVisible();
  }

  /** The page says this sentence. */
  async reads(text: string): Promise<void> {
    await expect(this.page.getByText(text).filter({ visible: true }).first()).toBeVisible();
  }
}
