import { createRoot } from "solid-js";
import { afterEach, expect, test, vi } from "vitest";
import { createFormats } from "./index.tsx";

afterEach(() => vi.unstubAllGlobals());

function formats() {
  vi.stubGlobal("navigator", { languages: ["en-GB"] });
  return createRoot(() => createFormats(() => "en"));
}

test.each([
  ["winter, late in the evening", new Date(2026, 10, 21, 23, 30), "21 Nov, 23:30"],
  ["winter, after midnight", new Date(2026, 10, 22, 0, 30), "22 Nov, 0:30"],
  ["summer, late in the evening", new Date(2026, 6, 21, 23, 30), "21 Jul, 23:30"],
  ["summer, after midnight", new Date(2026, 6, 22, 0, 30), "22 Jul, 0:30"],
])("a moment has the day and time of this device: in %s", (_, moment, text) => {
  const { dateTime } = formats();
  const said = [dateTime(moment), dateTime(moment.getTime())];
  // Whether an hour has one digit or two differs by the platform's version.
  expect(said.map((each) => each.replace(", 00", ", 0"))).toEqual([text, text]);
});

test.each([
  ["2026-11-22", "Sun 22 Nov"],
  ["2026-03-29", "Sun 29 Mar"],
  ["2027-01-01", "Fri 1 Jan"],
])("the day %s is the airport's, wherever this device is", (date, text) => {
  expect(formats().day(date).replace(",", "")).toBe(text);
});
