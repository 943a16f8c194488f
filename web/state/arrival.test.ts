import { describe, expect, test } from "vitest";
import { LOVELACE } from "../test-support/journeys.ts";
import { clearsAtOnce, hasArrived, isOver, tagsToClear } from "./bags.ts";

const TAG = "ebt-21-0001";
const leg = { carrier: "SK", number: "1", from: "LAX", to: "HNL" };
const [bag] = LOVELACE.baggage;
const journey = (scheduledArrival?: string) => ({
  ...LOVELACE,
  flights: [
    { ...leg, date: "2026-11-21", scheduledArrival: "2026-11-21T10:00:00Z" },
    { ...leg, date: "2026-11-22", ...(scheduledArrival && { scheduledArrival }) },
  ],
  baggage: [{ ...bag, attachedDevice: TAG }] as typeof LOVELACE.baggage,
});

describe.each([
  ["with a schedule", journey("2026-11-22T20:00:00-08:00"), "2026-11-23T04:00:00Z"],
  // Midnight comes last west of the date line, at UTC−12: before that it may be the afternoon before the departure.
  ["without a schedule", journey(), "2026-11-23T12:00:00Z"],
])("a journey %s", (_, travelled, moment) => {
  const end = Date.parse(moment);

  test("has arrived when its last flight has landed, else when its day is over at every airport", () => {
    expect([end - 1, end].map((now) => hasArrived(travelled, now))).toEqual([false, true]);
  });

  test("has tags to clear from then on, and until then none that one tap would clear", () => {
    expect([end - 1, end].map((now) => tagsToClear(travelled, now))).toEqual([[], [TAG]]);
    expect([end - 1, end].map((now) => clearsAtOnce(travelled, TAG, now))).toEqual([false, true]);
  });

  test("is over when none of its tags shows it", () => {
    const cleared = { ...travelled, baggage: LOVELACE.baggage };
    expect([isOver(travelled, end), isOver(cleared, end - 1), isOver(cleared, end)]).toEqual([
      false,
      false,
      true,
    ]);
  });
});
