import { cleanup, fireEvent, screen } from "@solidjs/testing-library";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { Journey } from "../../sdk/index.ts";
import { page as words } from "../i18n/en-page.ts";
import { passenger } from "../i18n/en-passenger.ts";
import { unbroken } from "../i18n/forms.ts";
import { LOVELACE } from "../test-support/journeys.ts";
import { renderApp, standInForDialogs } from "../test-support/render-app.tsx";

beforeAll(standInForDialogs);
beforeEach(() =>
  vi.stubGlobal("navigator", Object.assign(navigator, { userActivation: { isActive: true } })),
);
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  localStorage.clear();
});

const OLD = "ebt-21-0009";
const NAME = "EBT-0009";

/** The journey, whose first bag is on {@link OLD}. */
function onOldTag(): Journey {
  const [first, ...others] = LOVELACE.baggage;
  return { ...LOVELACE, baggage: [{ ...first, attachedDevice: OLD }, ...others] } as Journey;
}

test("changing tags asks which one, even where the browser remembers the old one", async () => {
  const journey = onOldTag();
  const client = renderApp(`/journeys/${journey.journeyId}`, {
    journey: { ok: true, value: journey },
    remembered: [{ deviceId: "radio-9", name: NAME }],
  });
  fireEvent.click(await screen.findByRole("button", { name: /^Rewrite or switch tag/ }));
  await screen.findByRole("button", { name: words.bag.putOn(unbroken(NAME)) });
  // Once the browser has named the tags it remembers.
  await screen.findByRole("button", { name: passenger.remembered.other });
  expect(client.calls.filter((call) => call.startsWith("connect"))).toEqual([]);
  expect(client.calls).not.toContain("pickTag");
});

test("a bag that has moved to another tag names the one that still shows it, to be cleared", async () => {
  const journey = onOldTag();
  renderApp(`/journeys/${journey.journeyId}/bags/1`, { journey: { ok: true, value: journey } });
  fireEvent.click(await screen.findByRole("button", { name: words.job.choose }));
  await screen.findByRole("heading", { level: 1, name: words.job.doneTitle });
  const name = unbroken(NAME);
  await screen.findByText(passenger.run.alsoOn(name));
  const clear = screen.getByRole("link", { name: words.clear.titleOf(name) });
  expect(clear.getAttribute("href")).toBe(`/clear?tag=${OLD}`);
});
