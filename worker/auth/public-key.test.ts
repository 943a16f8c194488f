import { expect, it } from "vitest";
import { toBase64Url } from "../../core/encoding/bytes.ts";
import { publicKeyOf, sameKey } from "./public-key.ts";

const coordinate = (length: number, fill = 1) => toBase64Url(new Uint8Array(length).fill(fill));
const KEY = { kty: "EC", crv: "P-256", x: coordinate(32), y: coordinate(32, 2) } as const;

it("has the public members of a header's key alone", () => {
  expect(publicKeyOf({ ...KEY, kid: "k", use: "sig" })).toEqual(KEY);
});

it.each<[string, unknown]>([
  ["nothing", undefined],
  ["null", null],
  ["text", "EC"],
  ["another kind", { ...KEY, kty: "OKP" }],
  ["another curve", { ...KEY, crv: "P-384" }],
  ["a private key", { ...KEY, d: coordinate(32) }],
  ["x of another length", { ...KEY, x: coordinate(31) }],
  ["y of another length", { ...KEY, y: coordinate(33) }],
  ["x that is no text", { ...KEY, x: 7 }],
])("is none where the header has %s", (_, jwk) => {
  expect(() => publicKeyOf(jwk)).toThrow(TypeError);
});

it("is another's where one coordinate is", () => {
  expect(sameKey(KEY, { ...KEY })).toBe(true);
  for (const other of [
    { ...KEY, x: KEY.y },
    { ...KEY, y: KEY.x },
  ])
    expect(sameKey(KEY, other)).toBe(false);
});
