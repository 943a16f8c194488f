import { beforeAll, describe, expect, it } from "vitest";
import { importPepper } from "../../core/bag/surname.ts";
import { fromBase64Url, fromHex, toBase64, toBase64Url, utf8 } from "../../core/encoding/bytes.ts";
import { DUMMY_PASSWORD_HASH, hashPassword, verifyPassword } from "./credentials.ts";
import { clientKeyHash, type DataKey, importDataKey, locatorHash, open, seal } from "./sealed.ts";

const place = { field: "locator", id: "plan-1" } as const;
let key: DataKey;
beforeAll(async () => {
  key = await importDataKey(utf8("k".repeat(32)));
});

describe("a sealed value", () => {
  it("opens in its own place", async () => {
    expect(await open(key, place, await seal(key, place, "MÜLLER"))).toBe("MÜLLER");
  });

  it("is another one each time", async () => {
    expect(await seal(key, place, "ABC123")).not.toBe(await seal(key, place, "ABC123"));
  });

  it.each([{ field: "passenger", id: "plan-1" } as const, { field: "locator", id: "plan-2" } as const])(
    "does not open as $field of $id",
    async (other) => {
      await expect(open(key, other, await seal(key, place, "ABC123"))).rejects.toThrow();
    },
  );

  it("does not open under another key", async () => {
    const other = await importDataKey(utf8("o".repeat(32)));
    await expect(open(other, place, await seal(key, place, "ABC123"))).rejects.toThrow();
  });

  it("opens under the key before, while the key is being changed, and is sealed with the new one", async () => {
    const sealed = await seal(key, place, "ABC123");
    const both = await importDataKey(utf8("o".repeat(32)), utf8("k".repeat(32)));
    expect(await open(both, place, sealed)).toBe("ABC123");
    const again = await seal(both, place, "ABC123");
    expect(await open(both, place, again)).toBe("ABC123");
    expect(await open(await importDataKey(utf8("o".repeat(32))), place, again)).toBe("ABC123");
    await expect(open(key, place, again)).rejects.toThrow();
    await expect(open(both, { field: "locator", id: "plan-2" }, sealed)).rejects.toThrow();
  });

  it("does not open with one bit changed", async () => {
    const bytes = fromBase64Url(await seal(key, place, "ABC123"));
    bytes[bytes.length - 1] = (bytes.at(-1) as number) ^ 1;
    await expect(open(key, place, toBase64Url(bytes))).rejects.toThrow();
  });
});

describe("the hash of a record locator", () => {
  it.each(["ABC123", "abc123", " ABC 123 ", "ＡＢＣ１２３"])("is the same for %j", async (typed) => {
    const pepper = await importPepper(utf8("p".repeat(32)));
    expect(await locatorHash(pepper, typed)).toBe(await locatorHash(pepper, "ABC123"));
  });

  it("depends on the locator and on the pepper", async () => {
    const pepper = await importPepper(utf8("p".repeat(32)));
    const other = await importPepper(utf8("q".repeat(32)));
    const hash = await locatorHash(pepper, "ABC123");
    expect(await locatorHash(pepper, "ABC124")).not.toBe(hash);
    expect(await locatorHash(other, "ABC123")).not.toBe(hash);
  });
});

const passwordPepper = utf8("p".repeat(32));
const salt = utf8("s".repeat(16));

describe("passwords", () => {
  it("verify against their own hash and no other", async () => {
    const phc = await hashPassword(passwordPepper, "correct", salt);
    expect(phc).toMatch(/^\$scrypt\$ln=14,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(await verifyPassword(passwordPepper, "correct", phc)).toBe(true);
    expect(await verifyPassword(passwordPepper, "Correct", phc)).toBe(false);
  });

  it("verify however their letters are composed", async () => {
    const phc = await hashPassword(passwordPepper, "caf\u00e9", salt);
    expect(await verifyPassword(passwordPepper, "cafe\u0301", phc)).toBe(true);
  });

  it("do not verify under another pepper", async () => {
    const phc = await hashPassword(passwordPepper, "correct", salt);
    expect(await verifyPassword(utf8("q".repeat(32)), "correct", phc)).toBe(false);
  });

  it("never verify against the hash of unknown users", async () => {
    expect(await verifyPassword(passwordPepper, "", DUMMY_PASSWORD_HASH)).toBe(false);
  });

  it.each(["", "$scrypt$", "$2b$10$abcdefghijklmnopqrstuv"])("are not compared with %j", async (phc) => {
    await expect(verifyPassword(passwordPepper, "correct", phc)).rejects.toThrow(TypeError);
  });
});

it("keeps a client key as its SHA-256 (FIPS 180-2, appendix B.1)", async () => {
  const digest = fromHex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const text = toBase64(digest).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  expect(await clientKeyHash("abc")).toBe(text);
});
