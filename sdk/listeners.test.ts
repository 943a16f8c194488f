import { expect, test, vi } from "vitest";
import { Listeners } from "./listeners.ts";

test("everybody is told, until they end it", () => {
  const listeners = new Listeners<number>();
  const heard: string[] = [];
  const end = listeners.add((event) => heard.push(`a${event}`));
  listeners.add((event) => heard.push(`b${event}`));
  listeners.notify(1);
  end();
  listeners.notify(2);
  expect(heard).toEqual(["a1", "b1", "b2"]);
});

test("a listener that throws fails on its own: the next is told, and the platform hears of it", () => {
  const later: (() => void)[] = [];
  vi.stubGlobal("queueMicrotask", (work: () => void) => later.push(work));
  const listeners = new Listeners<number>();
  const heard: number[] = [];
  listeners.add(() => {
    throw new Error("the host's");
  });
  listeners.add((event) => heard.push(event));
  listeners.notify(1);
  vi.unstubAllGlobals();
  expect(heard).toEqual([1]);
  expect(later).toHaveLength(1);
  expect(later[0]).toThrow("the host's");
});
