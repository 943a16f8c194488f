import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { withResolvers } from "../abort.ts";
import { OperationQueue } from "./operation-queue.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const never = () => new Promise<never>(() => undefined);
const signal = new AbortController().signal;

/** A queue whose operations end on request. */
function queueOf() {
  const abandoned = vi.fn(() => queue.close());
  const queue: OperationQueue = new OperationQueue(abandoned);
  const running: string[] = [];
  const operation = (name: string) => {
    const { promise, resolve } = withResolvers<string>();
    const start = () => {
      running.push(name);
      return promise;
    };
    return { start, end: () => resolve(name) };
  };
  return { queue, abandoned, running, operation };
}

test("a second operation starts only when the first has ended", async () => {
  const { queue, running, operation } = queueOf();
  const first = operation("first");
  const second = operation("second");
  const results = [queue.run(signal, first.start), queue.run(signal, second.start)];
  await vi.advanceTimersByTimeAsync(10);
  expect(running).toEqual(["first"]);
  first.end();
  second.end();
  expect(await Promise.all(results)).toEqual(["first", "second"]);
});

test("an operation that fails does not stop the next", async () => {
  const { queue } = queueOf();
  const failed = queue.run(signal, () => Promise.reject(new Error("refused")));
  const next = queue.run(signal, async () => "next");
  await expect(failed).rejects.toThrow("refused");
  expect(await next).toBe("next");
});

test("an operation unanswered for 8 s times out and gives the link up", async () => {
  const { queue, abandoned } = queueOf();
  const late = queue.run(signal, never);
  const outcome = expect(late).rejects.toMatchObject({ code: "timeout" });
  await vi.advanceTimersByTimeAsync(7_999);
  expect(abandoned).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await outcome;
  expect(abandoned).toHaveBeenCalledOnce();
});

test("cancelling an operation in flight gives the link up", async () => {
  const { queue, abandoned } = queueOf();
  const controller = new AbortController();
  const outcome = expect(queue.run(controller.signal, never)).rejects.toMatchObject({ code: "cancelled" });
  await vi.advanceTimersByTimeAsync(1);
  controller.abort();
  await outcome;
  expect(abandoned).toHaveBeenCalledOnce();
});

test("cancelling an operation that waits leaves the link and the one in flight alone", async () => {
  const { queue, abandoned, running, operation } = queueOf();
  const controller = new AbortController();
  const first = operation("first");
  const kept = queue.run(signal, first.start);
  const outcome = expect(queue.run(controller.signal, operation("second").start)).rejects.toMatchObject({
    code: "cancelled",
  });
  controller.abort();
  await outcome;
  first.end();
  expect(await kept).toBe("first");
  expect(abandoned).not.toHaveBeenCalled();
  expect(running).toEqual(["first"]);
});

test("everything fails with link_lost once the link fell", async () => {
  const { queue, abandoned } = queueOf();
  const outcomes = [queue.run(signal, never), queue.run(signal, never)].map((each) =>
    expect(each).rejects.toMatchObject({ code: "link_lost" }),
  );
  await vi.advanceTimersByTimeAsync(1);
  queue.close();
  await vi.advanceTimersByTimeAsync(1);
  await Promise.all(outcomes);
  await expect(queue.run(signal, async () => "late")).rejects.toMatchObject({ code: "link_lost" });
  expect(abandoned.mock.calls.length).toBeLessThanOrEqual(1);
});

test("a value that came just before the fall, in the same turn, is given", async () => {
  const { queue, operation, running, abandoned } = queueOf();
  const last = operation("the last one");
  const result = queue.run(signal, async () => last.start());
  await vi.advanceTimersByTimeAsync(1);
  const next = expect(queue.run(signal, operation("next").start)).rejects.toMatchObject({
    code: "link_lost",
  });
  last.end();
  queue.close();
  await vi.advanceTimersByTimeAsync(1);
  expect(await result).toBe("the last one");
  await next;
  expect(running).toEqual(["the last one"]);
  expect(abandoned).not.toHaveBeenCalled();
});

test("an operation that was answered in time gives nothing up, though it failed", async () => {
  const { queue, abandoned } = queueOf();
  await expect(queue.run(signal, () => Promise.reject(new Error("refused")))).rejects.toThrow("refused");
  expect(abandoned).not.toHaveBeenCalled();
  expect(queue.open).toBe(true);
});

test("the next operation waits for one that was cancelled until it has ended, too", async () => {
  const { queue, running, operation } = queueOf();
  const controller = new AbortController();
  const first = operation("first");
  const kept = queue.run(signal, first.start);
  const dropped = expect(queue.run(controller.signal, operation("second").start)).rejects.toMatchObject({
    code: "cancelled",
  });
  controller.abort();
  await dropped;
  const third = operation("third");
  const last = queue.run(signal, third.start);
  await vi.advanceTimersByTimeAsync(1);
  expect(running).toEqual(["first"]);
  first.end();
  await kept;
  third.end();
  expect(await last).toBe("third");
});

test("what has ended listens no more, neither to its caller nor to the link", async () => {
  const add = vi.spyOn(AbortSignal.prototype, "addEventListener");
  const remove = vi.spyOn(AbortSignal.prototype, "removeEventListener");
  await queueOf().queue.run(signal, async () => "done");
  const listeners = (calls: readonly (readonly unknown[])[]) =>
    calls.map(([type, listener]) => [type, listener]);
  expect(add.mock.calls).not.toHaveLength(0);
  expect(new Set(listeners(remove.mock.calls).flat())).toEqual(new Set(listeners(add.mock.calls).flat()));
  vi.restoreAllMocks();
});
