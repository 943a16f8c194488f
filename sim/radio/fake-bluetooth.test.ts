import { describe, expect, it } from "vitest";
import { PROFILE } from "../../core/gatt/profile.ts";
import { decodeInfo } from "../../core/gatt/values.ts";
import type { TagSimulator } from "../tag/tag-simulator.ts";
import type { TagChooser } from "../tag/tag-types.ts";
import { tagOf } from "../test-support/parties.ts";
import { people } from "../test-support/stages.ts";
import { VirtualWorld } from "../virtual-world.ts";
import { fakeBluetooth } from "./fake-bluetooth.ts";

const UUID = PROFILE.characteristics;
const OPTIONS: RequestDeviceOptions = {
  filters: [{ services: [PROFILE.service] }],
  optionalServices: [PROFILE.battery.service, 0x180a],
};
const first: TagChooser = async ([tag]) => tag;

async function page(choose: TagChooser = first) {
  const world = new VirtualWorld();
  const v21 = await tagOf(people, world);
  const v20 = await tagOf(people, world, { id: "ebt-20-0005", generation: "2.0" });
  const device = () => bluetooth.requestDevice(OPTIONS);
  const bluetooth = fakeBluetooth([v21, v20], choose);
  return { world, v21, v20, bluetooth, device };
}

async function found() {
  const { world, v21, device: pick } = await page();
  const device = await pick();
  const server = await device.gatt?.connect();
  if (server === undefined) throw new Error("no GATT server");
  const service = await server.getPrimaryService(PROFILE.service);
  const info = await service.getCharacteristic(UUID.INFO.uuid);
  return { world, tag: v21 as TagSimulator, device, server, service, info };
}

const named = (name: string) => expect.objectContaining({ name });

describe("the chooser", () => {
  it("offers the tags that fit the filter, and remembers what was chosen", async () => {
    const offered: string[][] = [];
    const { bluetooth } = await page(async (tags) => {
      offered.push(tags.map(({ name }) => name));
      return tags[0];
    });
    const filters = [{ services: [PROFILE.service], name: "EBT-0005" }];
    const device = await bluetooth.requestDevice({ filters });
    expect(offered).toEqual([["EBT-0005"]]);
    expect(await bluetooth.requestDevice({ filters })).toBe(device);
    expect(await bluetooth.getDevices()).toEqual([device]);
  });

  it("is closed with NotFoundError", async () => {
    const { device } = await page(async () => undefined);
    await expect(device()).rejects.toEqual(named("NotFoundError"));
  });

  it("wants filters", async () => {
    const { bluetooth } = await page();
    await expect(bluetooth.requestDevice({ filters: [] })).rejects.toBeInstanceOf(TypeError);
    await expect(bluetooth.requestDevice(undefined)).rejects.toBeInstanceOf(TypeError);
  });
});

describe("a connected device", () => {
  it("gives values as DataView and notifies listeners", async () => {
    const { info } = await found();
    let received: unknown;
    info.addEventListener("characteristicvaluechanged", (event) => {
      received = (event.target as BluetoothRemoteGATTCharacteristic).value;
    });
    const value = await info.readValue();
    expect(value).toBeInstanceOf(DataView);
    expect(decodeInfo(new Uint8Array(value.buffer)).state).toBe("CONNECTED");
    expect(received).toBe(value);
  });

  it("refuses a second operation while one is in flight", async () => {
    const { service, info } = await found();
    const sec = await service.getCharacteristic(UUID.SEC.uuid);
    const held = sec.readValue();
    held.catch(() => undefined);
    await expect(info.readValue()).rejects.toMatchObject({
      name: "NetworkError",
      message: "GATT operation already in progress.",
    });
  });

  it("fails the operation in flight when the link falls, and says so by an event", async () => {
    const { service, tag, device, server } = await found();
    const falls = new Promise((resolve) => device.addEventListener("gattserverdisconnected", resolve));
    const held = (await service.getCharacteristic(UUID.SEC.uuid)).readValue();
    tag.disconnect();
    await expect(held).rejects.toEqual(named("NetworkError"));
    await falls;
    expect(server.connected).toBe(false);
  });

  it("enforces properties, lengths and the services that were asked for", async () => {
    const { server, service, info } = await found();
    const sec = await service.getCharacteristic(UUID.SEC.uuid);
    const cert = await service.getCharacteristic(UUID.CERT.uuid);
    await expect(info.writeValueWithResponse(new Uint8Array(1))).rejects.toEqual(named("NotSupportedError"));
    await expect(cert.writeValueWithoutResponse(new Uint8Array(1))).rejects.toEqual(
      named("NotSupportedError"),
    );
    await expect(cert.readValue()).rejects.toEqual(named("NotSupportedError"));
    await expect(sec.writeValueWithResponse(new Uint8Array(245))).rejects.toEqual(
      named("InvalidModificationError"),
    );
    await expect(server.getPrimaryService(0x180f)).resolves.toBeDefined();
    await expect(server.getPrimaryService(0x1812)).rejects.toEqual(named("SecurityError"));
    await expect(service.getCharacteristic(0x2a19)).rejects.toEqual(named("NotFoundError"));
  });

  it("notifies STATUS where that was asked for", async () => {
    const { service, tag } = await found();
    const status = await service.getCharacteristic(UUID.STATUS.uuid);
    const sec = await service.getCharacteristic(UUID.SEC.uuid);
    await expect(sec.startNotifications()).rejects.toEqual(named("NotSupportedError"));
    await status.startNotifications();
    let received = 0;
    status.addEventListener("characteristicvaluechanged", () => {
      received++;
    });
    await sec.writeValueWithResponse(Uint8Array.of(0));
    await tag.settled();
    expect(received).toBeGreaterThan(0);
  });

  it("may fail to connect, and may then connect", async () => {
    const { v21, device: pick } = await page();
    const device = await pick();
    v21.faults.refuseConnects = 1;
    await expect(device.gatt?.connect()).rejects.toEqual(named("NetworkError"));
    await expect(device.gatt?.connect()).resolves.toBeDefined();
  });

  it("aborts an attempt to connect that is overtaken by a disconnect", async () => {
    const { world, v21, device: pick } = await page();
    const device = await pick();
    v21.faults.radio = { connect: () => ({ delay: 100, fails: false }), operation: () => ({ delay: 0 }) };
    const attempt = device.gatt?.connect();
    device.gatt?.disconnect();
    world.advance(100);
    await expect(attempt).rejects.toEqual(named("AbortError"));
    expect(v21.snapshot().connected).toBe(false);
  });
});
