import { beforeAll, describe, expect, it } from "vitest";
import { encodePayload } from "../../core/bag/payload-codec.ts";
import { clearPayload } from "../../core/bag/ticket-payload.ts";
import { toHex } from "../../core/bytes.ts";
import { STATUS } from "../../core/gatt/profile.ts";
import { Central } from "./test-support/central.ts";
import { type Parties, parties, tagOf } from "./test-support/parties.ts";
import { VirtualWorld } from "./virtual-world.ts";

const LABEL = {
  kind: "write",
  licencePlate: "0117123456",
  name: "LOVELACE/ADA",
  from: "OSL",
  segments: [{ flight: "SK1234", day: "22NOV", airport: "ARN" }],
} as const;
const PAYLOAD = encodePayload(LABEL);
const CLEAR = encodePayload(clearPayload());

let people: Parties;
beforeAll(async () => {
  people = await parties();
});

async function connected(changes: Parameters<typeof tagOf>[2] = {}) {
  const world = new VirtualWorld();
  const tag = await tagOf(people, world, changes);
  await tag.connect();
  return { world, tag, central: new Central(tag, world, people) };
}

describe("a v2.1 transfer", () => {
  it.each([[[6]], [[6, 3]]] as const)("writes the label with suites %j offered", async (offered) => {
    const suites = offered.length === 1 ? ([6, 3] as const) : ([3] as const);
    const { tag, central } = await connected({ suites });
    const hello = await central.handshake(offered);
    expect(hello).toMatchObject({ id: tag.id, ttl: 120, commits: 0, lastCommitted: null });
    expect(await central.transfer(PAYLOAD)).toBe(STATUS.COMMITTED);
    expect(tag.snapshot()).toMatchObject({
      state: "COMMITTED",
      versionMin: "2.1",
      commits: 1,
      display: { state: "LABEL", content: LABEL },
    });
  });

  it("clears what was written, and counts both", async () => {
    const { tag, central } = await connected();
    await central.handshake();
    await central.transfer(PAYLOAD);
    tag.disconnect();
    await tag.connect();
    const hello = await central.handshake();
    expect(hello.commits).toBe(1);
    expect(toHex(hello.lastCommitted ?? new Uint8Array())).toBe(
      toHex(tag.snapshot().lastDigest ?? new Uint8Array()),
    );
    expect(await central.transfer(CLEAR, "clear")).toBe(STATUS.COMMITTED);
    expect(tag.snapshot().display).toEqual({ state: "BLANK", content: null });
  });
});

describe("a v2.0 transfer", () => {
  it("writes the label, and clears it again", async () => {
    const { tag, central } = await connected({ generation: "2.0" });
    expect(await central.present()).toMatchObject({ state: "PRESENTED", code: "OK" });
    expect(await central.plainTransfer(PAYLOAD)).toMatchObject({ state: "COMMITTED", code: "COMMITTED" });
    expect(tag.snapshot().display.content).toEqual(LABEL);
    tag.disconnect();
    await tag.connect();
    await central.present();
    expect(await central.plainTransfer(CLEAR, "clear")).toMatchObject({ display: "BLANK" });
    expect(tag.snapshot()).toMatchObject({ versionMin: "2.0", commits: 2 });
  });
});
