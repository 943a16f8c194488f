import { screen, waitFor, within } from "@solidjs/testing-library";
import { expect, test, vi } from "vitest";
import { ServiceError } from "../../sdk/index.ts";
import { en } from "../i18n/en.ts";
import { heading, press, pressSoon, renderApp, setUpPageTests, type } from "../test-support/render-app.tsx";

setUpPageTests();

test("the session is opened once, without a certificate, from a locator's fourth character on", async () => {
  const { session } = renderApp("/");
  const prepare = vi.spyOn(session, "prepare");
  type("Booking reference", "ab 3");
  await Promise.resolve();
  expect(prepare).not.toHaveBeenCalled();
  for (const typed of ["ab 34", "abc", "abc1", "abc123"]) type("Booking reference", typed);
  await waitFor(() => expect(prepare).toHaveBeenCalled());
  expect(prepare.mock.calls).toEqual([[{ certificate: false }]]);
});

test("a session that could not be opened yet says nothing, and the search goes on", async () => {
  const { session } = renderApp("/");
  const error = new ServiceError("too_many_requests", "");
  const prepare = vi.spyOn(session, "prepare").mockResolvedValue({ ok: false, error });
  type("Booking reference", "abc123");
  await waitFor(() => expect(prepare).toHaveBeenCalled());
  expect(screen.getAllByRole("alert").map(({ textContent }) => textContent)).toEqual([""]);
  type("Surname", "Lovelace");
  press("Find my trip");
  await heading("To Helsinki");
});

const { what, next } = en.errors.airline_required;

/** Whose the booking may be, where several airlines have one with this locator and surname. */
async function choices(): Promise<readonly string[]> {
  const alert = within(await screen.findByRole("alert"));
  await alert.findByText(what);
  alert.getByText(next);
  return alert.getAllByRole("button").map(({ textContent }) => textContent ?? "");
}

test("a booking that was typed is found with the airline that was chosen, and without a code for support", async () => {
  const client = renderApp("/", { airlines: ["LH", "SK"] });
  const scrolls = vi.fn();
  Element.prototype.scrollIntoView = scrolls;
  type(en.start.recordLocator, "K7Q2ZD");
  type(en.start.surname, "Müller");
  press(en.start.find);
  expect(await choices()).toEqual(["LH", "SK"]);
  expect(scrolls).toHaveBeenCalled();
  expect(screen.queryByText(/airline_required/)).toBeNull();
  press("SK");
  await heading(en.journey.title("Helsinki"));
  expect(client.calls.filter((call) => call.startsWith("from"))).toEqual([
    "fromRecordLocator K7Q2ZD Müller",
    "fromRecordLocator K7Q2ZD Müller SK",
  ]);
});

test("so is a booking that came with a link, once the person has said that it is theirs", async () => {
  const client = renderApp("/t/ebt-21-0003#booking=K7Q2ZD/M%C3%BCller", { airlines: ["LH", "SK"] });
  await pressSoon(en.passenger.link.yes);
  expect(await choices()).toEqual(["LH", "SK"]);
  press("SK");
  await screen.findByText(en.passenger.link.which);
  expect(client.calls.filter((call) => call.startsWith("from"))).toEqual([
    "fromRecordLocator K7Q2ZD Müller",
    "fromRecordLocator K7Q2ZD Müller SK",
  ]);
});

test.each([
  ["in the query", "/t/ebt-21-0001?booking=K7Q2ZD/LOVELACE"],
  ["of no booking's form", "/t/ebt-21-0001#booking=K7Q2ZD/%3Cimg%20src=x%3E"],
  ["that is no text", "/t/ebt-21-0001#booking=%E0%A4%A"],
  ["behind any other screen's address", "/#booking=K7Q2ZD/LOVELACE"],
])("a booking %s is ignored, and wiped", async (_, path) => {
  renderApp(path);
  if (path.startsWith("/t/")) await pressSoon(en.passenger.link.mine);
  const field = await screen.findByLabelText<HTMLInputElement>(en.start.recordLocator);
  expect([field.value, screen.queryByText(en.passenger.link.yours), location.hash]).toEqual(["", null, ""]);
});
