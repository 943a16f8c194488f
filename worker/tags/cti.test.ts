import { describe, expect, it } from "vitest";
import { copyBytes, toHex } from "../../core/encoding/bytes.ts";
import { type DatedKey, importHmacKey } from "../config/keys.ts";
import type { RequestContext } from "../context.ts";
import { startService } from "../test-support/service.ts";
import {
  challengeFor,
  isChallengeFor,
  isKeyConfigured,
  issuedAt,
  lengthPrefixed,
  mintCti,
  opensFor,
} from "./cti.ts";

/** The parts of a `cti` (rules §5), and for whom it opens. */

const SUBJECT = { deviceId: "ebt-21-0001", sub: "ada" };
const IAT = 0x01020304;
const key = async (since: number, letter: string): Promise<DatedKey> => ({
  since,
  key: await importHmacKey(`${letter.repeat(42)}A`),
});
const [OLD, NEW] = [await key(100, "A"), await key(IAT, "B")];

const { settings } = await startService();

describe("a cti", () => {
  it("is the time, then four bytes of an HMAC over tag, person and time, each with its length", async () => {
    const content = `\0\0\0\u0003cti\0\0\0\u000bebt-21-0001\0\0\0\u0003ada\0\0\0\u0004\u0001\u0002\u0003\u0004`;
    const bytes = Uint8Array.from(content, (letter) => letter.charCodeAt(0));
    const hmac = toHex(new Uint8Array(await crypto.subtle.sign("HMAC", OLD.key, bytes)));
    const cti = await mintCti([OLD], SUBJECT, IAT);
    expect(toHex(cti)).toBe(`01020304${hmac.slice(0, 8)}`);
    expect(issuedAt(cti)).toBe(IAT);
  });

  it("opens for the tag and the person that it was made for, and for no other", async () => {
    const cti = await mintCti([OLD], SUBJECT, IAT);
    expect(await opensFor([OLD], cti, SUBJECT)).toBe(true);
    for (const other of [
      { deviceId: "ebt-21-0002" },
      { sub: "eve" },
      { deviceId: "ada", sub: "ebt-21-0001" },
    ])
      expect(await opensFor([OLD], cti, { ...SUBJECT, ...other })).toBe(false);
  });

  it("opens for no subject once a bit of its time or of its HMAC is another, or a byte is missing or too many", async () => {
    const cti = await mintCti([OLD], SUBJECT, IAT);
    const flipped = Array.from(cti.keys(), (at) =>
      copyBytes(cti).map((byte, i) => (i === at ? byte ^ 1 : byte)),
    );
    for (const odd of [
      ...flipped,
      cti.slice(0, 7),
      new Uint8Array([...cti, 0]),
      cti.slice(0, 4),
      new Uint8Array(),
    ])
      expect(await opensFor([OLD], odd, SUBJECT)).toBe(false);
  });

  it("is made by the key in use at its time, and opens as long as that one is configured", async () => {
    const keys = [NEW, OLD];
    const [before, after] = [await mintCti(keys, SUBJECT, IAT - 1), await mintCti(keys, SUBJECT, IAT)];
    expect([await opensFor([OLD], before, SUBJECT), await opensFor([NEW], after, SUBJECT)]).toEqual([
      true,
      true,
    ]);
    expect([await opensFor([OLD], after, SUBJECT), await opensFor([NEW], before, SUBJECT)]).toEqual([
      false,
      false,
    ]);
    expect([
      isKeyConfigured([NEW], before),
      isKeyConfigured([NEW], after),
      isKeyConfigured(keys, before),
    ]).toEqual([false, true, true]);
  });

  it("is made by no key of a later time", async () => {
    await expect(mintCti([NEW], SUBJECT, IAT - 1)).rejects.toThrow(
      new TypeError("CTI_KEYS begin in the future"),
    );
  });
});

it("no two lists of parts give the same bytes", () => {
  const bytes = (...parts: string[]) =>
    toHex(lengthPrefixed(parts.map((part) => Uint8Array.from(part, (letter) => letter.charCodeAt(0)))));
  expect(bytes("ab", "")).toBe("00000002616200000000");
  expect(new Set([bytes("ab"), bytes("a", "b"), bytes("", "ab"), bytes("ab", "")]).size).toBe(4);
});

describe("the challenge of a presence statement (rules §5)", () => {
  /** The beginning of a span of five minutes. */
  const BEGIN = 6_000_000 * 300_000;
  const at = (now: number, keys = settings.ctiKeys) =>
    ({ settings: { ...settings, ctiKeys: keys }, now }) as unknown as RequestContext;
  const PRESENCE = { deviceId: "ebt-21-0001", sub: "ada", lock: "request-1" };

  it("is the beginning of an HMAC over what it is for, each part with its length", async () => {
    const parts = ["presence", PRESENCE.deviceId, PRESENCE.sub, PRESENCE.lock, "6000000"];
    const content = parts.map((part) => `\0\0\0${String.fromCharCode(part.length)}${part}`).join("");
    const [newest] = settings.ctiKeys;
    if (newest === undefined) throw new Error("no key");
    const hmac = new Uint8Array(
      await crypto.subtle.sign("HMAC", newest.key, new TextEncoder().encode(content)),
    );
    expect(await challengeFor(at(BEGIN), PRESENCE)).toEqual(hmac.slice(0, 16));
  });

  it("is 16 bytes, alike for all who ask in its five minutes, and others in the next", async () => {
    const challenge = await challengeFor(at(BEGIN), PRESENCE);
    expect(challenge).toHaveLength(16);
    expect(await challengeFor(at(BEGIN + 299_999), PRESENCE)).toEqual(challenge);
    expect(await challengeFor(at(BEGIN + 300_000), PRESENCE)).not.toEqual(challenge);
  });

  it("is good in its five minutes and the next, not before and not after", async () => {
    const challenge = await challengeFor(at(BEGIN), PRESENCE);
    const isGood = (now: number) => isChallengeFor(at(now), PRESENCE, challenge);
    expect([await isGood(BEGIN), await isGood(BEGIN + 599_999)]).toEqual([true, true]);
    expect([await isGood(BEGIN - 1), await isGood(BEGIN + 600_000)]).toEqual([false, false]);
  });

  it("is no other caller's, no other tag's and no other lock's", async () => {
    const challenge = await challengeFor(at(BEGIN), PRESENCE);
    for (const other of [{ sub: "eve" }, { deviceId: "ebt-21-0002" }, { lock: "request-2" }])
      expect(await isChallengeFor(at(BEGIN), { ...PRESENCE, ...other }, challenge)).toBe(false);
    for (const odd of [challenge.slice(1), new Uint8Array(16), new Uint8Array()])
      expect(await isChallengeFor(at(BEGIN), PRESENCE, odd)).toBe(false);
  });

  it("is made by the newest key, and by none where there is none", async () => {
    const [newest] = settings.ctiKeys;
    const key = await crypto.subtle.generateKey({ name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    if (newest === undefined || !(key instanceof CryptoKey)) throw new Error("no key");
    const other = { since: 1, key };
    const challenge = await challengeFor(at(BEGIN, [newest, other]), PRESENCE);
    expect(await isChallengeFor(at(BEGIN, [newest]), PRESENCE, challenge)).toBe(true);
    expect(await isChallengeFor(at(BEGIN, [other, newest]), PRESENCE, challenge)).toBe(false);
    await expect(challengeFor(at(BEGIN, []), PRESENCE)).rejects.toThrow(new TypeError("no key"));
  });
});
