import { expect, test } from "vitest";
import { LOVELACE } from "../test-support/journeys.ts";
import { reminderOf } from "./reminder.ts";

const NOW = Date.parse("2099-11-20T10:00:00Z");
const about = {
  summary: "Clear bag tag EBT-0001; soon",
  address: "https://tags.example/clear?tag=x",
  now: NOW,
};
const linesOf = (scheduledArrival?: string) => {
  const flights = LOVELACE.flights.map((flight) => ({
    ...flight,
    ...(scheduledArrival && { scheduledArrival }),
  }));
  return reminderOf({ ...LOVELACE, flights }, about).split("\r\n");
};

test("a reminder is an hour after landing, with an alarm, and names the tag alone", () => {
  const lines = linesOf("2099-11-22T12:30:00.000Z");
  expect(lines).toContain("DTSTART:20991122T133000Z");
  expect(lines).toContain("DTSTAMP:20991120T100000Z");
  expect(lines).toContain("SUMMARY:Clear bag tag EBT-0001\\; soon");
  expect(lines).toContain("TRIGGER:PT0M");
  expect(lines.join("\n")).not.toMatch(/LOVELACE|ABC123|0117123456/);
});

test("without a timetable it is noon of the day after", () => {
  expect(linesOf()).toContain("DTSTART:20991123T120000Z");
});
