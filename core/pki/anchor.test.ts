import { expect, it, vi } from "vitest";
import { anchorAbove } from "./anchor.ts";
import { EKU_CLIENT, EKU_TAG } from "./profiles.ts";
import { testPki } from "./test-support.ts";

it("finds the anchor above a chain among others", async () => {
  const { root, intermediate, clientLeaf, tagCa, tagLeaf } = await testPki();
  const anchors = [tagCa.certificate, root.certificate];
  const client = [clientLeaf, intermediate.certificate];
  expect(await anchorAbove(client, anchors, EKU_CLIENT)).toBe(root.certificate);
  expect(await anchorAbove([tagLeaf], anchors, EKU_TAG)).toBe(tagCa.certificate);
});

it("refuses a chain that none of them is above", async () => {
  const { root, tagLeaf } = await testPki();
  await expect(anchorAbove([tagLeaf], [root.certificate], EKU_TAG)).rejects.toMatchObject({ code: "CHAIN" });
  await expect(anchorAbove([tagLeaf], [], EKU_TAG)).rejects.toMatchObject({ code: "CHAIN" });
});

it("does not take a failing engine for a chain that is refused", async () => {
  const { root, intermediate, clientLeaf } = await testPki();
  const broken = vi.spyOn(crypto.subtle, "verify").mockRejectedValue(new TypeError("engine"));
  try {
    const found = anchorAbove([clientLeaf, intermediate.certificate], [root.certificate], EKU_CLIENT);
    await expect(found).rejects.toThrow(TypeError);
  } finally {
    broken.mockRestore();
  }
});
