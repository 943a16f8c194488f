import { describe, expect, test } from "vitest";
import { ServiceClock } from "./service-clock.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;
const NOW = Date.parse("2026-11-26T12:00:00Z");

/** A device whose clock is `wrong` (milliseconds ahead), and answers that are dated in true time. */
function deviceOf(wrong: number) {
  const world = { now: NOW };
  const clock = new ServiceClock(() => world.now + wrong);
  const dated = (at = world.now) => new Headers({ Date: new Date(at).toUTCString() });
  /** What the service's clock is thought to be ahead of the true time, in milliseconds. */
  const error = () => clock.now() - world.now;
  return { world, clock, dated, error };
}

describe("the service's clock", () => {
  test("is the device's until an answer is dated", () => {
    const { clock, error } = deviceOf(-DAY);
    expect(error()).toBe(-DAY);
    clock.read(new Headers());
    clock.read(new Headers({ Date: "yesterday" }));
    expect(error()).toBe(-DAY);
  });

  test("is corrected by an answer's date where the device's is behind", () => {
    const { clock, dated, error } = deviceOf(-DAY);
    clock.read(dated());
    expect(error()).toBe(0);
  });

  test.each([
    ["delayed", 9_000],
    ["cached", 40 * DAY],
  ])("is not moved back by an answer that was %s", (_what, age) => {
    for (const wrong of [0, -DAY]) {
      const { world, clock, dated, error } = deviceOf(wrong);
      clock.read(dated());
      world.now += 1_000;
      clock.read(dated(world.now - age));
      expect(error()).toBe(0);
    }
  });

  test("is corrected by a fresh answer after a cached one", () => {
    const { clock, dated, error } = deviceOf(-DAY);
    clock.read(dated(NOW - DAY / 2));
    expect(error()).toBe(-DAY / 2);
    clock.read(dated());
    expect(error()).toBe(0);
  });

  test("is moved back by a refused proof only, to the latest time that the answer allows", () => {
    const { world, clock, dated, error } = deviceOf(DAY);
    const sentAt = clock.device();
    world.now += 700;
    const headers = dated();
    world.now += 2_000;
    clock.read(headers);
    expect(error()).toBe(DAY);
    clock.limit(headers, sentAt);
    expect(error()).toBe(1_000);
  });

  test("is moved back from an answer whose service was ahead", () => {
    const { clock, dated, error } = deviceOf(0);
    clock.read(dated(NOW + DAY));
    expect(error()).toBe(DAY);
    clock.limit(dated(), clock.device());
    expect(error()).toBe(1_000);
  });

  test("is not moved by a refused proof without a date", () => {
    const { clock, error } = deviceOf(DAY);
    clock.limit(new Headers(), clock.device());
    expect(error()).toBe(DAY);
  });

  test("follows a device's clock that is set right in between", () => {
    const device = { wrong: -DAY };
    const clock = new ServiceClock(() => NOW + device.wrong);
    const headers = new Headers({ Date: new Date(NOW).toUTCString() });
    clock.read(headers);
    device.wrong = 0;
    expect(clock.now()).toBe(NOW + DAY);
    clock.limit(headers, clock.device());
    expect(clock.now()).toBe(NOW + 1_000);
  });
});

describe("a device's clock cannot be right", () => {
  const [past, future] = [new Date(NOW - 30 * DAY), new Date(NOW + 30 * DAY)];

  test("before a certificate's begin, while the service's time is unknown", () => {
    expect(deviceOf(0).clock.isWrong(future)).toBe(true);
    expect(deviceOf(0).clock.isWrong(past)).toBe(false);
    expect(deviceOf(0).clock.isWrong(new Date(NOW))).toBe(false);
  });

  test.each([
    [-5 * MINUTE, false],
    [-5 * MINUTE - 1_000, true],
  ])("where the service's date says that it is %d ms off: %s", (wrong, is) => {
    const { clock, dated } = deviceOf(wrong);
    clock.read(dated());
    expect([past, future].map((begin) => clock.isWrong(begin))).toEqual([is, is]);
  });

  test.each([
    [5 * MINUTE + 1_000, false],
    [5 * MINUTE + 2_000, true],
  ])("where a refused proof says that it is %d ms ahead: %s", (wrong, is) => {
    const { clock, dated } = deviceOf(wrong);
    clock.read(dated());
    clock.limit(dated(), clock.device());
    expect(clock.isWrong(past)).toBe(is);
  });

  test("is not said where the service's time agrees", () => {
    const { clock, dated } = deviceOf(0);
    clock.read(dated());
    expect(clock.isWrong(future)).toBe(false);
  });
});
