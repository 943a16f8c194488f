import { cleanup, fireEvent, screen, waitFor, within } from "@solidjs/testing-library";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { ServiceError, type ServiceErrorCode } from "../../sdk/index.ts";
import { errors } from "../i18n/en-errors.ts";
import { passenger } from "../i18n/en-passenger.ts";
import { LOVELACE } from "../test-support/journeys.ts";
import { renderApp, standInForDialogs } from "../test-support/render-app.tsx";

const { addBag: words } = passenger;

beforeAll(standInForDialogs);
beforeEach(() => localStorage.clear());
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

/** The question that a press on "Add a bag" asks. */
async function ask() {
  fireEvent.click(await screen.findByRole("button", { name: words.action }));
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
