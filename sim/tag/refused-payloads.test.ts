import { beforeAll, describe, expect, it } from "vitest";
import { encodePayload } from "../../core/bag/payload.ts";
import type { Bytes } from "../../core/encoding/bytes.ts";
import { STATUS } from "../../core/gatt/profile.ts";
import { type Parties, parties } from "../test-support/parties.ts";
import { CLEAR, expectEnd, LABEL, PAYLOAD, reach, written } from "../test-support/stages.ts";

let people: Parties;
beforeAll(async () => {
  people = await parties();
});

describe("a commit on v2.1", () => {
  const other = encodePayload({ ...LABEL, licencePlate: "0117123457" });

  async function committing(
    staged: Bytes,
    changes: { sha256?: Bytes; total?: number } = {},
    granted = staged,
  ) {
    const at = await reach(people, "ESTABLISHED");
    await at.central.authorize(granted);
    await at.central.stage(staged);
    await at.central.commit(staged, changes);
    return at;
  }

  it.each([
    [
      "whose digest is not the staged bytes'",
      "DIGEST",
      () => committing(PAYLOAD, { sha256: new Uint8Array(32) }),
    ],
    ["of another payload than the token's", "DIGEST", () => committing(other, {}, PAYLOAD)],
    ["of another length", "OFFSET", () => committing(PAYLOAD, { total: PAYLOAD.length - 1 })],
    ["of something that is no payload", "STORAGE", () => committing(Uint8Array.of(0xa1, 0, 3))],
    ["of another operation than the token's", "DIGEST", () => committing(CLEAR)],
  ] as const)("%s is refused and changes nothing", async (_name, code, run) => {
    const at = await run();
    expect(await at.central.code()).toBe(STATUS[code]);
    await expectEnd(at);
    expect(at.tag.snapshot()).toMatchObject({ commits: 0, versionMin: "2.0" });
  });

  it("is refused with a low battery", async () => {
    const at = await reach(people, "RECEIVING");
    at.tag.faults.lowBattery = true;
    await at.central.commit(PAYLOAD);
    expect(await at.central.code()).toBe(STATUS.LOW_BATTERY);
    await expectEnd(at);
  });

  it("needs data at the offset that is due, and not too much of it", async () => {
    const gap = await reach(people, "AUTHORIZED");
    await gap.central.say({ kind: "data", offset: 1, data: PAYLOAD });
    expect(await gap.central.code()).toBe(STATUS.OFFSET);
    await expectEnd(gap);
    const flood = await reach(people, "AUTHORIZED");
    await flood.central.say({ kind: "data", offset: 0, data: new Uint8Array(513) });
    expect(await flood.central.code()).toBe(STATUS.STORAGE);
    await expectEnd(flood);
  });

  it("leaves an earlier label alone when it is refused", async () => {
    const at = await written(people);
    await at.tag.connect();
    await at.central.handshake();
    await at.central.authorize(other);
    await at.central.stage(CLEAR);
    await at.central.commit(CLEAR);
    expect(await at.central.code()).toBe(STATUS.DIGEST);
    await expectEnd(at, LABEL);
  });
});
