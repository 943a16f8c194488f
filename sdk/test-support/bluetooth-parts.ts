/** The browser's half of a link, part by part, each doing what a test says. */
import { vi } from "vitest";

export const failure = (name: string) => new DOMException("any message", name);

type Step = DOMException | "done";

export interface BrowserScript {
  /** How attempts to connect end, one after the other; what is not given never ends. */
  readonly attempts?: readonly Step[];
  /** How the discovery of each attempt ends, where it does not find everything. */
  readonly discoveries?: readonly Step[];
  readonly characteristics?: readonly string[];
  readonly name?: string;
}

export type FakeCharacteristic = ReturnType<typeof characteristicOf>;

function characteristicOf(uuid: string) {
  return {
    uuid,
    properties: { read: true, write: false, notify: true } as BluetoothCharacteristicProperties,
    readValue: vi.fn(async () => new DataView(Uint8Array.of(1, 2, 3).buffer)),
    writeValueWithResponse: vi.fn(async (_value: BufferSource) => undefined),
    writeValueWithoutResponse: vi.fn(async (_value: BufferSource) => undefined),
  };
}

/** A device and its GATT server. */
export function browserDevice(script: BrowserScript = {}) {
  const attempts = [...(script.attempts ?? ["done" as const])];
  const discoveries = [...(script.discoveries ?? [])];
  const characteristics = new Map(
    (script.characteristics ?? []).map((uuid) => [uuid, characteristicOf(uuid)]),
  );
  const late = new Map<string, FakeCharacteristic>();
  const getCharacteristics = vi.fn(async () => [...characteristics.values()]);
  const getCharacteristic = vi.fn(async (uuid: string) => {
    const made = late.get(uuid) ?? characteristicOf(uuid);
    late.set(uuid, made);
    return made;
  });
  const getPrimaryService = vi.fn(async (_service: string) => {
    const step = discoveries.shift() ?? "done";
    if (step !== "done") throw step;
    return { getCharacteristics, getCharacteristic };
  });
  const gatt = {
    connected: false,
    getPrimaryService,
    disconnect: vi.fn(() => {
      gatt.connected = false;
    }),
    connect: vi.fn(async () => {
      const step = attempts.shift();
      if (step === undefined) return new Promise<never>(() => undefined);
      if (step !== "done") throw step;
      gatt.connected = true;
      return gatt;
    }),
  };
  const target = new EventTarget();
  const listeners = {
    added: vi.spyOn(target, "addEventListener"),
    removed: vi.spyOn(target, "removeEventListener"),
  };
  const device = Object.assign(target, { id: "d", name: script.name, gatt });
  const fall = () => {
    gatt.connected = false;
    device.dispatchEvent(new Event("gattserverdisconnected"));
  };
  return { device, gatt, characteristics, late, getCharacteristic, listeners, fall };
}

export const asDevice = (device: object): BluetoothDevice => device as BluetoothDevice;
