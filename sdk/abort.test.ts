import { describe, expect, test, vi } from "vitest";
import { cancelled, neverCancelled, orCancelled, shared, sleep, throwIfCancelled, within } from "./abort.ts";
import { virtually } from "./test-support/scripted-session.ts";

const never = () => new Promise<never>(() => undefined);
const outcomeOf = (work: Promise<unknown>) => work.catch((error: unknown) => error);

describe("what is cancelled", () => {
  test("is one error, with the caller's reason where there is one", () => {
    expect(cancelled()).toMatchObject({ name: "OperationError", code: "cancelled", message: "cancelled" });
    expect(cancelled()).not.toHaveProperty("cause");
    expect(cancelled("why")).toHaveProperty("cause", "why");
    expect(() => throwIfCancelled(AbortSignal.abort("why"))).toThrow(
      expect.objectContaining({ cause: "why" }),
    );
    expect(throwIfCancelled(neverCancelled())).toBeUndefined();
  });

  test("ends at once, before and during the work, and leaves no listener behind", async () => {
    expect(await outcomeOf(orCancelled(AbortSignal.abort("why"), never()))).toMatchObject({ cause: "why" });
    const controller = new AbortController();
    const remove = vi.spyOn(controller.signal, "removeEventListener");
    const waiting = outcomeOf(orCancelled(controller.signal, never()));
    controller.abort("why");
    expect(await waiting).toMatchObject({ code: "cancelled", cause: "why" });
    expect(remove).toHaveBeenCalledWith("abort", expect.any(Function));
  });

  test("does not leave its work's failure unhandled", async () => {
    const strays = vi.fn();
    process.on("unhandledRejection", strays);
    const failing = Promise.reject(new Error("any"));
    await outcomeOf(orCancelled(AbortSignal.abort(), failing));
    await new Promise((resolve) => setTimeout(resolve, 1));
    process.off("unhandledRejection", strays);
    expect(strays).not.toHaveBeenCalled();
  });
});

test("sleep lasts as long as asked", async () => {
  await virtually(async () => {
    await sleep(70, neverCancelled());
    expect(performance.now()).toBe(70);
  });
});

describe("within a time", () => {
  const late = () => new Error("late");

  test("work brings its value, or its failure, or is late", async () => {
    await virtually(async () => {
      expect(await within(50, neverCancelled(), Promise.resolve(7), late)).toBe(7);
      const cause = new Error("any");
      expect(await outcomeOf(within(50, neverCancelled(), Promise.reject(cause), late))).toBe(cause);
      expect(await outcomeOf(within(50, neverCancelled(), never(), late))).toEqual(late());
      expect(performance.now()).toBe(50);
    });
  });

  test("is cancelled before it is late", async () => {
    const outcome = outcomeOf(within(50, AbortSignal.abort(), never(), late));
    expect(await outcome).toMatchObject({ code: "cancelled" });
  });
});

test("no timer goes on when the wait is over", async () => {
  vi.useFakeTimers();
  await within(50, neverCancelled(), Promise.resolve(7), () => new Error("late"));
  await outcomeOf(sleep(50, AbortSignal.abort()));
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe("a shared load", () => {
  /** Loads that never end unless they are cancelled. */
  function endless() {
    const signals: AbortSignal[] = [];
    const load = shared((signal) => {
      signals.push(signal);
      return new Promise<never>(() => undefined);
    });
    return { load, signals };
  }

  test("is cancelled when the last of its callers cancels, and begun again for the next", async () => {
    const { load, signals } = endless();
    const [first, second] = [new AbortController(), new AbortController()];
    const both = [load(first.signal), load(second.signal)].map((each) => each.catch(() => "cancelled"));
    first.abort();
    expect(await both[0]).toBe("cancelled");
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    second.abort();
    expect(await both[1]).toBe("cancelled");
    void load(neverCancelled()).catch(() => undefined);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });

  test("is tried again after a failure, and kept after a success", async () => {
    let loads = 0;
    const load = shared(async () => {
      if (loads++ === 0) throw new Error("down");
      return loads;
    });
    await expect(load(neverCancelled())).rejects.toThrow("down");
    expect([await load(neverCancelled()), await load(neverCancelled())]).toEqual([2, 2]);
  });
});
