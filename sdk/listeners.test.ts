import { expect, test, vi } from "vitest";
import { Listeners } from "./listeners.ts";

test("every listener is notified, until it ends", () => {
  const listeners = new Listeners<number>();
  const received: string[] = [];
  const end = listeners.add((event) => received.push(`a${event}`));
  listeners.add((event) => received.push(`b${event}`));
  listeners.notify(1);
  end();
  listeners.notify(2);
  expect(received).toEqual(["a1", "b1", "b2"]);
});

test("a listener that throws fails on its own: the next is notified, and the platform reports it", () => {
  const later: (() => void)[] = [];
  vi.stubGlobal("queueMicrotask", (work: () => void) => later.push(work));
  const listeners = new Listeners<number>();
  const received: number[] = [];
  listeners.add(() => {
    throw new Error("the host's");
  });
  listeners.add((event) => received.push(event));
  listeners.notify(1);
  vi.unstubAllGlobals();
  expect(received).toEqual([1]);
  expect(later).toHaveLength(1);
  expect(later[0]).toThrow("the host's");
});
