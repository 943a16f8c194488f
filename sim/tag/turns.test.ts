import { beforeAll, describe, expect, it } from "vitest";
import { STATUS } from "../../core/gatt/profile.ts";
import { RECORD_KIND } from "../../core/sec/records.ts";
import { type Parties, parties } from "../test-support/parties.ts";
import { PAYLOAD, reach, type Stage } from "../test-support/stages.ts";

let people: Parties;
beforeAll(async () => {
  people = await parties();
});

const readsOfSec = (at: Stage) =>
  at.events.filter(
    (event) => event.type === "gatt" && event.operation === "read" && event.characteristic === "SEC",
  ).length;

const UNHEARD = Uint8Array.of(1, 2, 3);

/** Token, payload and commit, with no read between them. */
async function pour(at: Stage, token?: Uint8Array<ArrayBuffer>): Promise<void> {
  const { central } = at;
  await central.say({ kind: "token", token: token ?? (await central.token(PAYLOAD, "write")) });
  await central.stage(PAYLOAD);
  await central.commit(PAYLOAD);
}

describe("turns (protocol.md, Pull model)", () => {
  it("takes token, payload and commit without a wait, and answers all of it in one value", async () => {
    const at = await reach(people, "ESTABLISHED");
    const before = readsOfSec(at);
    await pour(at);
    expect([await at.central.code(), await at.central.code()]).toEqual([STATUS.AUTHORIZED, STATUS.COMMITTED]);
    expect((await at.central.record()).kind).toBe("statement");
    expect(readsOfSec(at) - before).toBe(1);
    expect(at.tag.snapshot()).toMatchObject({ state: "COMMITTED", commits: 1 });
  });

  it("gives message_4 and hello in one value", async () => {
    const at = await reach(people, "WAIT_M3");
    const before = readsOfSec(at);
    await at.central.send("SEC", "EDHOC", at.message3 ?? UNHEARD);
    await at.central.finish();
    expect(readsOfSec(at) - before).toBe(1);
  });

  it("drops what came along with a refused token, shows nothing, and takes the next one", async () => {
    const at = await reach(people, "ESTABLISHED");
    await pour(at, UNHEARD);
    expect(await at.central.code()).toBe(STATUS.TOKEN_FORMAT);
    await at.central.nextHello();
    await at.tag.settled();
    expect(at.tag.snapshot()).toMatchObject({ state: "ESTABLISHED", commits: 0, tokenMisses: 1 });
    await pour(at);
    expect([await at.central.code(), await at.central.code()]).toEqual([STATUS.AUTHORIZED, STATUS.COMMITTED]);
  });

  it.each([["fresh"], ["challenge"]] as const)("drops nothing behind a %s that came since", async (kind) => {
    const at = await reach(people, "ESTABLISHED");
    await at.central.say({ kind: "token", token: UNHEARD });
    expect(await at.central.code()).toBe(STATUS.TOKEN_FORMAT);
    await at.central.nextHello();
    await at.central.say(kind === "fresh" ? { kind } : { kind, challenge: new Uint8Array(16) });
    expect((await at.central.record()).kind).toBe(kind === "fresh" ? "hello" : "statement");
    await at.central.stage(PAYLOAD);
    expect(await at.central.code()).toBe(STATUS.STATE);
    await at.tag.settled();
    expect(at.tag.snapshot().state).toBe("IDLE");
  });

  it("drops no record unopened: one that was tampered with ends the session here as everywhere", async () => {
    const at = await reach(people, "ESTABLISHED");
    await at.central.say({ kind: "token", token: UNHEARD });
    const record = await at.central.keys.seal({ kind: "data", offset: 0, data: PAYLOAD });
    expect(record[0]).toBe(RECORD_KIND.data);
    record[9] = (record[9] as number) ^ 1;
    await at.central.send("DATA", "APP", record);
    await at.tag.settled();
    expect(at.tag.snapshot().state).toBe("IDLE");
  });

  it("holds a read while the display works, and after 5 s gives what it has", async () => {
    const at = await reach(people, "ESTABLISHED");
    at.tag.faults.slowDisplay = 12_000;
    await pour(at);
    const began = at.world.now();
    expect(await at.central.code()).toBe(STATUS.AUTHORIZED);
    expect(at.world.now() - began).toBe(5_000);
    expect(await at.central.receive()).toBeUndefined();
    expect(await at.central.code()).toBe(STATUS.COMMITTED);
    expect(at.world.now() - began).toBe(12_000);
  });
});
