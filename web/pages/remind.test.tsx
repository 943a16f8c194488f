import { cleanup, fireEvent, screen, waitFor } from "@solidjs/testing-library";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ServiceError } from "../../sdk/index.ts";
import { passenger } from "../i18n/en-passenger.ts";
import { hasReminder } from "../service-worker/news.ts";
import { LOVELACE, PICKED, storage, withBags } from "../test-support/fake-taglatch.ts";
import { renderApp, setUpPageTests } from "../test-support/render-app.tsx";
import { reminderOf } from "./RareBagActions.tsx";

/** The reminder to clear a tag: by push where browser and service have it, else a calendar file. */

const { card } = passenger;
const DEVICE = PICKED.uniqueDeviceId;
const KEY = { pushKey: "a key" };
const ON_TAG = withBags({ attachedDevice: DEVICE });

let saved: readonly string[];
let permission: NotificationPermission;
beforeEach(() => {
  saved = [];
  permission = "granted";
  vi.stubGlobal("caches", storage());
  vi.stubGlobal("PushManager", class {});
  vi.stubGlobal("Notification", { permission: "granted", requestPermission: async () => permission });
  const subscription = { endpoint: "https://push.example/1" };
  const pushManager = { subscribe: async () => subscription, getSubscription: async () => subscription };
  const serviceWorker = { getRegistration: async () => ({ pushManager }), addEventListener: () => undefined };
  Object.defineProperty(navigator, "serviceWorker", { configurable: true, value: serviceWorker });
  URL.createObjectURL = () => "blob:";
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
    saved = [...saved, this.download];
  });
});
afterEach(() => {
  Reflect.deleteProperty(navigator, "serviceWorker");
});
// Hooks run from last to first: the page is gone before those above run.
setUpPageTests();

const tap = async (name: string) => fireEvent.click(await screen.findByText(name));
const changes = (calls: readonly string[]) => calls.filter((call) => call.startsWith("changeTrace"));

test("is a message to this phone, which can be turned off again", async () => {
  const { calls } = renderApp("/journeys/journey-1", ON_TAG, KEY);
  await tap(card.remind);
  await screen.findByText(card.reminded);
  expect(await hasReminder(DEVICE)).toBe(true);
  await tap(card.remindNot);
  await screen.findByText(card.remind);
  expect(changes(calls)).toEqual([
    'changeTrace {"pushEndpoint":"https://push.example/1","remindToClear":true}',
    'changeTrace {"pushEndpoint":""}',
  ]);
  expect([await hasReminder(DEVICE), saved]).toEqual([false, []]);
});

test("is still on after the page was closed, and is forgotten once the tag is lost", async () => {
  renderApp("/journeys/journey-1", ON_TAG, KEY);
  await tap(card.remind);
  await screen.findByText(card.reminded);
  cleanup();
  renderApp("/journeys/journey-1", ON_TAG, KEY);
  await screen.findByText(card.remindNot);
  await tap(passenger.lost.report);
  const dialog = await screen.findByRole("dialog");
  fireEvent.click(
    [...dialog.querySelectorAll("button")].find(
      (each) => each.textContent === passenger.lost.report,
    ) as Element,
  );
  await waitFor(async () => expect(await hasReminder(DEVICE)).toBe(false));
});

test.each([
  ["the service sends none", {}, ON_TAG, "granted" as const],
  ["the person allows none", KEY, ON_TAG, "denied" as const],
  [
    "the service refuses it",
    KEY,
    { ...ON_TAG, trace: { ok: false as const, error: new ServiceError("not_lock_holder", "") } },
    "granted" as const,
  ],
])("is a calendar file where %s", async (_, elsewhere, script, allowed) => {
  permission = allowed;
  renderApp("/journeys/journey-1", script, elsewhere);
  await tap(card.remind);
  await waitFor(() => expect(saved).toEqual(["clear-tag.ics"]));
  expect([await hasReminder(DEVICE), screen.queryByText(card.remindNot)]).toEqual([false, null]);
});

const NOW = Date.parse("2099-11-20T10:00:00Z");
const about = {
  summary: "Clear bag tag EBT-0001; soon",
  address: "https://tags.example/clear?tag=x",
  now: NOW,
};
const linesOf = (scheduledArrival?: string) => {
  const flights = LOVELACE.flights.map((flight) => ({
    ...flight,
    ...(scheduledArrival && { scheduledArrival }),
  }));
  return reminderOf({ ...LOVELACE, flights }, about).split("\r\n");
};

test("a reminder is an hour after landing, with an alarm, and names the tag alone", () => {
  const lines = linesOf("2099-11-22T12:30:00.000Z");
  expect(lines).toContain("DTSTART:20991122T133000Z");
  expect(lines).toContain("DTSTAMP:20991120T100000Z");
  expect(lines).toContain("SUMMARY:Clear bag tag EBT-0001\\; soon");
  expect(lines).toContain("TRIGGER:PT0M");
  expect(lines.join("\n")).not.toMatch(/LOVELACE|ABC123|0117123456/);
});

test("without a timetable it is noon of the day after", () => {
  expect(linesOf()).toContain("DTSTART:20991123T120000Z");
});
