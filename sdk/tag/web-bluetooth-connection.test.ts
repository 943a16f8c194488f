import { afterEach, describe, expect, test, vi } from "vitest";
import { PROFILE } from "../../core/gatt/profile.ts";
import { neverCancelled, withResolvers } from "../abort.ts";
import { asDevice, browserDevice, failure } from "../test-support/bluetooth-parts.ts";
import { virtually } from "../test-support/scripted-session.ts";
import { connectionOver } from "./connection-over.ts";
import { webBluetoothConnection } from "./web-bluetooth-link.ts";

const { INFO, SEC } = PROFILE.characteristics;
const { LEVEL } = PROFILE.battery.characteristics;
const { FIRMWARE } = PROFILE.deviceInformation.characteristics;
const signal = neverCancelled();

/** A connection whose link stands, with INFO and SEC discovered. */
function connected() {
  const parts = browserDevice({ characteristics: [INFO.uuid, SEC.uuid] });
  parts.gatt.connected = true;
  const gatt = parts.gatt as unknown as BluetoothRemoteGATTServer;
  const discovered = [...parts.characteristics.values()] as unknown as BluetoothRemoteGATTCharacteristic[];
  const make = () => connectionOver(webBluetoothConnection(asDevice(parts.device), gatt, discovered));
  return {
    ...parts,
    info: parts.characteristics.get(INFO.uuid),
    sec: parts.characteristics.get(SEC.uuid),
    make,
  };
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    (error: { code: string }) => error.code,
  );

test("reads a copy of the value, and writes what it is given", async () => {
  await virtually(async () => {
    const here = connected();
    const connection = here.make();
    const shared = new DataView(Uint8Array.of(5, 6).buffer);
    here.info?.readValue.mockResolvedValueOnce(shared);
    const value = await connection.read(INFO.uuid, signal);
    shared.setUint8(0, 9);
    expect(value).toEqual(Uint8Array.of(5, 6));
    await connection.write(SEC.uuid, Uint8Array.of(7), signal);
    expect(here.sec?.writeValueWithResponse).toHaveBeenCalledExactlyOnceWith(Uint8Array.of(7));
  });
});

describe("a write that another follows", () => {
  afterEach(() => vi.unstubAllGlobals());

  test.each([
    ["in Chrome on Android is written without response", "Linux; Android 10; K", true, true, 1],
    [
      "elsewhere keeps its response: CoreBluetooth loses commands",
      "Macintosh; Intel Mac OS X 10_15_7",
      true,
      true,
      0,
    ],
    ["keeps it where the tag takes no commands", "Linux; Android 10; K", false, true, 0],
    ["keeps it where nothing follows", "Linux; Android 10; K", true, false, 0],
  ])("%s", async (_what, userAgent, writeWithoutResponse, goesOn, commands) => {
    vi.stubGlobal("navigator", { userAgent: `Mozilla/5.0 (${userAgent}) AppleWebKit/537.36` });
    await virtually(async () => {
      const here = connected();
      if (here.sec) here.sec.properties = { ...here.sec.properties, writeWithoutResponse };
      await here.make().write(SEC.uuid, Uint8Array.of(7), signal, goesOn);
      expect(here.sec?.writeValueWithoutResponse).toHaveBeenCalledTimes(commands);
      expect(here.sec?.writeValueWithResponse).toHaveBeenCalledTimes(1 - commands);
    });
  });
});

test.each([
  [LEVEL.uuid, PROFILE.battery.service],
  [FIRMWARE.uuid, PROFILE.deviceInformation.service],
  ["another", PROFILE.service],
])("finds %s when it is first read, in its own service, and once", async (uuid, service) => {
  await virtually(async () => {
    const here = connected();
    const connection = here.make();
    await connection.read(uuid, signal);
    await connection.read(uuid, signal);
    expect(here.gatt.getPrimaryService).toHaveBeenCalledExactlyOnceWith(service);
    expect(here.getCharacteristic).toHaveBeenCalledExactlyOnceWith(uuid);
  });
});

test("was never open where the link fell before anybody listened", async () => {
  const here = connected();
  here.gatt.connected = false;
  const connection = here.make();
  expect(connection.open).toBe(false);
  expect(here.listeners.removed).toHaveBeenCalled();
});

test("a failure whose fall is reported 40 ms later is the fall", async () => {
  await virtually(async () => {
    const here = connected();
    const connection = here.make();
    here.info?.readValue.mockImplementationOnce(async () => {
      setTimeout(here.fall, 40);
      throw failure("NotSupportedError");
    });
    expect(await codeOf(connection.read(INFO.uuid, signal))).toBe("link_lost");
    expect(connection.open).toBe(false);
  });
});

test("a failure after which the server is no longer connected is a fall, though none was reported", async () => {
  await virtually(async () => {
    const here = connected();
    const connection = here.make();
    here.info?.readValue.mockImplementationOnce(async () => {
      here.gatt.connected = false;
      throw failure("NotSupportedError");
    });
    expect(await codeOf(connection.read(INFO.uuid, signal))).toBe("link_lost");
    expect(connection.open).toBe(false);
    expect(here.listeners.removed).toHaveBeenCalled();
  });
});

/** What checkRadio cannot see of every radio: operations of one connection that end at the test's wish. */
function operations() {
  const here = connected();
  const connection = here.make();
  const { promise, resolve } = withResolvers<DataView<ArrayBuffer>>();
  here.info?.readValue.mockImplementationOnce(() => promise);
  const end = () => resolve(new DataView(Uint8Array.of(5).buffer));
  return { ...here, connection, first: connection.read(INFO.uuid, signal), end };
}

test("an operation that is cancelled while it waits leaves the link alone, and the next waits for the first", async () => {
  const { connection, first, end, info, sec } = operations();
  const controller = new AbortController();
  const dropped = codeOf(connection.read(INFO.uuid, controller.signal));
  controller.abort();
  expect(await dropped).toBe("cancelled");
  const last = connection.write(SEC.uuid, Uint8Array.of(1), signal);
  await new Promise((resolve) => setTimeout(resolve));
  expect(sec?.writeValueWithResponse).not.toHaveBeenCalled();
  end();
  expect(await first).toEqual(Uint8Array.of(5));
  await last;
  expect([info?.readValue.mock.calls.length, connection.open]).toEqual([1, true]);
});

test("a value that came just before the fall, in the same turn, is given, and nothing is begun after it", async () => {
  const { connection, first, end, sec, fall, gatt } = operations();
  await new Promise((resolve) => setTimeout(resolve));
  const next = codeOf(connection.write(SEC.uuid, Uint8Array.of(1), signal));
  end();
  fall();
  expect(await first).toEqual(Uint8Array.of(5));
  expect(await next).toBe("link_lost");
  expect([sec?.writeValueWithResponse.mock.calls.length, gatt.disconnect.mock.calls.length]).toEqual([0, 0]);
});

test("what has ended listens no more, neither to its caller nor to the link", async () => {
  const { connection, first, end } = operations();
  end();
  await first;
  const add = vi.spyOn(AbortSignal.prototype, "addEventListener");
  const remove = vi.spyOn(AbortSignal.prototype, "removeEventListener");
  await connection.read(INFO.uuid, signal);
  const listeners = (calls: readonly (readonly unknown[])[]) =>
    new Set(calls.map(([, listener]) => listener));
  expect(add.mock.calls).not.toHaveLength(0);
  expect(listeners(remove.mock.calls)).toEqual(listeners(add.mock.calls));
  vi.restoreAllMocks();
});
