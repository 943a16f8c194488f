import { expect, it } from "vitest";
import { SUITES } from "./suites.ts";

const { hash } = SUITES[6];
const KEY = new Uint8Array(32).fill(1);
const INFO = Uint8Array.of(2);

it("HKDF-Expand gives 255 blocks and no byte more", async () => {
  const longest = await hash.expand(KEY, INFO, 255 * 32);
  expect(longest.length).toBe(8_160);
  expect(longest.slice(0, 40)).toEqual(await hash.expand(KEY, INFO, 40));
  await expect(hash.expand(KEY, INFO, 255 * 32 + 1)).rejects.toThrow(RangeError);
});
