import { cleanup, fireEvent, screen, waitFor, within } from "@solidjs/testing-library";
import { beforeEach, expect, test, vi } from "vitest";
import { BluetoothError, type PickedTag, ServiceError } from "../../sdk/index.ts";
import { page as words } from "../i18n/en-page.ts";
import { passenger } from "../i18n/en-passenger.ts";
import { unbroken } from "../i18n/forms.ts";
import type { Bag } from "../state/bags.ts";
import { type FakeScript, LOVELACE, PICKED, WRITTEN, withBags } from "../test-support/fake-taglatch.ts";
import {
  heading,
  press,
  pressSoon,
  renderApp,
  setUpPageTests,
  stubUserActivation,
} from "../test-support/render-app.tsx";

const TAGS = [PICKED.uniqueDeviceId, "ebt-21-0002", "ebt-21-0003"] as const;
const [FIRST, SECOND] = TAGS;
const printedName = (tag: string) => `EBT-${tag.slice(-4)}`;
const nameOf = (tag: string) => unbroken(printedName(tag));
const { early } = passenger.arrival;
const LONG_AGO = "2020-01-02";

setUpPageTests();
beforeEach(stubUserActivation);

const tap = async (name: string) =>
  fireEvent.click((await screen.findAllByRole("link", { name }))[0] as Element);

/** Resolves when the page has asked which tags the browser remembers, and whatever begins then has begun. */
async function onceRecalled(script: FakeScript, tap: () => unknown): Promise<void> {
  const asked = vi.fn();
  Object.defineProperty(script, "remembered", { configurable: true, get: asked });
  await tap();
  await screen.findByRole("button", { name: words.clear.titleOf(nameOf(FIRST)) });
  await waitFor(() => expect(asked).toHaveBeenCalled());
  await new Promise((resolve) => setTimeout(resolve));
}

/** A journey with a bag on each of `tags`. */
function onTags(date: string, more: object = {}, tags: readonly string[] = [FIRST, SECOND]) {
  const [bag] = LOVELACE.baggage as [Bag];
  const baggage = tags.map((attachedDevice, at) => ({ ...bag, baggageId: at + 1, attachedDevice, ...more }));
  const flights = LOVELACE.flights.map((flight) => ({ ...flight, date }));
  return { journey: { ok: true, value: { ...LOVELACE, flights, baggage } } } as const;
}

const pickedOf = (tag: string): PickedTag => ({
  ...PICKED,
  deviceId: `radio ${tag}`,
  uniqueDeviceId: tag,
  name: printedName(tag),
});

/** The tag that is near: `tag`, else the one that was asked for. The one that the page wants cleared is noted. */
function near(
  tag: string | undefined,
  asked: string[] = [],
): Pick<FakeScript, "pick"> & Required<Pick<FakeScript, "clear">> {
  return {
    pick: async ({ uniqueDeviceId = "" }) => ({ ok: true, value: pickedOf(tag ?? uniqueDeviceId) }),
    clear: async (_options, { uniqueDeviceId }) => {
      asked.push(uniqueDeviceId);
      return { ok: true, value: { ...WRITTEN.value, device: pickedOf(uniqueDeviceId) } };
    },
  };
}

test("after the journey one tap clears the tag, and the next one is one more tap away", async () => {
  const asked: string[] = [];
  const client = renderApp("/journeys/journey-1", { ...onTags(LONG_AGO), ...near(FIRST, asked) });
  await tap(words.clear.titleOf(nameOf(FIRST)));
  await heading(words.clear.doneTitle);
  await tap(passenger.arrival.next(nameOf(SECOND)));
  await waitFor(() => expect(asked).toEqual([FIRST, SECOND]));
  await heading(words.clear.doneTitle);
  expect(client.calls.filter((call) => call === "pickTag")).toHaveLength(2);
  expect(screen.queryByText(passenger.arrival.next(nameOf(FIRST)))).toBeNull();
  // Back at the journey there is nothing left to do.
  await tap(words.job.toJourney);
  await screen.findByText(passenger.card.finished);
  for (const name of [words.bag.put, words.bag.notOnTag, passenger.addBag.action])
    expect(screen.queryByText(name)).toBeNull();
});

test("a tag that is reported lost offers where it is and that it is back, and nothing else", async () => {
  renderApp("/journeys/journey-1", onTags(LONG_AGO, { lost: true }));
  await screen.findAllByText(passenger.found.trace);
  const card = screen.getByRole("heading", { level: 3, name: "Bag\u00a01" }).closest("li");
  const choices = [...(card?.querySelectorAll("a, button, summary") ?? [])].map((each) => each.textContent);
  expect(choices).toEqual([passenger.found.trace, passenger.lost.found]);
});

test("a tag whose journey is still ahead is cleared only by one more tap, which says what would be lost", async () => {
  const given: FakeScript = { ...onTags("2099-11-22"), ...near(FIRST) };
  const client = renderApp("/journeys/journey-1", given);
  const name = words.bag.clear;
  await screen.findAllByRole("link", { name });
  await onceRecalled(given, () => tap(name));
  await screen.findByText(early);
  expect(client.calls).not.toContain("pickTag");
  press(words.clear.titleOf(nameOf(FIRST)));
  await heading(words.clear.doneTitle);
});

test("a link from elsewhere clears nothing by itself", async () => {
  const given: FakeScript = { ...onTags(LONG_AGO), ...near(FIRST) };
  const client = renderApp("/journeys/journey-1", given);
  await screen.findAllByRole("link", { name: words.clear.titleOf(nameOf(FIRST)) });
  const link = document.createElement("a");
  link.href = `/clear?tag=${FIRST}`;
  document.querySelector("main")?.append(link);
  await onceRecalled(given, () => void fireEvent.click(link));
  expect(client.calls).not.toContain("pickTag");
});

test("a tag whose name ends alike is not taken for the one that was meant", async () => {
  const asked: string[] = [];
  renderApp(`/clear?tag=${SECOND}`, near("other-0002", asked));
  await pressSoon(words.clear.titleOf(nameOf(SECOND)));
  await waitFor(() => expect(asked).toEqual([SECOND]));
});

test("a tag of a journey that is not over is cleared only after a question, where no tag was named before", async () => {
  const asked: string[] = [];
  const clear = async () => {
    cleanup();
    renderApp("/journeys/journey-1", { ...onTags("2099-11-22"), ...near(FIRST, asked) });
    await heading(words.journey.title("Helsinki"));
    fireEvent.click(await screen.findByRole("link", { name: words.start.clearAction }));
    await pressSoon(words.job.choose);
    await screen.findAllByText(early);
    expect(asked).toEqual([]);
  };
  await clear();
  press(words.app.cancel);
  await screen.findByRole("button", { name: words.job.choose });
  expect(asked).toEqual([]);
  await clear();
  press(words.clear.titleOf(nameOf(FIRST)));
  await heading(words.clear.doneTitle);
  expect(asked).toEqual([FIRST]);
});

test("where no journey is known, finding it comes before clearing", async () => {
  renderApp("/clear");
  const find = await screen.findByRole("link", { name: words.start.find });
  expect(find.dataset.kind).toBe("primary");
  expect(screen.getByRole("button", { name: words.job.choose }).dataset.kind).toBe("secondary");
  cleanup();
  renderApp("/journeys/journey-1", onTags("2099-11-22"));
  fireEvent.click(await screen.findByRole("link", { name: words.start.clearAction }));
  expect((await screen.findByRole("button", { name: words.job.choose })).dataset.kind).toBe("primary");
  expect(screen.queryByRole("link", { name: words.start.find })).toBeNull();
});

test("a tag that is clear though the service does not know yet is said to be clear, not to have a label", async () => {
  const value = { ...WRITTEN.value, pendingRetry: true };
  renderApp(`/clear?tag=${FIRST}`, { ...near(FIRST), clear: async () => ({ ok: true, value }) });
  await pressSoon(words.clear.titleOf(nameOf(FIRST)));
  await heading(words.clear.pendingTitle);
  expect(document.querySelector("main")?.textContent).toContain(words.clear.pending);
});

test("a clear page that was opened by itself ends with a clear tag", async () => {
  const client = renderApp("/clear");
  await heading("Clear a tag");
  await pressSoon("Choose my tag");
  await heading("Your tag is clear");
  expect(client.calls).toEqual(["pickTag", "clearTag", "disconnect"]);
});

const OLD = "ebt-21-0009";
const NAME = "EBT-0009";

/** The first bag is on {@link OLD}. */
const onOldTag = withBags({ attachedDevice: OLD }, {});

test("changing tags asks which one, even where the browser remembers the old one", async () => {
  const client = renderApp("/journeys/journey-1", {
    ...onOldTag,
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
  renderApp("/journeys/journey-1/bags/1", onOldTag);
  await pressSoon(words.job.choose);
  await heading(words.job.doneTitle);
  const name = unbroken(NAME);
  await screen.findByText(passenger.run.alsoOn(name));
  const clear = screen.getByRole("link", { name: words.clear.titleOf(name) });
  expect(clear.getAttribute("href")).toBe(`/clear?tag=${OLD}`);
});

/** After a trip: every tag that still shows it, one after the other. */

/** A trip that is over, with a bag on each tag; what each clear is asked to do is noted in `cleared`. */
const trip = (cleared: string[]) => ({ ...onTags(LONG_AGO, {}, TAGS), ...near(undefined, cleared) });
const connected = (deviceId: string) => pickedOf(deviceId.slice("radio ".length));
const BADGE = { selector: ".badge" };
const remembered = TAGS.map((tag) => ({ deviceId: `radio ${tag}`, name: printedName(tag) }));

async function clearAll() {
  fireEvent.click(await screen.findByRole("link", { name: words.start.clearAction }));
  fireEvent.click(await screen.findByRole("link", { name: passenger.tags.clearAll }));
}
const cardOf = async (tag: string) =>
  within(
    (await screen.findByRole("heading", { level: 2, name: printedName(tag) })).closest("li") as HTMLElement,
  );

test("one tap clears those that are near; the one that is not is named, and can be tried again", async () => {
  const cleared: string[] = [];
  const [first, away, last] = TAGS;
  let isNear = false;
  renderApp("/journeys/journey-1", {
    ...trip(cleared),
    remembered,
    connect: async (deviceId) =>
      deviceId === `radio ${away}` && !isNear
        ? { ok: false, error: new BluetoothError("out_of_reach", "") }
        : { ok: true, value: connected(deviceId) },
  });
  await clearAll();
  const card = await cardOf(away);
  await card.findByText(passenger.remembered.away(nameOf(away)));
  await waitFor(() => expect(cleared).toEqual([first, last]));
  for (const tag of [first, last]) await (await cardOf(tag)).findByText(words.clear.doneTitle, BADGE);
  isNear = true;
  fireEvent.click(await card.findByRole("button", { name: words.app.again }));
  await heading(passenger.card.finished);
  expect(cleared).toEqual([first, last, away]);
});

test("each has its own result, whatever became of the others", async () => {
  const cleared: string[] = [];
  const [refused, waits] = TAGS;
  const script = trip(cleared);
  renderApp("/journeys/journey-1", {
    ...script,
    remembered,
    connect: async (deviceId) => ({ ok: true, value: connected(deviceId) }),
    clear: async (options, request) => {
      if (request.uniqueDeviceId === refused)
        return { ok: false, error: new ServiceError("device_lost", "") };
      const done = await script.clear(options, request);
      if (!done.ok || request.uniqueDeviceId !== waits) return done;
      return { ok: true, value: { ...done.value, pendingRetry: true } };
    },
  });
  await clearAll();
  await (await cardOf(TAGS[2])).findByText(words.clear.doneTitle, BADGE);
  await (await cardOf(waits)).findByText(words.clear.pendingTitle, BADGE);
  await (await cardOf(refused)).findByRole("button", { name: words.app.again });
  expect(screen.queryByRole("heading", { level: 1, name: passenger.card.finished })).toBeNull();
});

test("where the browser remembers none, each tag is one tap, for its own list", async () => {
  const cleared: string[] = [];
  renderApp("/journeys/journey-1", trip(cleared));
  await clearAll();
  await waitFor(() => expect(cleared).toEqual([TAGS[0]]));
  for (const tag of TAGS.slice(1)) {
    const name = words.clear.titleOf(nameOf(tag));
    fireEvent.click(await (await cardOf(tag)).findByRole("button", { name }));
    await (await cardOf(tag)).findByText(words.clear.doneTitle, BADGE);
  }
  expect(cleared).toEqual(TAGS);
  await heading(passenger.card.finished);
});

test("a cancel ends the run, and the rest can be cleared by the same button", async () => {
  const cleared: string[] = [];
  renderApp("/journeys/journey-1", {
    ...trip(cleared),
    remembered,
    connect: async (deviceId) => ({
      ok: true,
      value: { ...connected(deviceId), batteryLevel: cleared.length === 1 ? 5 : 87 },
    }),
  });
  await clearAll();
  const low = await cardOf(TAGS[1]);
  await low.findByRole("button", { name: words.job.batteryGo });
  fireEvent.click(low.getByRole("button", { name: words.app.cancel }));
  const again = await screen.findByRole("button", { name: passenger.tags.clearAll });
  expect(cleared).toEqual([TAGS[0]]);
  cleared.push("so that the battery is full");
  fireEvent.click(again);
  await heading(passenger.card.finished);
  expect(cleared.filter((each) => each.startsWith("ebt"))).toEqual(TAGS);
});
