/** What a browser without Bluetooth is offered, on the screens where that differs. */

import { fireEvent, screen } from "@solidjs/testing-library";
import { beforeEach, expect, test, vi } from "vitest";
import { page as words } from "../i18n/en-page.ts";
import { passenger } from "../i18n/en-passenger.ts";
import { LOVELACE } from "../test-support/fake-taglatch.ts";
import { renderApp, setUpPageTests } from "../test-support/render-app.tsx";

const { elsewhere, delegate, found, link } = passenger;

setUpPageTests();
beforeEach(() => vi.stubGlobal("isSecureContext", true));

const notice = () => screen.findByRole("heading", { name: elsewhere.title });
const code = (path: string) => elsewhere.code(`${location.origin}${path}`);

test("another person's code is not taken where nothing could be written, and no code leads on without it", async () => {
  renderApp(`/with#${"A".repeat(22)}`);
  await notice();
  expect(screen.queryByRole("button", { name: delegate.askYes })).toBeNull();
  expect(screen.queryByRole("img", { name: code("/with") })).toBeNull();
});

test("a finder, who needs none, and an owner see two equal buttons before the notice", async () => {
  renderApp("/t/ebt-21-0001");
  const finder = await screen.findByRole("button", { name: found.action });
  const owner = screen.getByRole("button", { name: link.mine });
  expect(finder.dataset).toEqual(owner.dataset);
  fireEvent.click(owner);
  await notice();
  expect(screen.queryByRole("button", { name: found.action })).toBeNull();
});

test("clearing asks for no tag, and has no paper tag beside it", async () => {
  renderApp("/clear");
  await notice();
  expect(screen.queryByRole("button", { name: words.job.choose })).toBeNull();
  expect(screen.queryByText(words.error.paper)).toBeNull();
});

test("one line says so, and the ways are behind it", async () => {
  renderApp("/find");
  const ways = (await notice()).closest("details");
  expect(ways?.open).toBe(false);
  expect(ways?.textContent).toContain(elsewhere.how);
});

test("an iPhone's ways are in the order of what a passenger does: the airline's app, another phone, a kiosk, a browser", async () => {
  vi.spyOn(navigator, "userAgent", "get").mockReturnValue(
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)",
  );
  const [iosApp, iosBrowser] = ["https://apps.example/airline", "https://apps.example/browser"];
  const ways = { iosApp, iosBrowser, kiosks: [{ airport: "OSL", place: "Row C" }] };
  renderApp(`/journeys/${LOVELACE.journeyId}`, {}, ways);
  const app = await screen.findByRole("link", { name: elsewhere.iosApp });
  expect(app.getAttribute("href")).toBe(iosApp);
  const order = (first: Node, second: Node) =>
    first.compareDocumentPosition(second) === Node.DOCUMENT_POSITION_FOLLOWING;
  // Both are in sight before the others are asked for.
  const other = screen.getByRole("link", { name: delegate.action });
  expect([app.closest("details"), other.closest("details"), order(app, other)]).toEqual([null, null, true]);
  const kiosk = screen.getByText("Row C");
  const browser = screen.getByRole("link", { name: elsewhere.iosBrowser, hidden: true });
  expect([order(other, kiosk), order(kiosk, browser)]).toEqual([true, true]);
  expect(kiosk.closest("details")?.open).toBe(false);
});

test("inside another app one tap opens this page in Chrome, without what came behind its address", async () => {
  vi.spyOn(navigator, "userAgent", "get").mockReturnValue(
    "Mozilla/5.0 (Linux; Android 15; Pixel 9; wv) Instagram 300.0",
  );
  renderApp("/find?utm=1#top", {}, { iosBrowser: "https://apps.example/browser" });
  const link = await screen.findByRole("link", { name: elsewhere.openChrome });
  const { host } = location;
  const intent = `intent://${host}/find#Intent;scheme=http;package=com.android.chrome;end`;
  expect(link.getAttribute("href")).toBe(intent);
  expect(document.querySelector(".qr")).toBeNull();
  expect(screen.queryByRole("link", { name: elsewhere.iosBrowser, hidden: true })).toBeNull();
});

test("the code leads to the screen that shows it; a trip has one way, another phone, and no second code", async () => {
  renderApp(`/journeys/${LOVELACE.journeyId}`);
  const way = await screen.findByRole("link", { name: delegate.action });
  expect(way.closest("details")).toBeNull();
  expect(
    screen.queryByRole("img", { name: code(`/journeys/${LOVELACE.journeyId}`), hidden: true }),
  ).toBeNull();
  fireEvent.click(screen.getByRole("link", { name: words.journey.other }));
  await screen.findByRole("img", { name: code("/find"), hidden: true });
});
