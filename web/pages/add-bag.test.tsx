import { fireEvent, screen, waitFor, within } from "@solidjs/testing-library";
import { expect, test } from "vitest";
import { BagRefusedError, ServiceError, type ServiceErrorCode } from "../../sdk/index.ts";
import { errors } from "../i18n/en-errors.ts";
import { passenger } from "../i18n/en-passenger.ts";
import { LOVELACE } from "../test-support/fake-taglatch.ts";
import { pressSoon, renderApp, setUpPageTests } from "../test-support/render-app.tsx";

const { addBag: words } = passenger;

setUpPageTests();

/** The question that a press on "Add a bag" asks. */
async function ask() {
  await pressSoon(words.action);
  const dialog = await screen.findByRole("dialog", { name: words.title });
  return {
    dialog: within(dialog),
    agree: () => fireEvent.click(within(dialog).getByRole("button", { name: words.action })),
  };
}

test("a bag that is added is asked for once more, then shown and said", async () => {
  const third = { baggageId: 3, licencePlate: "0117200000", readable: "SK 200000", flags: 1 };
  const value = { ...LOVELACE, baggage: [...LOVELACE.baggage, third] };
  const client = renderApp("/journeys/journey-1", { addBag: { ok: true, value } });
  const { agree } = await ask();
  expect(client.calls).not.toContain("addBag journey-1 3");
  agree();
  await screen.findByRole("button", { name: "Write to tag: bag\u00a03" });
  expect(client.calls.filter((call) => call.startsWith("addBag"))).toEqual(["addBag journey-1 3"]);
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(screen.getByText(words.added(3)).closest("[role=status]")).toBeTruthy();
});

test("bags that the service sends again keep their buttons: a tap at that moment counts", async () => {
  const third = { baggageId: 3, licencePlate: "0117200000", readable: "SK 200000", flags: 1 };
  const value = structuredClone({ ...LOVELACE, baggage: [third, ...LOVELACE.baggage] });
  renderApp("/journeys/journey-1", { addBag: { ok: true, value } });
  const before = await screen.findByRole("button", { name: "Write to tag: bag\u00a01" });
  const { agree } = await ask();
  agree();
  await screen.findByRole("button", { name: "Write to tag: bag\u00a03" });
  expect(screen.getByRole("button", { name: "Write to tag: bag\u00a02" })).toBe(before);
});

test("a cancel adds nothing", async () => {
  const client = renderApp("/journeys/journey-1");
  const { dialog } = await ask();
  fireEvent.click(dialog.getByRole("button", { name: "Cancel" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(client.calls.some((call) => call.startsWith("addBag"))).toBe(false);
});

test.each<[string, ServiceErrorCode, string, string]>([
  ["an airline without plates of its own", "required_info_not_provided", words.noRange, words.noRangeNext],
  ["a journey with all its bags", "bag_limit", errors.bag_limit.what, errors.bag_limit.next],
])("%s is a sentence and a next step in the dialog", async (_, code, what, next) => {
  renderApp("/journeys/journey-1", { addBag: { ok: false, error: new ServiceError(code, "") } });
  const { dialog, agree } = await ask();
  agree();
  await dialog.findByText(what);
  dialog.getByText(next);
  expect(screen.getByText("2 bags, 2 tags")).toBeTruthy();
});

test("what the airline allows is said with the bag", async () => {
  const third = { baggageId: 3, licencePlate: "0117200000" };
  const value = { ...LOVELACE, baggage: [...LOVELACE.baggage, third], allowed: { kilograms: 23 } };
  renderApp("/journeys/journey-1", { addBag: { ok: true, value } });
  (await ask()).agree();
  await screen.findByText(`${words.added(3)} ${words.upTo("23 kg")}`);
});

test.each(Object.entries(words.refused))(
  "%s is the airline's reason, with its own sentence",
  async (reason, text) => {
    const sentence = "Bare to kofferter er inkludert.";
    const error = new BagRefusedError("bag_refused", "", { errors: [reason, sentence] });
    renderApp("/journeys/journey-1", { addBag: { ok: false, error } });
    const { dialog, agree } = await ask();
    agree();
    await dialog.findByText(text.what);
    dialog.getByText(text.next);
    expect(dialog.getByText(sentence).dir).toBe("auto");
  },
);

test("a reason of a later version sends the person to the desk", async () => {
  const error = new BagRefusedError("bag_refused", "", { errors: ["moon"] });
  renderApp("/journeys/journey-1", { addBag: { ok: false, error } });
  const { dialog, agree } = await ask();
  agree();
  await dialog.findByText(words.refused.restricted.what);
});

test("an airport that is not listed is named before a tag is written, and nothing is in the way", async () => {
  renderApp("/journeys/journey-1", { journey: { ok: true, value: { ...LOVELACE, acceptsTags: false } } });
  await screen.findByText(passenger.notListed.title("OSL"));
  expect(screen.getByRole("button", { name: "Write to tag: bag\u00a01" })).toHaveProperty("disabled", false);
});

test("nothing is said of an airport that is listed, or of which nothing is known", async () => {
  renderApp("/journeys/journey-1");
  await screen.findByRole("button", { name: "Write to tag: bag\u00a01" });
  expect(screen.queryByText(passenger.notListed.title("OSL"))).toBeNull();
});
