import { expect, it } from "vitest";
import { Hang, VirtualTime } from "./test-support/virtual-time.ts";

const sleep = (milliseconds: number) => new Promise((resolve) => void setTimeout(resolve, milliseconds));

it("lets an hour pass at once, and shows it on the clock", async () => {
  const time = new VirtualTime(1);
  const seen = await time.run(4_000_000, async () => {
    const began = performance.now();
    await sleep(3_600_000);
    return performance.now() - began;
  });
  expect(seen).toBe(3_600_000);
});

it("stands still during a computation", async () => {
  const time = new VirtualTime(1);
  const order: string[] = [];
  await time.run(10_000, async () => {
    const late = sleep(1).then(() => order.push("time"));
    for (let round = 0; round < 20; round++) await crypto.subtle.digest("SHA-256", new Uint8Array(100_000));
    order.push("computed");
    await late;
  });
  expect(order).toEqual(["computed", "time"]);
});

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
