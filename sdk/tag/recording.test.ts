import { afterEach, expect, test, vi } from "vitest";
import { X25519 } from "../../core/sec/ecdh.ts";
import { scriptedTag, secure, virtually } from "../test-support/scripted-session.ts";
import type { SecureOptions } from "./v21.ts";

afterEach(() => vi.restoreAllMocks());

/** How many private keys of known bytes one handshake makes. */
async function knownKeys(options: Partial<SecureOptions>): Promise<number> {
  const fromPrivate = vi.spyOn(X25519, "fromPrivate");
  const tag = await scriptedTag("2.1");
  await virtually(() => secure(tag, tag.connect({}), options));
  return fromPrivate.mock.calls.length;
}

test("a handshake's key stays secret, unless the handshake is recorded", async () => {
  expect(await knownKeys({})).toBe(0);
});

test("a recorded handshake is reported with the key that opens it", async () => {
  const reported: Readonly<Record<string, string>>[] = [];
  expect(await knownKeys({ onHandshake: (values) => reported.push(values) })).toBe(1);
  expect(reported).toEqual([expect.objectContaining({ X_priv: expect.stringMatching(/^[0-9a-f]{64}$/) })]);
});
