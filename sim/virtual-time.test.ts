import { expect, it } from "vitest";
import { Hang, VirtualTime } from "./test-support/virtual-time.ts";

const sleep = (milliseconds: number) => new Promise((resolve) => void setTimeout(resolve, milliseconds));

it("calls by its name what waits for nothing, and what takes too long", async () => {
  const never = () => new Promise(() => undefined);
  await expect(new VirtualTime(1).run(1_000, never)).rejects.toBeInstanceOf(Hang);
  await expect(new VirtualTime(1).run(1_000, () => sleep(1_001))).rejects.toBeInstanceOf(Hang);
});

it("gives the platform back, also after a hang", async () => {
  const before = [globalThis.setTimeout, performance.now, Math.random];
  await new VirtualTime(1).run(10, () => sleep(20)).catch(() => undefined);
  expect([globalThis.setTimeout, performance.now, Math.random]).toEqual(before);
});
