import { getEventListeners } from "node:events";
import { describe, expect, test, vi } from "vitest";
import { neverCancelled, orCancelled, sleep, withResolvers } from "../abort.ts";
import type { RunRecord } from "../api.ts";
import { BluetoothError, OperationError, ServiceError } from "../errors.ts";
import { virtually } from "../test-support/scripted-session.ts";
import type { ProgressEvent } from "../types.ts";
import { asResult, type Operation, Operations, Progress } from "./operation.ts";

const never = () => new Promise<never>(() => undefined);

/** An operation on tag `d` that goes on until it is ended. */
function held() {
  const { promise, resolve, reject } = withResolvers<string>();
  return { work: (run: Operation<string>) => orCancelled(run.signal, promise), resolve, reject };
}

describe("an operation on a tag", () => {
  test("keeps every other off it until it has ended, well or not", async () => {
    const operations = new Operations();
    for (const end of ["resolve", "reject"] as const) {
      const { work, ...ends } = held();
      const first = operations.start("transfer", "d", {}, work);
      expect(operations.isBusy("d")).toBe(true);
      expect(await operations.start("clear", "d", {}, work)).toMatchObject({ error: { code: "busy" } });
      expect(await operations.start("pick", "e", {}, async () => "other")).toMatchObject({ ok: true });
      if (end === "resolve") ends.resolve("done");
      else ends.reject(new BluetoothError("link_lost", "any"));
      await first;
      expect(operations.isBusy("d")).toBe(false);
    }
  });

  test("that the caller cancels answers at once, but stays until it has cleaned up", async () => {
    const operations = new Operations();
    const controller = new AbortController();
    const { promise, resolve } = withResolvers<string>();
    const running = operations.start("transfer", "d", { signal: controller.signal }, () => promise);
    controller.abort();
    expect(await running).toMatchObject({ ok: false, error: { code: "cancelled", settling: false } });
    expect(operations.isBusy("d")).toBe(true);
    resolve("late");
    await vi.waitFor(() => expect(operations.isBusy("d")).toBe(false), { timeout: 60_000 });
  });

  test("that no tag is known for locks none", async () => {
    const operations = new Operations();
    const running = operations.start("pick", undefined, {}, never);
    expect(await operations.start("pick", undefined, {}, async () => 1)).toMatchObject({
      ok: true,
      value: 1,
    });
    void running;
  });

  test("begins within the caller's own task, as choosers demand", () => {
    let begun = false;
    void new Operations().start("pick", undefined, {}, () => {
      begun = true;
      return never();
    });
    expect(begun).toBe(true);
  });

  test("does not begin for a caller who has cancelled before", async () => {
    let begun = false;
    const result = await new Operations().start(
      "pick",
      undefined,
      { signal: AbortSignal.abort() },
      async () => {
        begun = true;
      },
    );
    expect(result).toMatchObject({ ok: false, error: { code: "cancelled" } });
    expect(begun).toBe(false);
  });

  test("that fails by something unforeseen says so, with the cause", async () => {
    const cause = new TypeError("any");
    const result = await new Operations().start("pick", undefined, {}, () => Promise.reject(cause));
    expect(result).toMatchObject({ ok: false, error: { name: "OperationError", code: "internal", cause } });
  });
});

/** What a caller gets who cancels while `work` stands at its point of no return. */
async function cancelledAt(work: (run: Operation<string>) => void) {
  const controller = new AbortController();
  const seen: { run?: Operation<string> } = {};
  const running = new Operations().start<string>("transfer", "d", { signal: controller.signal }, (run) => {
    seen.run = run;
    work(run);
    return never();
  });
  controller.abort();
  return { result: await running, run: seen.run as Operation<string> };
}

describe("cancelling", () => {
  test("before the commit ends the work, and the commit comes too late", async () => {
    const { result, run } = await cancelledAt(() => undefined);
    expect(result).toMatchObject({
      ok: false,
      error: { code: "cancelled", message: "cancelled", settling: false },
    });
    expect(run.signal.aborted).toBe(true);
    expect(() => run.commit()).toThrow(OperationError);
  });

  test("after the commit leaves the work alone, says that it is settled later, and allows no second commit", async () => {
    const { result, run } = await cancelledAt((each) => each.commit());
    expect(result).toMatchObject({ ok: false, error: { code: "cancelled", settling: true } });
    expect(run.signal.aborted).toBe(false);
    expect(() => run.commit()).toThrow(OperationError);
  });

  test("after the tag has changed is the success that it was", async () => {
    const { result } = await cancelledAt((run) => {
      run.commit();
      run.confirm("written");
    });
    expect(result).toEqual({ ok: true, value: "written" });
  });
});

test("a caller's signal outlives an operation, and holds nothing of it", async () => {
  const { signal } = new AbortController();
  await new Operations().start("transfer", "d", { signal }, async () => "done");
  await asResult({ signal }, async () => "done");
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

describe("what is kept of operations", () => {
  test("are the last 20, reported as they end", async () => {
    const operations = new Operations();
    const reported: RunRecord[] = [];
    operations.ended.add((record) => reported.push(record));
    for (let count = 0; count < 23; count++)
      await operations.start("pick", undefined, {}, async ({ progress }) => {
        for (let retry = 0; retry < count; retry++) progress.retrying("connect_failed");
      });
    expect(reported).toHaveLength(23);
    expect(operations.runs()).toEqual(reported.slice(3));
    expect(operations.runs().at(-1)).toMatchObject({ operation: "pick", outcome: "ok" });
    expect(operations.runs().at(-1)?.retries).toHaveLength(22);
  });

  test.each<[string, () => Promise<unknown>, Partial<RunRecord>]>([
    ["a success", async () => "value", { outcome: "ok" }],
    [
      "a success that was not reported to the service",
      async () => ({ pendingRetry: true }),
      { outcome: "pending_retry" },
    ],
    ["a success that was reported", async () => ({ pendingRetry: false }), { outcome: "ok" }],
    ["a failure", () => Promise.reject(new BluetoothError("timeout", "any")), { outcome: "timeout" }],
    [
      "a refusal of the service",
      () => Promise.reject(new ServiceError("device_locked", "any", { requestId: "r-9" })),
      { outcome: "device_locked", requestId: "r-9" },
    ],
  ])("says what became of %s", async (_what, work, record) => {
    const operations = new Operations();
    await operations.start("transfer", "d", {}, work);
    expect(operations.runs()[0]).toMatchObject(record);
    expect("requestId" in (operations.runs()[0] ?? {})).toBe("requestId" in record);
  });

  test("has every phase, and the tag's generation once it is read", async () => {
    const operations = new Operations();
    const before = Date.now();
    await operations.start("transfer", "d", {}, async ({ progress }) => {
      progress.enter("connect");
      progress.tag({ deviceId: "d", uniqueDeviceId: "ebt-1", generation: "2.0" });
      progress.enter("secure");
    });
    const [record] = operations.runs();
    expect(record?.phases.map(({ phase }) => phase)).toEqual(["connect", "secure"]);
    expect(record?.generation).toBe("2.0");
    expect(record?.startedAt).toBeGreaterThanOrEqual(before);
  });
});

describe("a call without phases", () => {
  test("gives its value, or its failure", async () => {
    expect(await asResult(undefined, async () => 7)).toEqual({ ok: true, value: 7 });
    const failure = new ServiceError("network", "any");
    expect(await asResult({}, () => Promise.reject(failure))).toEqual({ ok: false, error: failure });
  });

  test("is cancelled at once, by its signal", async () => {
    const controller = new AbortController();
    let reported: AbortSignal | undefined;
    const running = asResult({ signal: controller.signal }, (signal) => {
      reported = signal;
      return never();
    });
    controller.abort();
    expect(await running).toMatchObject({ ok: false, error: { code: "cancelled" } });
    expect(reported?.aborted).toBe(true);
  });
});

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
