import { afterEach, expect, it, vi } from "vitest";
import { fromHex } from "../encoding/bytes.ts";
import { openInitiatorChannel, openResponderChannel } from "./channel.ts";
import type { SuiteId } from "./suites.ts";
import { shakeHands } from "./test-support/parties.ts";

const INFO = fromHex("15150700f40000100102");

/** Every key that is not public which the engine makes or takes from here on. */
function watched(): CryptoKey[] {
  const { generateKey, importKey } = crypto.subtle;
  const keys: CryptoKey[] = [];
  const subtle = crypto.subtle as unknown as Record<string, (...args: never[]) => Promise<unknown>>;
  vi.spyOn(subtle, "generateKey").mockImplementation(async (...args) => {
    const pair: CryptoKeyPair = await Reflect.apply(generateKey, crypto.subtle, args);
    keys.push(pair.privateKey);
    return pair;
  });
  vi.spyOn(subtle, "importKey").mockImplementation(async (...args) => {
    const key: CryptoKey = await Reflect.apply(importKey, crypto.subtle, args);
    if (key.type !== "public") keys.push(key);
    return key;
  });
  return keys;
}

afterEach(() => vi.restoreAllMocks());

it.each<readonly [string, readonly SuiteId[]]>([
  ["GCM", [6]],
  ["CCM", [6, 3]],
])("no key of a session with %s can be exported", async (_name, suites) => {
  const keys = watched();
  const { initiator, responder } = await shakeHands(suites);
  const client = await openInitiatorChannel(initiator, INFO);
  const tag = await openResponderChannel(responder, INFO);
  await tag.open(await client.seal({ kind: "fresh" }));
  // The two sides' own credentials are the test's.
  expect(keys.length).toBeGreaterThan(20);
  expect(keys.filter(({ extractable }) => extractable)).toEqual([]);
});
