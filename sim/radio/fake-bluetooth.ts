import { copyBytes } from "../../core/encoding/bytes.ts";
import {
  AttError,
  type GattCharacteristic,
  type GattPeer,
  type GattService,
  type TagChooser,
} from "../tag/tag-types.ts";

/**
 * Web Bluetooth over virtual tags: what a page finds under `navigator.bluetooth` where there is no radio.
 * Same shapes, same exceptions by name, same moments of failure as Chromium: what works here works there.
 */

/** A `Bluetooth` whose radio reaches exactly `tags`. */
export function fakeBluetooth<Tag extends GattPeer>(
  tags: readonly Tag[],
  choose: TagChooser<Tag>,
): Bluetooth {
  return new FakeBluetooth(tags, choose) as EventTarget as Bluetooth;
}

class FakeBluetooth<Tag extends GattPeer> extends EventTarget {
  readonly #tags: readonly Tag[];
  readonly #choose: TagChooser<Tag>;
  readonly #devices = new Map<Tag, FakeDevice>();

  constructor(tags: readonly Tag[], choose: TagChooser<Tag>) {
    super();
    this.#tags = tags;
    this.#choose = choose;
  }

  async getAvailability(): Promise<boolean> {
    return true;
  }

  async getDevices(): Promise<BluetoothDevice[]> {
    return [...this.#devices.values()].map((device) => device.asDevice());
  }

  async requestDevice(options?: RequestDeviceOptions): Promise<BluetoothDevice> {
    const { filters, allowed } = readOptions(options);
    const fitting = this.#tags.filter(
      (tag) => filters === undefined || filters.some((filter) => fits(tag, filter)),
    );
    const tag = await this.#choose(fitting);
    if (tag === undefined)
      throw new DOMException("User cancelled the requestDevice() chooser.", "NotFoundError");
    const device = this.#devices.get(tag) ?? new FakeDevice(tag, () => this.#devices.delete(tag));
    this.#devices.set(tag, device);
    device.allow(allowed);
    return device.asDevice();
  }
}

function readOptions(options: RequestDeviceOptions | undefined): {
  readonly filters: readonly BluetoothLEScanFilter[] | undefined;
  readonly allowed: readonly string[];
} {
  const filters = options !== undefined && "filters" in options ? options.filters : undefined;
  const all = options !== undefined && "acceptAllDevices" in options && options.acceptAllDevices;
  if ((filters === undefined) === !all)
    throw new TypeError("Either 'filters' or 'acceptAllDevices' is needed.");
  if (filters?.length === 0) throw new TypeError("'filters' must not be empty.");
  const named = (filters ?? []).flatMap((filter) => filter.services ?? []);
  return { filters, allowed: [...named, ...(options?.optionalServices ?? [])].map(canonicalUuid) };
}

function fits(tag: GattPeer, filter: BluetoothLEScanFilter): boolean {
  const services = tag.services.map(({ uuid }) => uuid);
  return (
    (filter.name === undefined || filter.name === tag.name) &&
    (filter.namePrefix === undefined || tag.name.startsWith(filter.namePrefix)) &&
    (filter.services ?? []).every((uuid) => services.includes(canonicalUuid(uuid)))
  );
}

/** One connection and its handles. */
class FakeConnection implements FakeLink {
  readonly tag: GattPeer;
  readonly #server: FakeServer;

  constructor(tag: GattPeer, server: FakeServer) {
    this.tag = tag;
    this.#server = server;
  }

  get state(): FakeLink["state"] {
    if (!this.#server.connected) return "disconnected";
    return this.#server.session === this ? "live" : "stale";
  }
}

class FakeDevice extends EventTarget {
  readonly id: string;
  readonly name: string;
  readonly gatt: FakeServer;
  readonly #forget: () => void;
  readonly #allowed = new Set<string>();

  constructor(tag: GattPeer, forget: () => void) {
    super();
    this.id = `virtual-${tag.id}`;
    this.name = tag.name;
    this.#forget = forget;
    this.gatt = new FakeServer(this, tag, this.#allowed);
    tag.onDisconnect(() => this.gatt.fell());
  }

  async forget(): Promise<void> {
    this.gatt.disconnect();
    this.#forget();
  }

  /** Services the page may use from now on. */
  allow(services: readonly string[]): void {
    for (const uuid of services) this.#allowed.add(uuid);
  }

  asDevice(): BluetoothDevice {
    return this as EventTarget as BluetoothDevice;
  }
}

class FakeServer {
  readonly #device: FakeDevice;
  readonly #tag: GattPeer;
  readonly #allowed: ReadonlySet<string>;
  #session: FakeConnection | undefined;
  #services: FakeService[] = [];
  /** Number of the latest attempt to connect: a disconnect aborts the ones before it. */
  #attempt = 0;

  constructor(device: FakeDevice, tag: GattPeer, allowed: ReadonlySet<string>) {
    this.#device = device;
    this.#tag = tag;
    this.#allowed = allowed;
  }

  get device(): BluetoothDevice {
    return this.#device.asDevice();
  }

  get session(): FakeConnection | undefined {
    return this.#session;
  }

  get connected(): boolean {
    return this.#session !== undefined;
  }

  async connect(): Promise<FakeServer> {
    if (this.connected) return this;
    const attempt = ++this.#attempt;
    try {
      await this.#tag.connect();
    } catch (error) {
      throw error instanceof AttError ? domException(error) : error;
    }
    if (attempt !== this.#attempt) {
      this.#tag.disconnect();
      throw new DOMException("Connection attempt was aborted.", "AbortError");
    }
    const session = new FakeConnection(this.#tag, this);
    this.#session = session;
    this.#services = this.#tag.services.map((service) => new FakeService(this.device, service, session));
    return this;
  }

  disconnect(): void {
    this.#attempt++;
    if (this.connected) this.#tag.disconnect();
  }

  /** The link ended, by either side. */
  fell(): void {
    if (!this.connected) return;
    this.#session = undefined;
    this.#services = [];
    this.#device.dispatchEvent(new Event("gattserverdisconnected", { bubbles: true }));
  }

  async getPrimaryService(uuid: BluetoothServiceUUID): Promise<FakeService> {
    const [found] = await this.getPrimaryServices(uuid);
    return found as FakeService;
  }

  async getPrimaryServices(uuid?: BluetoothServiceUUID): Promise<FakeService[]> {
    const wanted = uuid === undefined ? undefined : canonicalUuid(uuid);
    const permitted = (service: string) => this.#allowed.has(service);
    if (wanted !== undefined && !permitted(wanted)) {
      throw new DOMException("Origin is not allowed to access the service.", "SecurityError");
    }
    if (!this.connected) {
      throw new DOMException(
        "GATT Server is disconnected. Cannot retrieve services. (Re)connect first with `device.gatt.connect`.",
        "NetworkError",
      );
    }
    const found = this.#services.filter(
      (service) => permitted(service.uuid) && (wanted ?? service.uuid) === service.uuid,
    );
    if (found.length === 0)
      throw new DOMException(`No Services matching UUID ${wanted} found in Device.`, "NotFoundError");
    return found;
  }
}

/**
 * Services and characteristics as a page gets them. A handle belongs to the connection on
 * which it was found: after a reconnect it is stale, as in a browser.
 */

/** What handles need to know of the connection they belong to. */
interface FakeLink {
  readonly tag: GattPeer;
  /** Whether the connection on which these handles were found is still up. */
  readonly state: "live" | "stale" | "disconnected";
}

class FakeService extends EventTarget {
  readonly device: BluetoothDevice;
  readonly uuid: string;
  readonly isPrimary = true;
  readonly #link: FakeLink;
  readonly #characteristics: readonly FakeCharacteristic[];

  constructor(device: BluetoothDevice, service: GattService, link: FakeLink) {
    super();
    this.device = device;
    this.uuid = service.uuid;
    this.#link = link;
    this.#characteristics = service.characteristics.map((row) => new FakeCharacteristic(this, row, link));
  }

  async getCharacteristic(uuid: BluetoothCharacteristicUUID): Promise<FakeCharacteristic> {
    const [found] = await this.getCharacteristics(uuid);
    return found as FakeCharacteristic;
  }

  async getCharacteristics(uuid?: BluetoothCharacteristicUUID): Promise<FakeCharacteristic[]> {
    checkLive(this.#link, "Service");
    const wanted = uuid === undefined ? undefined : canonicalUuid(uuid);
    const found = this.#characteristics.filter((each) => wanted === undefined || each.uuid === wanted);
    if (found.length === 0)
      throw new DOMException(`No Characteristics matching UUID ${wanted} found.`, "NotFoundError");
    return found;
  }
}

class FakeCharacteristic extends EventTarget {
  readonly service: FakeService;
  readonly uuid: string;
  readonly properties: BluetoothCharacteristicProperties;
  value: DataView | undefined;
  readonly #link: FakeLink;
  #stopNotifications: (() => void) | undefined;

  constructor(service: FakeService, row: GattCharacteristic, link: FakeLink) {
    super();
    this.service = service;
    this.uuid = row.uuid;
    this.#link = link;
    this.properties = {
      broadcast: false,
      read: row.read,
      writeWithoutResponse: row.command === true,
      write: row.write,
      notify: row.notify,
      indicate: false,
      authenticatedSignedWrites: false,
      reliableWrite: false,
      writableAuxiliaries: false,
    };
  }

  async readValue(): Promise<DataView> {
    const bytes = await this.#operation(() => this.#link.tag.read(this.uuid));
    return this.#changed(bytes);
  }

  writeValueWithResponse(value: BufferSource): Promise<void> {
    return this.#write(value, false);
  }

  async #write(value: BufferSource, command: boolean): Promise<void> {
    const bytes = copyBytes(value as ArrayBuffer | ArrayBufferView);
    if (bytes.length > LONGEST)
      throw new DOMException("Value can't exceed 512 bytes.", "InvalidModificationError");
    await this.#operation(() => this.#link.tag.write(this.uuid, bytes, command));
  }

  async writeValue(value: BufferSource): Promise<void> {
    return this.writeValueWithResponse(value);
  }

  writeValueWithoutResponse(value: BufferSource): Promise<void> {
    return this.#write(value, true);
  }

  async startNotifications(): Promise<FakeCharacteristic> {
    checkLive(this.#link, "Characteristic");
    if (!this.properties.notify) throw new DOMException("GATT Error: Not supported.", "NotSupportedError");
    this.#stopNotifications ??= this.#link.tag.onNotify((uuid, bytes) => {
      if (uuid === this.uuid && this.#link.state === "live") this.#changed(bytes);
    });
    return this;
  }

  async stopNotifications(): Promise<FakeCharacteristic> {
    this.#stopNotifications?.();
    this.#stopNotifications = undefined;
    return this;
  }

  /** Sets `value` and notifies listeners: a read does so as well as a notification. */
  #changed(bytes: Uint8Array): DataView {
    this.value = new DataView(copyBytes(bytes).buffer);
    this.dispatchEvent(new Event("characteristicvaluechanged", { bubbles: true }));
    return this.value;
  }

  async #operation<Result>(operation: () => Promise<Result>): Promise<Result> {
    checkLive(this.#link, "Characteristic");
    try {
      return await operation();
    } catch (error) {
      throw error instanceof AttError ? domException(error) : error;
    }
  }
}

/** Longest value that Web Bluetooth accepts. */
const LONGEST = 512;

/** What a browser throws where the handle's connection is gone (names as Chromium gives them). */
function checkLive({ state }: FakeLink, what: "Service" | "Characteristic"): void {
  if (state === "disconnected") {
    throw new DOMException(
      "GATT Server is disconnected. Cannot perform GATT operations. (Re)connect first with `device.gatt.connect`.",
      "NetworkError",
    );
  }
  if (state === "stale") {
    throw new DOMException(
      `${what} is no longer valid. Remember to retrieve it again after reconnecting.`,
      "InvalidStateError",
    );
  }
}

/** The exception that a browser throws for a failed operation. */
function domException(error: AttError): DOMException {
  switch (error.code) {
    case "INVALID_HANDLE":
      return new DOMException("GATT Error: invalid handle.", "InvalidStateError");
    case "READ_NOT_PERMITTED":
    case "WRITE_NOT_PERMITTED":
      return new DOMException("GATT operation not permitted.", "NotSupportedError");
    case "INVALID_VALUE_LENGTH":
      return new DOMException("GATT Error: invalid attribute length.", "InvalidModificationError");
    case "UNLIKELY_ERROR":
      return new DOMException("GATT operation failed for unknown reason.", "NotSupportedError");
    case "IN_PROGRESS":
      return new DOMException("GATT operation already in progress.", "NetworkError");
    case "DISCONNECTED":
      return new DOMException("GATT Server is disconnected. Cannot perform GATT operations.", "NetworkError");
    case "CONNECT_FAILED":
      return new DOMException("Connection attempt failed.", "NetworkError");
    case "ALREADY_CONNECTED":
      return new DOMException("Connection already in progress.", "NetworkError");
  }
}

/** A UUID in the form that handles have, from a 16-bit alias or a full text. */
function canonicalUuid(uuid: string | number): string {
  if (typeof uuid === "string") return uuid.toLowerCase();
  return `${uuid.toString(16).padStart(8, "0")}-0000-1000-8000-00805f9b34fb`;
}
