import { expect, it } from "vitest";
import type { RequestContext } from "../context.ts";
import { startService } from "../test-support/service.ts";
import { challengeFor, isChallengeFor } from "./cti.ts";

/** The challenge of a presence statement (rules §5): its caller, its lock and its lifetime. */

const { settings } = await startService();
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
