import { screen, within } from "@solidjs/testing-library";
import { expect, test } from "vitest";
import { en } from "../i18n/en.ts";
import { kiosk as words } from "../i18n/en-kiosk.ts";
import {
  heading,
  PASS,
  press,
  renderKiosk,
  scan,
  setUpKioskTests,
  type,
} from "../test-support/render-kiosk.tsx";

/** How a kiosk finds a booking; one of several airlines asks whose it is. */

setUpKioskTests();

const script = { airlines: ["LH", "SK"] };
const airlines = async () => {
  const alert = within(await screen.findByRole("alert"));
  await alert.findByText(en.errors.airline_required.what);
  return alert.getAllByRole("button").map(({ textContent }) => textContent);
};
const found = (calls: readonly string[]) => calls.filter((call) => call.startsWith("from"));

test("a boarding pass is looked for once more with the airline that was chosen", async () => {
  const { fake } = renderKiosk({ script });
  await heading(words.attract.scan);
  scan(PASS);
  await heading(words.find.title);
  expect(await airlines()).toEqual(["LH", "SK"]);
  await press("LH");
  await heading(en.journey.title("Helsinki"));
  expect(found(fake.calls)).toEqual([`fromBcbp ${PASS}`, `fromBcbp ${PASS} LH`]);
});

test("so is a booking that was typed; the next passenger is asked again", async () => {
  const { fake } = renderKiosk({ script });
  await press(words.attract.type);
  type(en.start.recordLocator, "K7Q2ZD");
  type(en.start.surname, "MÜLLER");
  await press(en.start.find);
  expect(await airlines()).toEqual(["LH", "SK"]);
  await press("SK");
  await heading(en.journey.title("Helsinki"));
  expect(found(fake.calls)).toEqual([
    "fromRecordLocator K7Q2ZD MÜLLER",
    "fromRecordLocator K7Q2ZD MÜLLER SK",
  ]);
  await press(words.journey.done);
  await heading(words.attract.scan);
  scan(PASS);
  expect(await airlines()).toEqual(["LH", "SK"]);
});

test("what was pasted or typed in another script is sought as it was meant", async () => {
  const { fake } = renderKiosk({});
  await press(words.attract.type);
  type(en.start.recordLocator, "abc\u0661\u06f2\u0663\u200f");
  type(en.start.surname, "Love\u00adlace\u200b");
  await press(en.start.find);
  await heading(en.journey.title("Helsinki"));
  expect(found(fake.calls)).toEqual(["fromRecordLocator ABC123 Lovelace"]);
});
