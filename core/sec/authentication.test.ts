import { describe, expect, it } from "vitest";
import { guarding, Once } from "./authentication.ts";
import { codeOf } from "./test-support/parties.ts";

describe("a step", () => {
  it("gives its contents to the first who asks", async () => {
    const step = new Once("WAIT", { value: 1 });
    expect(step.take()).toEqual({ value: 1 });
    expect(await codeOf(() => step.take())).toBe("STATE");
  });

  it("zeroes its byte strings when it is given up, and gives nothing any more", async () => {
    const secret = Uint8Array.of(1, 2, 3);
    const step = new Once("WAIT", { secret, other: "text" });
    step.discard();
    expect([...secret]).toEqual([0, 0, 0]);
    expect(await codeOf(() => step.take())).toBe("STATE");
  });

  it("shows nothing of its contents from outside", () => {
    expect(JSON.stringify(new Once("WAIT", { secret: "s" }))).toBe('{"step":"WAIT"}');
  });
});

describe("a guarded secret", () => {
  it("is zeroed when the guarded work fails", async () => {
    const secret = Uint8Array.of(1, 2, 3);
    const failing = guarding(secret, () => Promise.reject(new Error("work")));
    await expect(failing).rejects.toThrow("work");
    expect([...secret]).toEqual([0, 0, 0]);
  });

  it("stays when the work succeeds", async () => {
    const secret = Uint8Array.of(1, 2, 3);
    expect(await guarding(secret, async () => "done")).toBe("done");
    expect([...secret]).toEqual([1, 2, 3]);
  });
});
