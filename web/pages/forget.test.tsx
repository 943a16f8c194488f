import { fireEvent, screen, waitFor } from "@solidjs/testing-library";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { withResolvers } from "../../sdk/abort.ts";
import { type Journey, type Result, ServiceError } from "../../sdk/index.ts";
import { page as words } from "../i18n/en-page.ts";
import { passenger } from "../i18n/en-passenger.ts";
import {
  endOf,
  eraseCachedJourney,
  knownTags,
  readCachedJourney,
  saveCachedJourney,
} from "../state/cached-journey.ts";
import { LOVELACE, PICKED } from "../test-support/fake-taglatch.ts";
import {
  heading,
  press,
  pressSoon,
  renderApp,
  setUpPageTests,
  standInForCryptography,
} from "../test-support/render-app.tsx";
import "fake-indexeddb/auto";

const { cached } = passenger;

beforeAll(standInForCryptography);
beforeEach(async () => {
  await saveCachedJourney({ journey: LOVELACE, asOf: 0 });
  localStorage.setItem("taglatch.journey-kept", "1");
});
afterEach(async () => {
  Reflect.deleteProperty(navigator, "serviceWorker");
  await eraseCachedJourney();
});
// Hooks run from last to first: the page is gone before those above run.
setUpPageTests();

const stored = () => readCachedJourney(endOf(LOVELACE) - 1);

const never = () => new Promise<never>(() => undefined);

/** The page at `path` for a person who comes back, over a service that ends their session; their journey comes by `list`. */
function comesBack(path: string, list: () => Promise<Result<readonly Journey[]>> = never) {
  const client = renderApp(path);
  const logout = async () => ({ ok: true, value: undefined }) as const;
  Object.assign(client, {
    session: { ...client.session, logout },
    journeys: { ...client.journeys, list },
  });
}
async function forgets() {
  await pressSoon(cached.forget);
  await pressSoon(cached.forgetYes);
}

/** A phone with a push subscription, which `unsubscribe` ends. */
function stubSubscription(unsubscribe: () => Promise<boolean>) {
  vi.stubGlobal("PushManager", class {});
  vi.stubGlobal("Notification", { permission: "granted" });
  const deleted = vi.fn(async () => true);
  vi.stubGlobal("caches", { open: async () => ({ put: async () => undefined }), delete: deleted });
  const pushManager = { getSubscription: async () => ({ unsubscribe }) };
  const serviceWorker = { getRegistration: async () => ({ pushManager }) };
  Object.defineProperty(navigator, "serviceWorker", { configurable: true, value: serviceWorker });
  return deleted;
}

test("a device that forgets a person has nothing of theirs: no journey, no typed name, no news", async () => {
  const unsubscribe = vi.fn(async () => true);
  const deleted = stubSubscription(unsubscribe);
  comesBack("/find");
  const type = async (label: string, value: string) =>
    fireEvent.input(await screen.findByLabelText(label), { target: { value } });
  await type(words.start.recordLocator, "XYZ789");
  await type(words.start.surname, "Byron");
  await forgets();
  await screen.findByText(words.start.forgotten);
  expect(await stored()).toBeUndefined();
  expect(unsubscribe).toHaveBeenCalledTimes(1);
  expect(deleted).toHaveBeenCalledWith("news");
  for (const label of [words.start.recordLocator, words.start.surname])
    expect(screen.getByLabelText<HTMLInputElement>(label).value).toBe("");
});

test("an answer that comes while the device forgets leaves nothing behind", async () => {
  const [answer, unsubscribed] = [withResolvers<Result<readonly Journey[]>>(), withResolvers<boolean>()];
  const unsubscribe = vi.fn(() => unsubscribed.promise);
  stubSubscription(unsubscribe);
  const list = vi.fn(() => answer.promise);
  comesBack("/", list);
  await screen.findByRole("button", { name: cached.forget });
  await waitFor(() => expect(list).toHaveBeenCalled());
  await forgets();
  await waitFor(() => expect(unsubscribe).toHaveBeenCalled());
  expect(await stored()).toBeUndefined();
  answer.resolve({ ok: true, value: [LOVELACE] });
  // It may be cached for a moment, as long as it does not stay.
  await vi.waitFor(async () => expect(await stored()).toBeDefined(), { timeout: 500 }).catch(() => undefined);
  unsubscribed.resolve(true);
  await screen.findByText(words.start.forgotten);
  await waitFor(async () => expect(await stored()).toBeUndefined());
  expect(screen.queryByText(words.journey.title("Helsinki"))).toBeNull();
});

test("a journey that could not be erased is said to be there still", async () => {
  comesBack("/");
  await screen.findByRole("button", { name: cached.forget });
  const open = vi.spyOn(indexedDB, "open").mockImplementation(() => {
    throw new DOMException("", "UnknownError");
  });
  await forgets();
  await screen.findByRole("button", { name: cached.forgetAnyway });
  open.mockRestore();
  press(cached.forgetAnyway);
  await screen.findByText(words.start.forgotten);
  expect(await stored()).toBeUndefined();
});

test("another person's journey, for whom this phone writes tags, is not cached in place of one's own", async () => {
  const theirs = { ...LOVELACE, journeyId: "journey-2", delegationId: "delegation-1" };
  const client = renderApp("/journeys/journey-2", { journey: { ok: true, value: theirs } });
  const list = async () => ({ ok: false, error: new ServiceError("service_unavailable", "") }) as const;
  Object.assign(client, { delegations: { ...client.delegations, list } });
  await screen.findByText(passenger.delegate.forOther);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect((await stored())?.journey).toEqual(LOVELACE);
});

const PATH = "/journeys/journey-1";

// What the page still wrote is over before its environment goes. Hooks run from last to first.
afterEach(eraseCachedJourney);

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
});
