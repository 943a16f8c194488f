import { beforeAll, describe, expect, it } from "vitest";
import { encodePayload } from "../../core/bag/payload.ts";
import type { TokenClaims } from "../../core/sec/token.ts";
import { clientCa, type Parties, parties } from "../test-support/parties.ts";
import { CLEAR, expectEnd, LABEL, PAYLOAD, reach, stage, written } from "../test-support/stages.ts";

let people: Parties;
beforeAll(async () => {
  people = await parties();
});

describe("v2.0", () => {
  it.each([
    ["of another root", "CHAIN", async () => (await clientCa()).issue()],
    ["of a tag", "CHAIN", async () => people.tags.issueWithRoot()],
    ["for a tag, by our own CA", "EKU", async () => people.clients.misuse()],
    ["leaf first", "CHAIN", async () => ({ ...people.client, chain: [...people.client.chain].reverse() })],
  ] as const)("refuses a chain %s with its code in STATUS", async (_name, code, credential) => {
    const at = await stage(people, { generation: "2.0" });
    at.central.credential = await credential();
    expect(await at.central.present()).toMatchObject({ state: "IDLE", code });
    await expectEnd(at);
  });

  it.each([
    ["of another phone", "TOKEN_BINDING", { cnfSpkiSha256: new Uint8Array(32) }],
    ["for v2.1", "VERSION", { version: "2.1" }],
    ["for another tag", "TOKEN_AUD", { aud: "ebt-20-0006" }],
    ["with another nonce", "TOKEN_NONCE", { nonce: new Uint8Array(16) }],
  ] as const)("refuses a token %s, and the next may be good", async (_name, code, changes) => {
    const at = await reach(people, "PRESENTED");
    const token = await at.central.plainToken(PAYLOAD, "write", changes as Partial<TokenClaims>);
    const nonce = await at.central.nonce();
    await at.central.send("AUTH", "TOKEN", token);
    expect(await at.central.status()).toMatchObject({ state: "PRESENTED", code });
    expect(await at.central.nonce()).not.toEqual(nonce);
    expect(await at.central.plainTransfer(PAYLOAD)).toMatchObject({ code: "COMMITTED" });
  });

  it("gives the same nonce until it is burnt or 120 s old", async () => {
    const at = await reach(people, "PRESENTED");
    const nonce = await at.central.nonce();
    expect(await at.central.nonce()).toEqual(nonce);
    at.world.advance(119_000);
    expect(await at.central.nonce()).toEqual(nonce);
    at.world.advance(2_000);
    expect(await at.central.nonce()).not.toEqual(nonce);
  });

  it("draws another nonce on the next connection (pitfall 9)", async () => {
    const at = await reach(people, "PRESENTED");
    const nonce = await at.central.nonce();
    at.tag.disconnect();
    await at.tag.connect();
    await at.central.present();
    expect(await at.central.nonce()).not.toEqual(nonce);
  });

  it("locks at the third refused token", async () => {
    const at = await reach(people, "LOCKOUT", "2.0");
    expect(at.tag.snapshot()).toMatchObject({ status: "LOCKOUT" });
  });

  it.each([
    ["another content", "DIGEST", encodePayload({ ...LABEL, name: "EVE" })],
    ["a clear", "DIGEST", CLEAR],
    ["too much", "STORAGE", new Uint8Array(600)],
  ] as const)("refuses %s than was bound", async (_name, code, payload) => {
    const at = await reach(people, "AUTHORIZED", "2.0");
    await at.central.send("DATA", "PAYLOAD", payload);
    expect(await at.central.status()).toMatchObject({ state: "IDLE", code });
    await expectEnd(at);
  });

  it("is gone after the first v2.1 commit (pitfall 2)", async () => {
    const at = await written(people);
    await at.tag.connect();
    expect(await at.central.info()).toMatchObject({ versionMax: 21, versionMin: 21 });
    expect(await at.central.nonce()).toHaveLength(0);
    expect(await at.central.present()).toMatchObject({ state: "IDLE", code: "VERSION" });
    await expectEnd(at, LABEL);
  });

  it("is there before it", async () => {
    const at = await stage(people);
    await at.central.present();
    expect(await at.central.plainTransfer(PAYLOAD)).toMatchObject({ code: "COMMITTED" });
    expect(at.tag.snapshot().versionMin).toBe("2.0");
  });
});
