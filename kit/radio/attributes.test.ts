import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { fromUtf8 } from "../../core/encoding/bytes.ts";
import { PROFILE, STATUS } from "../../core/gatt/profile.ts";
import { decodeInfo, decodeStatus } from "../../core/gatt/values.ts";
import { Reassembler } from "../../core/sec/framing.ts";
import { valueIn } from "../../sdk/test-support/value-in.ts";
import type { RemoteTag } from "../phone/remote-tag.ts";
import { openFixtures } from "../test-support/att-fixture.ts";

const { INFO, ID, SEC, DATA, STATUS: STATUS_ROW, CERT } = PROFILE.characteristics;
const fixture = openFixtures();

/** No frame has an empty body: alert 16. */
const BAD_FRAME = Uint8Array.of(0xc0, 1, 1, 0);
const refusedWith = (code: string) => expect.objectContaining({ name: "AttError", code });

const fallOf = (remote: RemoteTag) => new Promise<void>((resolve) => void remote.onDisconnect(resolve));

async function hangUp(remote: RemoteTag): Promise<void> {
  const fallen = fallOf(remote);
  remote.disconnect();
  await fallen;
}

describe("attributes over ATT", () => {
  test("an id longer than a packet is read whole, by Read and Read Blob", async () => {
    const id = `ebt-20-${"x".repeat(57)}`;
    const { remote } = await fixture({ generation: "2.0", mtu: 23, tag: { id } });
    await remote.connect();
    expect(fromUtf8(await remote.read(ID.uuid))).toBe(id);
  });

  test("a Read Blob without a Read before it is refused, and one beyond the end too", async () => {
    const { remote } = await fixture();
    await remote.connect();
    await expect(remote.readOn(STATUS_ROW.uuid, 3)).rejects.toEqual(refusedWith("UNLIKELY_ERROR"));
    const value = await remote.read(STATUS_ROW.uuid);
    expect(await remote.readOn(STATUS_ROW.uuid, 3)).toEqual(value.slice(3));
    await expect(remote.readOn(STATUS_ROW.uuid, 14)).rejects.toEqual(refusedWith("UNLIKELY_ERROR"));
  });

  test("what was read on one connection is not read on from the next", async () => {
    const { remote } = await fixture();
    await remote.connect();
    await remote.read(STATUS_ROW.uuid);
    await hangUp(remote);
    await remote.connect();
    await expect(remote.readOn(STATUS_ROW.uuid, 3)).rejects.toEqual(refusedWith("UNLIKELY_ERROR"));
  });

  test("properties decide: what is only written is not read, and the reverse", async () => {
    const { remote } = await fixture();
    await remote.connect();
    await expect(remote.read(DATA.uuid)).rejects.toEqual(refusedWith("READ_NOT_PERMITTED"));
    await expect(remote.read(CERT.uuid)).rejects.toEqual(refusedWith("READ_NOT_PERMITTED"));
    await expect(remote.write(INFO.uuid, BAD_FRAME)).rejects.toEqual(refusedWith("WRITE_NOT_PERMITTED"));
  });

  test("a write without response has no effect where the properties have none", async () => {
    const { remote, tag } = await fixture();
    await remote.connect();
    await remote.write(CERT.uuid, BAD_FRAME, true);
    expect(decodeStatus(await remote.read(STATUS_ROW.uuid)).code).toBe("OK");
    expect(tag.snapshot().state).toBe("CONNECTED");
    await remote.write(SEC.uuid, BAD_FRAME, true);
    expect(decodeStatus(await remote.read(STATUS_ROW.uuid)).code).toBe("FRAME");
  });

  test("a value longer than a frame, sent by Prepare and Execute, is refused and not taken", async () => {
    const { remote, tag } = await fixture({ mtu: 23 });
    await remote.connect();
    await expect(remote.write(SEC.uuid, new Uint8Array(21))).rejects.toEqual(
      refusedWith("INVALID_VALUE_LENGTH"),
    );
    expect(tag.snapshot().state).toBe("CONNECTED");
  });

  test("frame follows the MTU, and a second connection starts over", async () => {
    const { remote } = await fixture({ mtu: 185 });
    for (let round = 0; round < 2; round++) {
      await remote.connect();
      expect(decodeInfo(await remote.read(INFO.uuid)).frame).toBe(182);
      await hangUp(remote);
    }
  });
});

describe("notifications of STATUS", () => {
  test("notify each step of a transfer while subscribed", async () => {
    const { client, request, remote } = await fixture();
    valueIn(await client.pickTag());
    const states: string[] = [];
    remote.onNotify((_uuid, value) => states.push(decodeStatus(value).state));
    await remote.subscribe(STATUS_ROW.uuid, true);
    valueIn(await client.transferTag(request));
    expect(states).toEqual(expect.arrayContaining(["ESTABLISHED", "AUTHORIZED", "COMMITTING", "COMMITTED"]));
  });

  test("end when the central unsubscribes, and with the connection", async () => {
    const { remote, events } = await fixture();
    const seen: number[] = [];
    remote.onNotify((_uuid, value) => seen.push(value.length));
    await remote.connect();
    await remote.subscribe(STATUS_ROW.uuid, true);
    await remote.subscribe(STATUS_ROW.uuid, false);
    await remote.write(SEC.uuid, BAD_FRAME);
    const fallen = fallOf(remote);
    await remote.read(SEC.uuid);
    await fallen;
    await remote.connect();
    await remote.write(SEC.uuid, BAD_FRAME);
    expect(seen).toEqual([]);
    expect(events.filter((event) => event.type === "gatt" && event.operation === "notify")).toEqual([]);
  });
});

test("the tag's last word arrives before it hangs up, however slow the air is", async () => {
  const { remote } = await fixture({ interval: 60 });
  await remote.connect();
  await remote.write(SEC.uuid, BAD_FRAME);
  const fallen = fallOf(remote);
  const alert = new Reassembler(2_048).push(await remote.read(SEC.uuid));
  expect(alert).toEqual({ type: "ALERT", message: Uint8Array.of(STATUS.FRAME) });
  await fallen;
});

test("a phone that wants to pair is refused, and nothing of it is kept", async () => {
  const { remote } = await fixture();
  await remote.connect();
  expect(await remote.pair()).toBe(0x05);
  expect(existsSync("NodeBleLib-storage-dir")).toBe(false);
});
