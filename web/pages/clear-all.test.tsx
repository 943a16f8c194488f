/** After a trip: every tag that still shows it, one after the other. */

import { fireEvent, screen, waitFor, within } from "@solidjs/testing-library";
import { beforeEach, expect, test } from "vitest";
import { BluetoothError, type Journey, type PickedTag, ServiceError } from "../../sdk/index.ts";
import { page as words } from "../i18n/en-page.ts";
import { passenger } from "../i18n/en-passenger.ts";
import { unbroken } from "../i18n/forms.ts";
import { type FakeScript, LOVELACE, PICKED } from "../test-support/fake-taglatch.ts";
import { heading, renderApp, setUpPageTests, stubUserActivation } from "../test-support/render-app.tsx";

const TAGS = ["ebt-21-0001", "ebt-21-0002", "ebt-21-0003"] as const;
const nameOf = (tag: string) => `EBT-${tag.slice(-4)}`;
const pickedOf = (tag: string): PickedTag => ({
  ...PICKED,
  ...{ deviceId: `radio ${tag}`, uniqueDeviceId: tag, name: nameOf(tag) },
});

setUpPageTests();
beforeEach(stubUserActivation);

/** A trip that is over, with a bag on each tag; what each clear is asked to do is noted in `cleared`. */
function trip(cleared: string[]): FakeScript {
  const baggage = TAGS.map((attachedDevice, index) => ({
    ...(LOVELACE.baggage[0] as Journey["baggage"][number]),
    ...{ baggageId: index + 1, attachedDevice },
  }));
  const flights = LOVELACE.flights.map((flight) => ({ ...flight, date: "2020-01-02" }));
  return {
    journey: { ok: true, value: { ...LOVELACE, flights, baggage } },
    pick: async ({ uniqueDeviceId = "" }) => ({ ok: true, value: pickedOf(uniqueDeviceId) }),
    clear: async (_, { uniqueDeviceId }) => {
      cleared.push(uniqueDeviceId);
      const device = pickedOf(uniqueDeviceId);
      return { ok: true, value: { pendingRetry: false, confirmedByTag: true, device, elapsed: 1 } };
    },
  };
}
const BADGE = { selector: ".badge" };
const remembered = TAGS.map((tag) => ({ deviceId: `radio ${tag}`, name: nameOf(tag) }));

async function clearAll() {
  fireEvent.click(await screen.findByRole("link", { name: words.start.clearAction }));
  fireEvent.click(await screen.findByRole("link", { name: passenger.tags.clearAll }));
}
const cardOf = async (tag: string) =>
  within((await screen.findByRole("heading", { level: 2, name: nameOf(tag) })).closest("li") as HTMLElement);

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
        : { ok: true, value: pickedOf(deviceId.slice("radio ".length)) },
  });
  await clearAll();
  const card = await cardOf(away);
  await card.findByText(passenger.remembered.away(unbroken(nameOf(away))));
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
    connect: async (deviceId) => ({ ok: true, value: pickedOf(deviceId.slice("radio ".length)) }),
    clear: async (options, request) => {
      if (request.uniqueDeviceId === refused)
        return { ok: false, error: new ServiceError("device_lost", "") };
      const done = await script.clear?.(options, request);
      if (done?.ok && request.uniqueDeviceId === waits)
        return { ok: true, value: { ...done.value, pendingRetry: true } };
      return done as NonNullable<typeof done>;
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
    const name = words.clear.titleOf(unbroken(nameOf(tag)));
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
      value: { ...pickedOf(deviceId.slice("radio ".length)), batteryLevel: cleared.length === 1 ? 5 : 87 },
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
