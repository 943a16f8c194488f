import { fireEvent, screen, waitFor } from "@solidjs/testing-library";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Journey } from "../../sdk/index.ts";
import { page as words } from "../i18n/en-page.ts";
import { passenger } from "../i18n/en-passenger.ts";
import { unbroken } from "../i18n/forms.ts";
import { LOVELACE, PICKED, WAITING, withBags } from "../test-support/fake-taglatch.ts";
import {
  heading,
  pressSoon,
  renderApp,
  setUpPageTests,
  stubUserActivation,
} from "../test-support/render-app.tsx";
import { interleaved2of5 } from "../ui/TagDrawing.tsx";

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
  const drawn = dialog.querySelector("svg[role=img] path")?.getAttribute("d") ?? "";
  const bars = [...drawn.matchAll(/M(\d+) 4h(\d+)v52h-\2z/g)].map(([, at, width]) => [
    Number(at) - 12,
    Number(width),
  ]);
  expect(bars).toEqual(interleaved2of5("0117123456")?.bars);
  expect(drawn.match(/M/g)).toHaveLength(bars.length);
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

const TITLE = passenger.taken.title(unbroken(PICKED.name));

const taken = (reason: "proof" | "staff" | "voided" | "displaced") =>
  withBags({ lockEnded: { reason, at: "2099-11-20T22:05:00Z", uniqueDeviceId: DEVICE } });

describe("a tag that was taken from a bag", () => {
  test.each([
    ["proof", "Unlocked with your booking details, "],
    ["staff", "Airline staff unlocked the tag, "],
    ["voided", "The tag itself showed"],
    ["displaced", "Your booking had more tags"],
  ] as const)("says what, when and by what kind of hand: %s", async (reason, beginning) => {
    renderApp(PATH, taken(reason));
    const notice = (await screen.findByText(TITLE)).closest(".notice");
    expect(notice?.textContent).toContain(beginning);
    expect(notice?.textContent).toMatch(/Nov\s2[01]/);
    await screen.findByRole("button", { name: "Write again: Bag\u00a01" });
  });

  test("says so on other screens, too, with the way to the bag", async () => {
    renderApp(PATH, taken("proof"));
    await screen.findByText(TITLE);
    fireEvent.click(await screen.findByRole("link", { name: words.start.clearAction }));
    await screen.findByRole("button", { name: words.job.choose });
    const notice = (await screen.findByText(TITLE)).closest(".notice");
    expect(notice?.querySelector("a")?.getAttribute("href")).toBe(PATH);
  });

  test.each([
    ["2099-11-22", true],
    ["2020-01-02", false],
  ])("failed proofs at its tag are news until it has landed (%s)", async (date, isNews) => {
    const failedCustodyProofs = { count: 1, lastAt: "2020-01-01T10:00:00Z" };
    const { journey } = withBags({ attachedDevice: DEVICE, failedCustodyProofs });
    const flights = journey.value.flights.map((flight) => ({ ...flight, date }));
    renderApp(PATH, { journey: { ok: true, value: { ...journey.value, flights } } });
    await screen.findByText(isNews ? passenger.card.ready : passenger.arrival.title);
    if (isNews) await screen.findByText(passenger.attempts.title(1));
    expect(screen.queryAllByText(passenger.attempts.title(1))).toHaveLength(isNews ? 1 : 0);
  });

  test("is no news once the bag is on a tag again", async () => {
    renderApp(`${PATH}/bags/1`, taken("proof"));
    await pressSoon(words.job.choose);
    await heading(words.job.doneTitle);
    await waitFor(() => expect(screen.queryByText(TITLE)).toBeNull());
  });
});

describe("an open page", () => {
  /** The journey is on a tag, and taken from it while the page is open. */
  async function openThenTaken() {
    vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ["Date", "setInterval", "clearInterval"] });
    const script = withBags({ attachedDevice: DEVICE });
    const client = renderApp(PATH, script);
    await screen.findByText(passenger.card.ready);
    Object.assign(script, taken("staff"));
    return client;
  }

  test("learns of it when the person comes back", async () => {
    await openThenTaken();
    vi.setSystemTime(Date.now() + 6_000);
    fireEvent.focus(window);
    await screen.findByText(TITLE);
    expect(screen.queryByText(passenger.card.ready)).toBeNull();
  });

  test("learns of it within a minute", async () => {
    await openThenTaken();
    await vi.advanceTimersByTimeAsync(60_000);
    await screen.findByText(TITLE);
  });

  test("asks nothing while its own work waits: the service does not know of that yet", async () => {
    const client = renderApp(PATH, { waiting: [WAITING] });
    await screen.findByText(words.outbox.waiting(1));
    const before = client.calls.length;
    vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 6_000);
    fireEvent.focus(window);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(client.calls.slice(before).filter((call) => call !== "flush")).toEqual([]);
  });
});
