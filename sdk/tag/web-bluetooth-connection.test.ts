import { afterEach, describe, expect, test, vi } from "vitest";
import { PROFILE } from "../../core/gatt/profile.ts";
import { neverCancelled } from "../abort.ts";
import { asDevice, browserDevice, failure } from "../test-support/bluetooth-parts.ts";
import { virtually } from "../test-support/scripted-session.ts";
import { connectionOver } from "./connection-over.ts";
import { webBluetoothConnection } from "./web-bluetooth-connection.ts";

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

test("knows what it discovered, and its properties", () => {
  const connection = connected().make();
  expect([INFO.uuid, LEVEL.uuid].map((uuid) => connection.has(uuid))).toEqual([true, false]);
  expect(connection.properties(INFO.uuid)).toEqual({ read: true, write: false, notify: true });
  expect(connection.properties(LEVEL.uuid)).toBeUndefined();
});

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

test("a failure on a standing link is named after it, and leaves the link alone", async () => {
  await virtually(async () => {
    const here = connected();
    const connection = here.make();
    here.info?.readValue.mockRejectedValueOnce(failure("NetworkError"));
    here.sec?.writeValueWithResponse.mockRejectedValueOnce(failure("NotSupportedError"));
    expect(await codeOf(connection.read(INFO.uuid, signal))).toBe("link_busy");
    expect(await codeOf(connection.write(SEC.uuid, Uint8Array.of(1), signal))).toBe("operation_refused");
    expect(connection.open).toBe(true);
    expect(here.gatt.disconnect).not.toHaveBeenCalled();
  });
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

test("a fall ends the operation in flight and every later one, without touching the platform", async () => {
  await virtually(async () => {
    const here = connected();
    const connection = here.make();
    here.info?.readValue.mockImplementationOnce(() => new Promise(() => undefined));
    const inFlight = codeOf(connection.read(INFO.uuid, signal));
    setTimeout(here.fall, 10);
    expect(await inFlight).toBe("link_lost");
    expect(await codeOf(connection.write(SEC.uuid, Uint8Array.of(1), signal))).toBe("link_lost");
    expect(here.sec?.writeValueWithResponse).not.toHaveBeenCalled();
    expect(here.listeners.removed).toHaveBeenCalledExactlyOnceWith(
      "gattserverdisconnected",
      here.listeners.added.mock.calls[0]?.[1],
    );
  });
});

test("an operation unanswered for 8 s gives up the link", async () => {
  await virtually(async () => {
    const here = connected();
    const connection = here.make();
    here.info?.readValue.mockImplementationOnce(() => new Promise(() => undefined));
    expect(await codeOf(connection.read(INFO.uuid, signal))).toBe("timeout");
    expect(performance.now()).toBe(8_000);
    expect(connection.open).toBe(false);
    expect(here.gatt.disconnect).toHaveBeenCalledOnce();
  });
});

test("closing ends the link once, at once; what falls later is another's", async () => {
  const here = connected();
  const connection = here.make();
  connection.close();
  connection.close();
  expect(connection.open).toBe(false);
  expect(here.gatt.disconnect).toHaveBeenCalledOnce();
  // The same device, connected again elsewhere.
  here.gatt.connected = true;
  connection.close();
  expect(here.gatt.connected).toBe(true);
});
