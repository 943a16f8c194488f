/**
 * The plugin's `BleClient` over its native halves, as their sources have them (version 8.3.0: Device.swift, DeviceManager.swift,
 * Plugin.swift; Device.kt, BluetoothLe.kt), with the test tag in the radio's place.
 */
import type { RadioTestTag } from "../../sim/radio-check/radio-test-tag.ts";
import type { CapacitorBluetooth, CapacitorDevice, CapacitorScan } from "../capacitor.ts";

/** Default of the native halves for every operation. */
const TIMEOUT = 5_000;
/** Until the system reports that a link has ended. */
const REPORT = 20;

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

export class CapacitorNative implements CapacitorBluetooth {
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
