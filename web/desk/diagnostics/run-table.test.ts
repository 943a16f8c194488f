import { expect, test } from "vitest";
import type { RunRecord } from "../../../sdk/index.ts";
import { medians, timingsOf } from "./run-table.ts";

const transfer = (secure: number, outcome = "ok"): RunRecord => ({
  operation: "transfer",
  startedAt: 0,
  elapsed: 1000,
  outcome,
  phases: [
    { phase: "secure", at: 0.2, duration: secure + 0.4 },
    { phase: "write", at: 300, duration: 20 },
  ],
  retries: [],
});

test("phases are whole milliseconds; what a run did not have is absent", () => {
  expect(timingsOf(transfer(280))).toEqual({ secure: 280, write: 20 });
});

test("a pick counts the person at the chooser by itself", () => {
  const pick: RunRecord = {
    operation: "pick",
    startedAt: 0,
    elapsed: 4000,
    outcome: "ok",
    phases: [{ phase: "connect", at: 2500.3, duration: 1499.7 }],
    retries: ["connect_failed"],
  };
  expect(timingsOf(pick)).toEqual({ pick: 2500, connect: 1500 });
});

test("the medians are of the runs that ended well", () => {
  const runs = [transfer(100), transfer(300), transfer(200), transfer(9000, "link_lost")];
  expect(medians(runs)).toEqual({ secure: 200, write: 20 });
});
