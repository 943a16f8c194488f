import { fireEvent, screen, waitFor } from "@solidjs/testing-library";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Journey } from "../../sdk/index.ts";
import { page as words } from "../i18n/en-page.ts";
import { passenger } from "../i18n/en-passenger.ts";
import { unbroken } from "../i18n/forms.ts";
import { LOVELACE, PICKED, withBags } from "../test-support/fake-taglatch.ts";
import {
  heading,
  pressSoon,
  renderApp,
  setUpPageTests,
  stubUserActivation,
} from "../test-support/render-app.tsx";

const PATH = "/journeys/journey-1";
const DEVICE = PICKED.uniqueDeviceId;
const { card } = passenger;

setUpPageTests();
beforeEach(stubUserActivation);

const onTag = () => withBags({ attachedDevice: DEVICE });

test("the card of a bag on its way has its state, then Rewrite, and the rest behind one button", async () => {
  renderApp(PATH, onTag());
  await screen.findByText(card.ready);
  const more = await screen.findByText(card.remind);
  const inMore = [...(more.closest("details")?.querySelectorAll("a, button") ?? [])];
  expect(inMore.map(({ textContent }) => textContent)).toEqual([
    words.bag.clear,
    card.show,
    card.remind,
    passenger.lost.report,
  ]);
  expect(document.querySelector(".bag .button[data-kind=primary]")).toBeNull();
});

test("what is shown to staff is the bag's number, in digits and as a barcode, also offline", async () => {
  const client = renderApp(PATH, onTag());
  await screen.findByText(card.ready);
  const calls = client.calls.length;
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  fireEvent(window, new Event("offline"));
  await waitFor(() => expect(screen.queryByText(words.bag.putAgain)).toBeNull());
  await pressSoon(card.show);
  const dialog = await screen.findByRole("dialog");
  expect(dialog.querySelector("svg text")?.textContent).toBe("0117123456");
  expect(dialog.querySelector("svg[role=img] path")?.getAttribute("d")).toMatch(/^M12 4h/);
  expect(client.calls.slice(calls)).toEqual([]);
  vi.restoreAllMocks();
});

test.each([
  ["the first is next: all", [false, true, true], [true, true, true]],
  ["the second is next: the bags after it", [true, false, true], [false, false, true]],
  ["the last is next: none", [true, true, false], [false, false, false]],
  ["none is left: all", [true, true, true], [true, true, true]],
] as const)("of three bags, where %s are drawn", async (_, done, drawn) => {
  const [first] = LOVELACE.baggage as readonly [Journey["baggage"][number]];
  const baggage = done.map((isOn, index) => ({
    ...{ ...first, baggageId: index + 1 },
    ...(isOn && { attachedDevice: `ebt-21-000${index + 1}` }),
  }));
  renderApp(PATH, { journey: { ok: true, value: { ...LOVELACE, baggage } } });
  await waitFor(() => expect(document.querySelectorAll(".bag")).toHaveLength(3));
  const cards = [...document.querySelectorAll(".bag")];
  await waitFor(() => expect(cards.map((card) => card.querySelector(".tag") !== null)).toEqual(drawn));
});

describe("a tag that was cleared by mistake", () => {
  async function clear() {
    const client = renderApp(PATH, onTag());
    fireEvent.click(await screen.findByRole("link", { name: words.bag.clear }));
    await pressSoon(words.clear.titleOf(unbroken(PICKED.name)));
    await heading(words.clear.doneTitle);
    return client;
  }

  test("gets its label back by one tap", async () => {
    const client = await clear();
    fireEvent.click(await screen.findByRole("link", { name: card.putBack }));
    await heading(words.job.doneTitle);
    expect(client.calls).toContain("transferTag");
  });

  test("is put back from the bag's card, too", async () => {
    await clear();
    fireEvent.click(screen.getByRole("link", { name: words.job.toJourney }));
    await screen.findByRole("button", { name: `${card.putBack}: Bag\u00a01` });
  });

  test("is not offered for longer than a minute on that screen", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ["setTimeout", "clearTimeout"] });
    await clear();
    await screen.findByRole("link", { name: card.putBack });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(screen.queryByRole("link", { name: card.putBack })).toBeNull();
  });
});
