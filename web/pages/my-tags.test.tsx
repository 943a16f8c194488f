import "fake-indexeddb/auto";
import { cleanup, fireEvent, screen, waitFor } from "@solidjs/testing-library";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { page as words } from "../i18n/en-page.ts";
import { passenger } from "../i18n/en-passenger.ts";
import { eraseCachedJourney, knownTags } from "../state/cached-journey.ts";
import { PICKED } from "../test-support/fake-taglatch.ts";
import {
  heading,
  pressSoon,
  renderApp,
  setUpPageTests,
  standInForCryptography,
} from "../test-support/render-app.tsx";

const PATH = "/journeys/journey-1";

// What the page still wrote is over before its environment goes. Hooks run from last to first.
afterEach(eraseCachedJourney);
setUpPageTests();
beforeAll(standInForCryptography);

describe("my tags", () => {
  /** Writes bag 1, as an earlier screen of this visit. */
  async function write() {
    renderApp(`${PATH}/bags/1`);
    await pressSoon(words.job.choose);
    await heading(words.job.doneTitle);
    await waitFor(async () => expect(await knownTags()).toHaveLength(1));
  }
  test("are on the screen that clears them, with their last label and battery", async () => {
    await write();
    fireEvent.click(screen.getByRole("link", { name: words.job.toJourney }));
    fireEvent.click(await screen.findByRole("link", { name: words.start.clearAction }));
    await heading(passenger.tags.title);
    const row = (await screen.findByText(PICKED.name)).closest("div");
    expect(row?.textContent?.replaceAll(/\s/g, " ")).toContain(
      "Last label: Helsinki, Sun, Nov 22 · Battery 87",
    );
  });

  test("are forgotten with the person", async () => {
    await write();
    await eraseCachedJourney();
    cleanup();
    renderApp("/clear");
    await heading(words.start.clearAction);
  });
});
