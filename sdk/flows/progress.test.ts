import { expect, test } from "vitest";
import { neverCancelled, sleep } from "../abort.ts";
import { virtually } from "../test-support/scripted-session.ts";
import type { ProgressEvent } from "../types.ts";
import { Progress } from "./operation.ts";

const pass = (milliseconds: number) => sleep(milliseconds, neverCancelled());

async function reported(work: (progress: Progress) => Promise<void>) {
  return virtually(async () => {
    // An operation's time begins with it.
    await pass(1_000);
    const events: ProgressEvent[] = [];
    const progress = new Progress((event) => events.push(event));
    await work(progress);
    return { events, progress, elapsed: progress.elapsed };
  });
}

test("a phase ends where the next begins, each with its moment and its length", async () => {
  const { events, progress, elapsed } = await reported(async (each) => {
    await pass(10);
    each.enter("connect");
    await pass(200);
    each.enter("write");
    each.moved("write", 0.5);
    await pass(300);
    each.leave();
    each.leave();
  });
  expect(events).toEqual([
    { type: "started", phase: "connect", at: 10 },
    { type: "done", phase: "connect", at: 210, duration: 200 },
    { type: "started", phase: "write", at: 210 },
    { type: "progress", phase: "write", at: 210, fraction: 0.5 },
    { type: "done", phase: "write", at: 510, duration: 300 },
  ]);
  expect(progress.timings).toEqual([
    { phase: "connect", at: 10, duration: 200 },
    { phase: "write", at: 210, duration: 300 },
  ]);
  expect(elapsed).toBe(510);
});

test("an earlier phase, or the same again, does not begin again; what is repeated is reported in the present one", async () => {
  const { events, progress } = await reported(async (each) => {
    each.retrying("connect_failed");
    each.enter("secure");
    each.enter("connect");
    each.enter("secure");
    each.retrying("link_lost");
  });
  expect(events).toEqual([
    { type: "retrying", phase: "connect", at: 0, reason: "connect_failed" },
    { type: "started", phase: "secure", at: 0 },
    { type: "retrying", phase: "secure", at: 0, reason: "link_lost" },
  ]);
  expect(progress.retries).toEqual(["connect_failed", "link_lost"]);
});

test("the proof of a refused token comes after it, and the token again", async () => {
  const { progress } = await reported(async (each) => {
    for (const phase of ["authorize", "lookup", "proof", "lookup", "authorize", "write", "proof"] as const)
      each.enter(phase);
    each.leave();
  });
  expect(progress.timings.map(({ phase }) => phase)).toEqual(["authorize", "proof", "authorize", "write"]);
});

test("the tag is reported when it is read, and stored", async () => {
  const device = { deviceId: "d", uniqueDeviceId: "ebt-1", generation: "2.1" } as const;
  const { events, progress } = await reported(async (each) => each.tag(device));
  expect(events).toEqual([{ type: "tag", at: 0, device }]);
  expect(progress.device).toBe(device);
});
