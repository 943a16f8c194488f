/** The radio over Capacitor's plugin: over its native halves as their sources have them, and over its own web half. */

import { BleClient } from "@capacitor-community/bluetooth-le";
import { afterEach, describe, expect, test, vi } from "vitest";
import { checkRadio, RadioTestTag } from "../sim/install.ts";
import { fakeBluetooth } from "../sim/radio/fake-bluetooth.ts";
import { VirtualTime } from "../sim/test-support/virtual-time.ts";
import {
  type CapacitorBluetooth,
  type CapacitorDevice,
  type CapacitorRadioOptions,
  type CapacitorScan,
  capacitorRadio,
} from "./capacitor.ts";
import { TAG_PROFILE, type TagRadio } from "./index.ts";

/**
 * The plugin's `BleClient` over its native halves, as their sources have them (version 8.3.0: Device.swift, DeviceManager.swift,
 * Plugin.swift; Device.kt, BluetoothLe.kt), with the test tag in the radio's place.
 */

/** Default of the native halves for every operation. */
const TIMEOUT = 5_000;
/** Until the system reports that a link has ended. */
const REPORT = 20;

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

class CapacitorNative implements CapacitorBluetooth {
  /** As in the system's settings. */
  enabled = true;
  /** What `initialize` rejects with. */
  refusal: string | undefined;
  /** What the next chooser does. */
  choice: "first" | "close" | "stay open" = "first";
  /** Whether a scan finds the tag. */
  advertises = true;
  /** How often. */
  initialized = 0;
  readonly choosers: CapacitorScan[] = [];
  scans = 0;
  queue = true;
  readonly device: Required<CapacitorDevice>;
  readonly #platform: "ios" | "android";
  readonly #tag: RadioTestTag;
  #connecting: Promise<void> | undefined;
  #disconnected: ((deviceId: string) => void) | undefined;

  constructor(platform: "ios" | "android", tag: RadioTestTag) {
    this.#platform = platform;
    this.#tag = tag;
    this.device = {
      deviceId: platform === "ios" ? "6E400001-B5A3-4393-A0A9-E50E24DCCA9E" : "C0:11:22:33:44:55",
      name: tag.name,
    };
    tag.onDisconnect(async () => {
      await pause(REPORT);
      const listener = this.#disconnected;
      // DeviceManager.swift removes the callback as it resolves it.
      if (platform === "ios") this.#disconnected = undefined;
      listener?.(this.device.deviceId);
    });
  }

  disableQueue(): void {
    this.queue = false;
  }

  async isEnabled(): Promise<boolean> {
    if (this.initialized === 0) throw new Error("Bluetooth LE not initialized.");
    return this.enabled;
  }

  async initialize(): Promise<void> {
    if (this.refusal !== undefined) throw new Error(this.refusal);
    // Another CBCentralManager; the first one goes, with its connections.
    if (++this.initialized > 1 && this.#platform === "ios") this.#tag.disconnect();
  }

  async requestDevice(options: CapacitorScan) {
    this.choosers.push(options);
    if (this.choice === "close") throw new Error("requestDevice cancelled.");
    if (this.choice === "stay open") await new Promise(() => undefined);
    return this.device;
  }

  async requestLEScan(_options: CapacitorScan, found: (result: { device: CapacitorDevice }) => void) {
    this.scans++;
    if (this.advertises) setTimeout(() => found({ device: this.device }), 100);
  }

  async stopLEScan(): Promise<void> {
    this.scans--;
  }

  async getDevices(deviceIds: string[]) {
    if (this.#platform === "android") return deviceIds.map((deviceId) => ({ deviceId }));
    return deviceIds.includes(this.device.deviceId) ? [this.device] : [];
  }

  async connect(_deviceId: string, disconnected: (deviceId: string) => void): Promise<void> {
    this.#disconnected = disconnected;
    this.#connecting ??= this.#tag.connect().finally(() => {
      this.#connecting = undefined;
    });
    await within(this.#connecting, 10_000, "Connection timeout.").catch((cause) => {
      this.#tag.disconnect();
      throw cause;
    });
  }

  async disconnect(): Promise<void> {
    // The plugin withdraws no attempt on iOS; on Android the system may never report the end of one.
    if (this.#connecting !== undefined) {
      if (this.#platform === "ios") return;
      this.#tag.disconnect();
      await pause(TIMEOUT);
      throw new Error("Disconnection timeout.");
    }
    this.#tag.disconnect();
    await pause(REPORT + 1);
  }

  async getServices() {
    this.#mustBeUp();
    return this.#tag.services.map(({ uuid, characteristics }) => ({
      uuid,
      characteristics: characteristics.map(({ command, ...row }) => ({
        uuid: row.uuid,
        properties: { ...row, writeWithoutResponse: command === true },
      })),
    }));
  }

  async discoverServices(): Promise<void> {
    this.#mustBeUp();
  }

  async read(...[, service, uuid, { timeout }]: Parameters<CapacitorBluetooth["read"]>) {
    const value = await this.#operation(timeout, service, uuid, () => this.#tag.read(uuid));
    return new DataView(value.slice().buffer);
  }

  write(...[, service, uuid, value, { timeout }]: Parameters<CapacitorBluetooth["write"]>) {
    return this.#operation(timeout, service, uuid, () => this.#tag.write(uuid, bytesOf(value), false));
  }

  writeWithoutResponse(...[, service, uuid, value, { timeout }]: Parameters<CapacitorBluetooth["write"]>) {
    return this.#operation(timeout, service, uuid, () => this.#tag.write(uuid, bytesOf(value), true));
  }

  /** One that is in flight when the link falls waits for its time limit. */
  async #operation<T>(timeout = TIMEOUT, service: string, uuid: string, work: () => Promise<T>): Promise<T> {
    this.#mustBeUp();
    const offered = this.#tag.services.find((each) => each.uuid === service)?.characteristics ?? [];
    if (!offered.some((each) => each.uuid === uuid)) throw new Error("Characteristic not found.");
    const done = work().catch(() => {
      if (!this.#tag.connected) return new Promise<never>(() => undefined);
      throw new Error("Reading characteristic failed.");
    });
    return within(done, timeout, "Read timeout.");
  }

  #mustBeUp(): void {
    if (!this.#tag.connected) throw new Error("Not connected to device.");
  }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: DataView) =>
  new Uint8Array(buffer, byteOffset, byteLength).slice();

function within<T>(work: Promise<T>, milliseconds: number, message: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(message)), milliseconds);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

const PLATFORMS = ["ios", "android"] as const;
const signal = new AbortController().signal;
const noRetry = () => undefined;

afterEach(() => void vi.unstubAllGlobals());

const failuresOf = (radio: TagRadio, tag: RadioTestTag) =>
  new VirtualTime(1).run(1_500_000, async () => {
    const { checks } = await checkRadio(radio, { tag });
    return checks.filter(({ outcome }) => outcome === "failed");
  });

/** A radio over the plugin's half for `platform`, in an app that stored the ids that `options` names. */
function over(platform: (typeof PLATFORMS)[number], options: CapacitorRadioOptions = {}) {
  vi.stubGlobal("Capacitor", { getPlatform: () => platform });
  const tag = new RadioTestTag();
  const native = new CapacitorNative(platform, tag);
  return { tag, native, radio: capacitorRadio(native, options) };
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    ({ code }) => code,
  );

test.each(PLATFORMS)("the radio passes every check over the plugin's half for %s", async (platform) => {
  const { radio, tag, native } = over(platform);
  expect(await failuresOf(radio, tag)).toEqual([]);
  expect([native.initialized, native.choosers.length, native.queue]).toEqual([1, 1, false]);
});

test("the radio passes every check over the plugin itself and its half for browsers", async () => {
  const tag = new RadioTestTag();
  vi.stubGlobal("navigator", { bluetooth: fakeBluetooth([tag], async ([first]) => first) });
  expect(await failuresOf(capacitorRadio(BleClient), tag)).toEqual([]);
});

test("with the plugin's queue a link outlives its cancelled operation: the queue must be off", async () => {
  const tag = new RadioTestTag();
  vi.stubGlobal("navigator", { bluetooth: fakeBluetooth([tag], async ([first]) => first) });
  const radio = capacitorRadio(BleClient);
  BleClient.enableQueue();
  expect(await failuresOf(radio, tag)).toContainEqual(
    expect.objectContaining({ name: expect.stringContaining("a write in flight is cancelled at once") }),
  );
});

describe.each(PLATFORMS)("choosing on %s", (platform) => {
  test("shows tags alone, or the one whose id was asked for", async () => {
    const { radio, native } = over(platform);
    await radio.choose(undefined, signal);
    await radio.choose("ebt-21-0042", signal);
    const services = [TAG_PROFILE.service];
    expect(native.choosers).toEqual([
      expect.objectContaining({ services }),
      expect.objectContaining({ services, name: "EBT-0042" }),
    ]);
  });

  test.each([
    ["BLE permission denied", "permission_refused"],
    ["Permission denied.", "permission_refused"],
    ["BLE unsupported", "unsupported"],
    ["BLE is not supported.", "unsupported"],
  ])("says of %j: %s, and asks again the next time", async (refusal, code) => {
    const { radio, native } = over(platform);
    native.refusal = refusal;
    expect(await codeOf(radio.choose(undefined, signal))).toBe(code);
    native.refusal = undefined;
    expect(await codeOf(radio.choose(undefined, signal))).toBe("done");
  });

  test("says where Bluetooth is off, and works once it is on", async () => {
    const { radio, native } = over(platform);
    native.enabled = false;
    expect(await codeOf(radio.choose(undefined, signal))).toBe("bluetooth_off");
    native.enabled = true;
    expect(await codeOf(radio.choose(undefined, signal))).toBe("done");
  });

  test("ends as cancelled, by the person or by the signal; the scan then ends", async () => {
    const { radio, native } = over(platform);
    native.choice = "close";
    expect(await codeOf(radio.choose(undefined, signal))).toBe("cancelled");
    native.choice = "stay open";
    const controller = new AbortController();
    const choosing = codeOf(radio.choose(undefined, controller.signal));
    await vi.waitFor(() => expect(native.choosers).toHaveLength(2));
    controller.abort();
    expect([await choosing, native.scans]).toEqual(["cancelled", -1]);
  });

  test("another failure of the chooser is one of the radio", async () => {
    const { radio, native } = over(platform);
    vi.spyOn(native, "requestDevice").mockRejectedValue(new Error("Already scanning. Stopping now."));
    expect(await codeOf(radio.choose(undefined, signal))).toBe("operation_refused");
  });

  test("leaves an app's own initialization alone", async () => {
    const { radio, native } = over(platform);
    await native.initialize();
    await radio.choose(undefined, signal);
    expect(native.initialized).toBe(1);
  });
});

describe.each(PLATFORMS)("a tag of an earlier run on %s", (platform) => {
  const earlier = () => {
    const ids: string[] = [];
    const scene = over(platform, { deviceIds: () => ids });
    const { deviceId } = scene.native.device;
    ids.push(deviceId);
    return { ...scene, deviceId };
  };

  test("is remembered, and connects once it advertises", async () => {
    const { radio, native, deviceId } = earlier();
    expect((await radio.remembered()).map((link) => link.deviceId)).toEqual([deviceId]);
    const link = await radio.find(deviceId);
    const connection = await link?.connect(signal, noRetry);
    expect([connection?.open, link?.name, native.scans]).toEqual([true, native.device.name, 0]);
  });

  test("is out of reach where it does not advertise within 5 s", async () => {
    const { radio, native, deviceId } = earlier();
    native.advertises = false;
    const link = await radio.find(deviceId);
    const time = new VirtualTime(1);
    const code = await time.run(10_000, () => codeOf(link?.connect(signal, noRetry) ?? Promise.resolve()));
    expect([code, native.scans]).toEqual(["out_of_reach", 0]);
    expect(time.world.now()).toBeLessThan(5_100);
  });

  test("is none where the app stored none: the plugin is not even initialized", async () => {
    const { radio, native } = over(platform);
    expect([await radio.remembered(), await radio.find("any"), native.initialized]).toEqual([
      [],
      undefined,
      0,
    ]);
  });
});

test.each(PLATFORMS)(
  "a device without the tag service is no tag, on %s, also read again",
  async (platform) => {
    const { radio, native } = over(platform);
    vi.spyOn(native, "getServices").mockResolvedValue([]);
    const link = await radio.choose(undefined, signal);
    expect(await new VirtualTime(1).run(20_000, () => codeOf(link.connect(signal, noRetry)))).toBe(
      "not_a_tag",
    );
  },
);

describe.each(PLATFORMS)("a link on %s", (platform) => {
  test("that is made right after another's end outlives its report, and falls by itself", async () => {
    const { radio, tag } = over(platform);
    await new VirtualTime(1).run(20_000, async () => {
      const link = await radio.choose(undefined, signal);
      (await link.connect(signal, noRetry)).close();
      const next = await link.connect(signal, noRetry);
      await pause(100);
      expect(next.open).toBe(true);
      tag.fall();
      await pause(100);
      expect(next.open).toBe(false);
    });
  });

  test("that falls during discovery is closed", async () => {
    const { radio, tag, native } = over(platform);
    const services = native.getServices.bind(native);
    vi.spyOn(native, "getServices").mockImplementation(async () => {
      const found = await services();
      tag.fall();
      await pause(100);
      return found;
    });
    const link = await radio.choose(undefined, signal);
    expect((await link.connect(signal, noRetry)).open).toBe(false);
  });

  test("writes without response where the plugin waits for the system's queue: Android", async () => {
    const { radio } = over(platform);
    const connection = await (await radio.choose(undefined, signal)).connect(signal, noRetry);
    expect(connection.sparesResponses?.(TAG_PROFILE.characteristics.DATA.uuid)).toBe(platform === "android");
  });
});

test("the plugin's client is what the radio takes", () => {
  const client: CapacitorBluetooth = BleClient;
  expect(client).toBe(BleClient);
});
