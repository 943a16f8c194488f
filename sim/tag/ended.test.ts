import { expect, it } from "vitest";
import { PROFILE, STATUS } from "../../core/gatt/profile.ts";
import { calm } from "../test-support/activity.ts";
import { alerted, lastWord, PAYLOAD, reach, type Stage, stage, written } from "../test-support/stages.ts";

/** What is left of a session that has ended, or of a link that has fallen, while its work goes on. */

const UUID = PROFILE.characteristics;
const refusals = ({ events }: Stage) => events.filter(({ type }) => type === "refusal").length;
const incoming = ({ events }: Stage) =>
  events.filter((event) => event.type === "frame" && event.direction === "in").length;

it("a handshake that the link's fall overtakes gives the next link no keys", async () => {
  const at = await reach("WAIT_M3");
  await at.central.send("SEC", "EDHOC", at.message3 as Uint8Array<ArrayBuffer>);
  at.tag.disconnect();
  await at.tag.connect();
  await calm();
  expect(at.tag.snapshot()).toMatchObject({ state: "CONNECTED", connected: true, status: "OK" });
  expect(at.events.filter((event) => event.type === "message" && event.name === "message_4")).toEqual([]);
  await at.central.handshake();
  expect(at.tag.snapshot().state).toBe("ESTABLISHED");
});

it("a token that the link's fall overtakes authorizes nothing in the next session", async () => {
  const at = await reach("ESTABLISHED");
  await at.central.say({ kind: "token", token: await at.central.token(PAYLOAD, "write") });
  at.tag.disconnect();
  await at.tag.connect();
  await calm();
  expect(at.tag.snapshot()).toMatchObject({ state: "CONNECTED", status: "OK", tokenMisses: 0 });
});

it("a read that waits when the link falls fails at once", async () => {
  const at = await reach("ESTABLISHED");
  const read = at.tag.read(UUID.SEC.uuid);
  await calm();
  at.tag.disconnect();
  await expect(read).rejects.toMatchObject({ code: "DISCONNECTED" });
});

it("a refused session takes no more frames and is refused once", async () => {
  const at = await reach("AUTHORIZED");
  await at.central.say({ kind: "data", offset: 7, data: PAYLOAD });
  await at.central.say({ kind: "abort" });
  await at.tag.settled();
  const taken = incoming(at);
  await at.central.say({ kind: "abort" });
  at.world.advance(1_999);
  await at.tag.settled();
  expect([refusals(at), incoming(at)]).toEqual([1, taken]);
  expect(await at.central.code()).toBe(STATUS.OFFSET);
});

it("the link waits until its last word is read whole", async () => {
  const at = await stage({ frame: 64 });
  at.central.frame = 64;
  await at.central.handshake();
  await at.central.say({ kind: "fresh" });
  await at.tag.settled();
  await at.central.say({ kind: "data", offset: 0, data: PAYLOAD });
  await at.tag.settled();
  for (const isLast of [false, true]) {
    expect(await at.tag.read(UUID.SEC.uuid)).not.toHaveLength(0);
    await calm();
    at.world.advance(30);
    expect(at.tag.snapshot().connected).toBe(!isLast);
  }
});

it("its last word waits for no display", async () => {
  const at = await reach("COMMITTING");
  await at.central.say({ kind: "fresh" });
  await at.tag.settled();
  const before = at.world.now();
  expect(await at.central.code()).toBe(STATUS.BUSY);
  expect([at.world.now(), at.tag.snapshot().state]).toEqual([before, "COMMITTING"]);
});

it("reading the nonce of a tag that v2.0 no longer reaches changes nothing in STATUS", async () => {
  const at = await written();
  await at.tag.connect();
  expect(at.tag.snapshot().versionMin).toBe("2.1");
  await at.central.send("SEC", "APP", Uint8Array.of(1));
  expect(await lastWord(at.central)).toEqual(alerted("STATE"));
  expect(await at.tag.read(UUID.NONCE.uuid)).toHaveLength(0);
  expect((await at.central.status()).code).toBe("STATE");
});
