import { beforeAll, describe, expect, it } from "vitest";
import { type Bytes, concat } from "../../core/encoding/bytes.ts";
import { errorFrom } from "../../core/sec/answers.ts";
import { type Parties, parties } from "../test-support/parties.ts";
import { alerted, EDHOC_REFUSAL, expectEnd, lastWord, reach, stage } from "../test-support/stages.ts";

let people: Parties;
beforeAll(async () => {
  people = await parties();
});

describe("message_1", () => {
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
});

describe("message_3", () => {
  it("without an intermediate, which the tag does not know either, is EDHOC error 1 without a reason", async () => {
    const at = await stage(people);
    at.central.credential = { ...people.client, chain: people.client.chain.slice(0, 1) };
    await at.central.send("SEC", "EDHOC", (await at.central.begin()).message3);
    expect(await lastWord(at.central)).toEqual(EDHOC_REFUSAL);
    const refusal = at.events.find((event) => event.type === "refusal");
    expect(refusal).toMatchObject({ reason: expect.stringMatching("^CHAIN"), sent: "EDHOC_ERROR" });
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
