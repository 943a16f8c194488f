import { describe, expect, it } from "vitest";
import { fromUtf8 } from "../../core/encoding/bytes.ts";
import { PROFILE, STATUS } from "../../core/gatt/profile.ts";
import { decodeStatus } from "../../core/gatt/values.ts";
import { LABEL, PAYLOAD, people, reach, reconnect, stage } from "../test-support/stages.ts";

const UUID = PROFILE.characteristics;

describe("a link that falls", () => {
  it.each(["2.1", "2.0"] as const)("after the commit was accepted does not stop it (v%s)", async (path) => {
    const at = await reach("COMMITTING", path);
    at.tag.disconnect();
    expect(at.tag.snapshot()).toMatchObject({
      state: "COMMITTING",
      display: { state: "REFRESHING", content: null },
    });
    at.world.advance(900);
    expect(at.tag.snapshot()).toMatchObject({
      state: "IDLE",
      commits: 1,
      display: { state: "LABEL", content: LABEL },
    });
  });

  it("with the commit's last frame has committed all the same, if the tag had it", async () => {
    const at = await reach("RECEIVING");
    const before = at.events.filter((event) => event.type === "gatt").length;
    at.tag.faults.dropAt = { operation: before + 1, when: "after" };
    await expect(at.central.commit(PAYLOAD)).rejects.toMatchObject({ code: "DISCONNECTED" });
    expect(at.tag.snapshot()).toMatchObject({ connected: false, state: "COMMITTING" });
    at.world.advance(900);
    await at.tag.connect();
    expect(await at.central.status()).toMatchObject({
      state: "CONNECTED",
      code: "COMMITTED",
      display: "LABEL",
    });
    const hello = await at.central.handshake();
    expect(hello).toMatchObject({ commits: 1, mark: at.tag.snapshot().mark });
  });

  it("before the commit arrived leaves everything as it was", async () => {
    const at = await reach("RECEIVING");
    const before = at.events.filter((event) => event.type === "gatt").length;
    at.tag.faults.dropAt = { operation: before + 1, when: "before" };
    await expect(at.central.commit(PAYLOAD)).rejects.toMatchObject({ code: "DISCONNECTED" });
    at.world.advance(20_000);
    await at.tag.connect();
    expect(await at.central.handshake()).toMatchObject({ commits: 0, mark: null });
    expect(at.tag.snapshot().display.content).toBeNull();
  });
});

describe("a reconnect during COMMITTING", () => {
  it("gets INFO, ID and STATUS, nothing else, and may begin when the display is done", async () => {
    const at = await reach("COMMITTING");
    await reconnect(at);
    expect(await at.central.info()).toMatchObject({ state: "COMMITTING", flags: { displayBlank: false } });
    expect(fromUtf8(await at.tag.read(UUID.ID.uuid))).toBe(at.tag.id);
    expect(await at.tag.read(UUID.NONCE.uuid)).toHaveLength(0);
    const waiting = at.tag.read(UUID.STATUS.uuid);
    at.world.advance(900);
    expect(decodeStatus(await waiting)).toMatchObject({ state: "CONNECTED", code: "COMMITTED" });
    expect(await at.central.handshake()).toMatchObject({ commits: 1 });
  });

  it("is not idle, however long the display takes", async () => {
    const at = await reach("COMMITTING", "2.1", { displayMs: 60_000 });
    await reconnect(at);
    at.world.advance(59_999);
    expect(at.tag.snapshot()).toMatchObject({ state: "COMMITTING", connected: true });
    at.world.advance(1);
    expect(at.tag.snapshot().state).toBe("CONNECTED");
  });

  it("is refused any write with alert 18, and the commit goes on", async () => {
    const at = await reach("COMMITTING");
    await reconnect(at);
    await at.central.send("SEC", "EDHOC", (await at.central.message1()).message);
    expect(await at.central.expect("ALERT")).toEqual(Uint8Array.of(STATUS.BUSY));
    at.world.advance(30);
    expect(at.tag.snapshot()).toMatchObject({ connected: false, state: "COMMITTING" });
    at.world.advance(900);
    expect(at.tag.snapshot()).toMatchObject({ state: "IDLE", commits: 1 });
  });
});

describe("a central that was refused during COMMITTING", () => {
  it("may not begin when the display is done, and has to come again", async () => {
    const at = await reach("COMMITTING");
    await reconnect(at);
    await at.central.raw("SEC", Uint8Array.of(0));
    at.world.advance(900);
    expect(at.tag.snapshot()).toMatchObject({ connected: true, state: "IDLE", commits: 1 });
    at.world.advance(1_100);
    expect(at.tag.snapshot().connected).toBe(false);
  });
});

describe("one central, one operation", () => {
  it("refuses a second connection", async () => {
    const { tag } = await stage();
    await expect(tag.connect()).rejects.toMatchObject({ code: "ALREADY_CONNECTED" });
  });

  it("enforces handles and properties", async () => {
    const { tag } = await stage();
    await expect(tag.read("0000ffff-0000-1000-8000-00805f9b34fb")).rejects.toMatchObject({
      code: "INVALID_HANDLE",
    });
    await expect(tag.write(UUID.INFO.uuid, Uint8Array.of(1))).rejects.toMatchObject({
      code: "WRITE_NOT_PERMITTED",
    });
    for (const name of ["CERT", "AUTH", "DATA"] as const) {
      await expect(tag.read(UUID[name].uuid)).rejects.toMatchObject({ code: "READ_NOT_PERMITTED" });
    }
    tag.disconnect();
    await expect(tag.read(UUID.INFO.uuid)).rejects.toMatchObject({ code: "DISCONNECTED" });
  });
});

describe("the switches", () => {
  it("present another tag's certificate (pitfall 3)", async () => {
    const wrongCredential = await people.tags.issue("ebt-21-0002");
    const { tag, central } = await stage({ wrongCredential });
    tag.faults.wrongCertificate = true;
    const hello = await central.handshake();
    expect(central.peerId).toBe("ebt-21-0002");
    expect(hello.id).toBe(tag.id);
  });

  it("answer busy", async () => {
    const { tag, central } = await stage();
    tag.faults.busy = true;
    await central.send("SEC", "EDHOC", (await central.message1()).message.slice(0, 10));
    expect(await central.expect("ALERT")).toEqual(Uint8Array.of(STATUS.BUSY));
  });
});

describe("the transcript", () => {
  it("names what goes by, decoded, without a secret", async () => {
    const at = await reach("COMMITTED");
    const names = at.events.flatMap((event) =>
      event.type === "message" || event.type === "record" ? [event.name] : [],
    );
    expect(names).toEqual([
      "message_1",
      "PLAINTEXT_2",
      "message_2",
      "message_3",
      "PLAINTEXT_3",
      "message_4",
      "hello",
      "token",
      "status",
      "data",
      "data",
      "commit",
      "status",
      "statement",
    ]);
    expect(at.events.some((event) => event.type === "trace")).toBe(false);
    const first = at.events.find((event) => event.type === "message" && event.name === "message_1");
    expect(first).toMatchObject({ fields: { method: 0, suitesI: [6] } });
    const states = at.events.flatMap((event) => (event.type === "state" ? [event.to] : []));
    expect(states).toEqual([
      "CONNECTED",
      "WAIT_M3",
      "ESTABLISHED",
      "AUTHORIZED",
      "RECEIVING",
      "COMMITTING",
      "COMMITTED",
    ]);
  });
});
