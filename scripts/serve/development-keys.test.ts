import { describe, expect, it } from "vitest";
import { keyId } from "./development-keys.ts";

describe("keyId", () => {
  it.each([
    ["NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs", "NzbLsXh8"],
    ["-zbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs", "zbLsXh8u"],
    ["--_-LsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs", "_-LsXh8u"],
  ])("of %s can be an option's value: %s", (thumbprint, kid) => expect(keyId(thumbprint)).toBe(kid));
});
