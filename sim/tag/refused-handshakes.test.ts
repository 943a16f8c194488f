import { beforeAll, describe, expect, it } from "vitest";
import { type Bytes, concat } from "../../core/encoding/bytes.ts";
import { errorFrom } from "../../core/sec/answers.ts";
import { alerted, EDHOC_REFUSAL, expectEnd, lastWord } from "../test-support/endings.ts";
import { clientCa, keyPair, type Parties, parties } from "../test-support/parties.ts";
import { reach, stage } from "../test-support/stages.ts";
import type { TagCredential } from "./tag-types.ts";

let people: Parties;
beforeAll(async () => {
  people = await parties();
});

describe("message_1", () => {
  it.each([
    ["truncated", (bytes: Bytes) => bytes.slice(0, -1)],
    ["followed by half an item", (bytes: Bytes) => concat(bytes, Uint8Array.of(0x41))],
    ["with a critical item that is unknown", (bytes: Bytes) => concat(bytes, Uint8Array.of(0x20))],
    ["of another method", (bytes: Bytes) => concat(Uint8Array.of(3), bytes.slice(1))],
    [
      "with a C_I that must be an integer",
      (bytes: Bytes) => concat(bytes.slice(0, -1), Uint8Array.of(0x41, 0x05)),
    ],
    [
      "with a low-order key",
      (bytes: Bytes) => concat(bytes.slice(0, 4), new Uint8Array(32), bytes.slice(36)),
    ],
  ])("%s is EDHOC error 1 without a reason", async (_name, broken) => {
    const at = await stage(people);
    const { message } = await at.central.message1();
    await at.central.send("SEC", "EDHOC", broken(message));
    expect(await lastWord(at.central)).toEqual(EDHOC_REFUSAL);
    await expectEnd(at);
  });

  it("of another suite is EDHOC error 2 twice, and the end the third time", async () => {
    const at = await stage(people, { suites: [3] });
    for (let time = 0; time < 2; time++) {
      await at.central.send("SEC", "EDHOC", (await at.central.message1([6])).message);
      const answer = await at.central.receive();
      expect(errorFrom("EDHOC_ERROR", answer?.message ?? new Uint8Array()).suitesR).toEqual([3]);
      expect(at.tag.snapshot().state).toBe("CONNECTED");
    }
    await at.central.send("SEC", "EDHOC", (await at.central.message1([6])).message);
    expect(await lastWord(at.central)).toEqual(alerted("STATE"));
    await expectEnd(at);
  });

  it("is refused where an earlier offer would do (pitfall 1)", async () => {
    const at = await stage(people);
    await at.central.send("SEC", "EDHOC", (await at.central.message1([6, 3])).message);
    const answer = await at.central.receive();
    expect(errorFrom("EDHOC_ERROR", answer?.message ?? new Uint8Array()).suitesR).toEqual([6, 3]);
  });

  it("is alert 18 once the bucket is empty, and passes again after ten seconds (pitfall 17)", async () => {
    const { tag, central, world } = await stage(people);
    for (let time = 0; time < 8; time++) {
      await central.send("SEC", "EDHOC", (await central.message1()).message);
      expect((await central.receive())?.type).toBe("EDHOC");
      tag.disconnect();
      await tag.connect();
    }
    await central.send("SEC", "EDHOC", (await central.message1()).message);
    expect(await lastWord(central)).toEqual(alerted("BUSY"));
    world.advance(10_000);
    await tag.connect();
    await central.send("SEC", "EDHOC", (await central.message1()).message);
    expect((await central.receive())?.type).toBe("EDHOC");
  });
});

describe("message_3", () => {
  const CREDENTIALS: readonly (readonly [string, string, () => Promise<TagCredential>])[] = [
    ["of another root", "CHAIN", async () => (await clientCa()).issue()],
    [
      "without the intermediate, which the tag does not know",
      "CHAIN",
      async () => ({ ...people.client, chain: people.client.chain.slice(0, 1) }),
    ],
    [
      "in endpoint 7's order",
      "CHAIN",
      async () => ({ ...people.client, chain: [...people.client.chain].reverse() }),
    ],
    [
      "with a key that is not the leaf's",
      "AUTH_FAIL",
      async () => ({ ...people.client, privateKey: (await keyPair()).privateKey }),
    ],
    ["with a tag's certificate", "CHAIN", async () => people.tags.issueWithRoot()],
    ["for a tag, by our own CA", "EKU", async () => people.clients.misuse()],
  ];

  it.each(CREDENTIALS)("%s is EDHOC error 1 without a reason", async (_name, reason, credential) => {
    const at = await stage(people);
    at.central.credential = await credential();
    const { message3 } = await at.central.begin();
    await at.central.send("SEC", "EDHOC", message3);
    expect(await lastWord(at.central)).toEqual(EDHOC_REFUSAL);
    // Why it failed is known inside only (pitfall 18).
    const refusal = at.events.find((event) => event.type === "refusal");
    expect(refusal).toMatchObject({ reason: expect.stringMatching(`^${reason}`), sent: "EDHOC_ERROR" });
    expect(at.tag.snapshot().status).toBe("OK");
    await expectEnd(at);
  });

  it("with one bit changed is EDHOC error 1", async () => {
    const at = await stage(people);
    const { message3 } = await at.central.begin();
    message3[100] = (message3[100] as number) ^ 1;
    await at.central.send("SEC", "EDHOC", message3);
    expect(await lastWord(at.central)).toEqual(EDHOC_REFUSAL);
    await expectEnd(at);
  });

  it("sent twice ends the session: it is not listed in ESTABLISHED", async () => {
    const at = await stage(people);
    const { message3 } = await at.central.begin();
    await at.central.send("SEC", "EDHOC", message3);
    await at.central.send("SEC", "EDHOC", message3);
    await at.tag.settled();
    await expectEnd(at);
  });

  it("of an earlier connection fails on the next (pitfall 9)", async () => {
    const at = await stage(people);
    const { message3 } = await at.central.begin();
    at.tag.disconnect();
    await at.tag.connect();
    await at.central.begin();
    await at.central.send("SEC", "EDHOC", message3);
    expect(await lastWord(at.central)).toEqual(EDHOC_REFUSAL);
    await expectEnd(at);
  });

  it("is not answered where the client itself reports an error", async () => {
    const at = await reach(people, "WAIT_M3");
    await at.central.send("SEC", "EDHOC_ERROR", Uint8Array.of(1, 0x60));
    await at.tag.settled();
    await expectEnd(at);
    const said = at.events.flatMap((event) =>
      event.type === "message" && event.direction === "out" ? [event.name] : [],
    );
    expect(said).not.toContain("EDHOC error");
  });
});

describe("a record", () => {
  it.each([
    [
      "a changed bit",
      (record: Bytes) => concat(record.slice(0, -1), Uint8Array.of((record.at(-1) as number) ^ 1)),
    ],
    ["a missing byte", (record: Bytes) => record.slice(0, -1)],
    ["another kind", (record: Bytes) => concat(Uint8Array.of(5), record.slice(1))],
  ])("with %s ends everything in silence", async (_name, broken) => {
    const at = await reach(people, "ESTABLISHED");
    const record = await at.central.keys.seal({ kind: "abort" });
    await at.central.send("SEC", "APP", broken(record));
    await at.tag.settled();
    expect(at.tag.snapshot()).toMatchObject({ state: "IDLE", status: "OK" });
    at.world.advance(30);
    expect(at.tag.snapshot().connected).toBe(false);
  });

  it("played back ends everything in silence", async () => {
    const at = await reach(people, "ESTABLISHED");
    const record = await at.central.keys.seal({ kind: "fresh" });
    await at.central.send("SEC", "APP", record);
    await at.central.nextHello();
    await at.central.send("SEC", "APP", record);
    await at.tag.settled();
    await expectEnd(at);
  });
});
