import { expect, it } from "vitest";
import { VALIDITY } from "./profiles.ts";

it("a leaf lasts a week from a day ago, an intermediate five years, a root twenty", () => {
  expect(VALIDITY).toEqual({
    backdate: 86_400_000,
    clientLeaf: 604_800_000,
    intermediate: 157_680_000_000,
    root: 630_720_000_000,
  });
});
