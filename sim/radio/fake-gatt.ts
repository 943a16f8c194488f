import { copyBytes } from "../../core/encoding/bytes.ts";
import { AttError, type GattCharacteristic, type GattPeer, type GattService } from "../tag/tag-types.ts";

/**
 * Services and characteristics as a page gets them from Web Bluetooth. A handle belongs to the connection on
 * which it was found: after a reconnect it is stale, as in a browser.
 */

/** What handles need to know of the connection they belong to. */
export interface FakeLink {
  readonly tag: GattPeer;
  /** Whether the connection on which these handles were found is still up. */
  readonly state: "live" | "stale" | "disconnected";
}

export class FakeService extends EventTarget {
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

export class FakeCharacteristic extends EventTarget {
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
export function checkLive({ state }: FakeLink, what: "Service" | "Characteristic"): void {
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
export function domException(error: AttError): DOMException {
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
export function canonicalUuid(uuid: string | number): string {
  if (typeof uuid === "string") return uuid.toLowerCase();
  return `${uuid.toString(16).padStart(8, "0")}-0000-1000-8000-00805f9b34fb`;
}
