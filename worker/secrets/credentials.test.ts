import { describe, expect, it } from "vitest";
import { fromHex, toBase64, utf8 } from "../../core/encoding/bytes.ts";
import { DUMMY_PASSWORD_HASH, hashPassword, verifyPassword } from "./credentials.ts";
import { clientKeyHash } from "./sealed.ts";

const pepper = utf8("p".repeat(32));
const salt = utf8("s".repeat(16));

describe("passwords", () => {
  it("verify against their own hash and no other", async () => {
    const phc = await hashPassword(pepper, "correct", salt);
    expect(phc).toMatch(/^\$scrypt\$ln=14,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(await verifyPassword(pepper, "correct", phc)).toBe(true);
    expect(await verifyPassword(pepper, "Correct", phc)).toBe(false);
  });

  it("verify however their letters are composed", async () => {
    const phc = await hashPassword(pepper, "caf\u00e9", salt);
    expect(await verifyPassword(pepper, "cafe\u0301", phc)).toBe(true);
  });

  it("do not verify under another pepper", async () => {
    const phc = await hashPassword(pepper, "correct", salt);
    expect(await verifyPassword(utf8("q".repeat(32)), "correct", phc)).toBe(false);
  });

  it("never verify against the hash of unknown users", async () => {
    expect(await verifyPassword(pepper, "", DUMMY_PASSWORD_HASH)).toBe(false);
  });

  it.each(["", "$scrypt$", "$2b$10$abcdefghijklmnopqrstuv"])("are not compared with %j", async (phc) => {
    await expect(verifyPassword(pepper, "correct", phc)).rejects.toThrow(TypeError);
  });
});

it("keeps a client key as its SHA-256 (FIPS 180-2, appendix B.1)", async () => {
  const digest = fromHex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const text = toBase64(digest).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  expect(await clientKeyHash("abc")).toBe(text);
});
