import { expect, type Page } from "@playwright/test";
import { en } from "../../web/i18n/en.ts";

/** The demo passengers (decisions §9) and the first bag of each. */
export const ADA = { recordLocator: "ABC123", surname: "LOVELACE", baggageId: 1, destination: "HEL" };
export const JUERGEN = { recordLocator: "K7Q2ZD", surname: "MÜLLER", baggageId: 3, destination: "FRA" };

/** What a passenger does on the page, in the words the page shows. */
export class Passenger {
  readonly page: Page;
  constructor(page: Page) {
    this.page = page;
  }

  async findJourney({ recordLocator, surname }: { recordLocator: string; surname: string }): Promise<void> {
    await this.page.getByLabel(en.start.recordLocator).fill(recordLocator);
    await this.page.getByLabel(en.start.surname).fill(surname);
    await this.page.getByRole("button", { name: en.start.find }).click();
    await expect(this.page.getByRole("heading", { level: 2, name: /bag/ })).toBeVisible();
  }

  async putFirstBagOnTag(): Promise<void> {
    await this.page.getByRole("button", { name: en.bag.putLabel(1) }).click();
  }

  async seesTagReady(): Promise<void> {
    await expect(this.page.getByRole("heading", { level: 1, name: en.job.doneTitle })).toBeVisible();
  }

  async prove({ recordLocator, surname }: { recordLocator: string; surname: string }): Promise<void> {
    const dialog = this.page.getByRole("dialog");
    await dialog.getByLabel(en.proof.recordLocator).fill(recordLocator);
    await dialog.getByLabel(en.proof.surname).fill(surname);
    await dialog.getByRole("button", { name: en.proof.submit }).click();
  }

  async clearTag(): Promise<void> {
    await this.page.getByRole("button", { name: en.job.choose }).click();
  }
}
