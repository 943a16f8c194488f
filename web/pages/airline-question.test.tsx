import { cleanup, fireEvent, screen, within } from "@solidjs/testing-library";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { en } from "../i18n/en.ts";
import { renderApp, standInForDialogs } from "../test-support/render-app.tsx";

/** Several airlines have a booking with one locator and surname: the page asks whose it is. */

beforeAll(standInForDialogs);
beforeEach(() => localStorage.clear());
afterEach(cleanup);

const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));
const { what, next } = en.errors.airline_required;

/** What the alert offers. */
async function choices(): Promise<readonly string[]> {
  const alert = within(await screen.findByRole("alert"));
  await alert.findByText(what);
  alert.getByText(next);
  return alert.getAllByRole("button").map(({ textContent }) => textContent ?? "");
}

test("a booking that was typed is found with the airline that was chosen, and without a code for support", async () => {
  const client = renderApp("/", { airlines: ["LH", "SK"] });
  fireEvent.input(screen.getByLabelText(en.start.recordLocator), { target: { value: "K7Q2ZD" } });
  fireEvent.input(screen.getByLabelText(en.start.surname), { target: { value: "Müller" } });
  press(en.start.find);
  expect(await choices()).toEqual(["LH", "SK"]);
  expect(screen.queryByText(/airline_required/)).toBeNull();
  press("SK");
  await screen.findByRole("heading", { level: 1, name: en.journey.title("Helsinki") });
  expect(client.calls.filter((call) => call.startsWith("from"))).toEqual([
    "fromRecordLocator K7Q2ZD Müller",
    "fromRecordLocator K7Q2ZD Müller SK",
  ]);
});
