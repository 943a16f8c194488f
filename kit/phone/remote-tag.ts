/**
 * A tag as a central's host stack finds it on the air: the peer that the fake Web Bluetooth connects to, with
 * nothing between the two but ATT.
 */
import bleHost, {
  type AdvertisingReport,
  type Connection,
  type ConnectionParameters,
  type FoundCharacteristic,
  type FoundService,
  type Manager,
} from "ble-host";
import { type Bytes, copyBytes } from "../../core/encoding/bytes.ts";
import { PROFILE } from "../../core/gatt/profile.ts";
import { tagServices } from "../../sim/tag/gatt-table.ts";
import {
  ATT_ERROR_NUMBER,
  AttError,
  type AttErrorCode,
  type GattPeer,
  type GattService,
} from "../../sim/tag/tag-types.ts";

const NAMES = new Map(
  tagServices("2.1").flatMap(({ characteristics }) => characteristics.map(({ uuid, name }) => [uuid, name])),
);
const INFO = PROFILE.characteristics.INFO.uuid;
const SMALLEST_MTU = 23;
const LATER: readonly RemoteTagOptions["exchangesMtu"][] = ["afterInfo", "never"];
const FOUND_WITHIN = 5_000;
/** A page gives up after 12 s; by then this has to have come to an end. */
const CONNECTED = 10_000;

export interface RemoteTagOptions {
  /**
   * When the central asks for a longer MTU: as soon as it is connected (the default), only after it has read INFO,
   * or never: then it stays at 23.
   */
  readonly exchangesMtu?: "first" | "afterInfo" | "never";
  /** After each read it asks for more, as a stack does that takes a full packet for a part of a longer value. */
  readonly asksForMore?: boolean;
  /** Milliseconds in which a tag has to be found; default 5,000. */
  readonly within?: number;
}

/** The first tag that advertises. */
export async function findTag(manager: Manager, options: RemoteTagOptions = {}): Promise<RemoteTag> {
  const filter = new bleHost.BleManager.ServiceUUIDScanFilter(PROFILE.service.toUpperCase());
  const scanner = manager.startScan({ scanFilters: [filter] });
  const { promise, resolve, reject } = Promise.withResolvers<AdvertisingReport>();
  const late = () => reject(new Error("no tag was found"));
  const timer = setTimeout(late, options.within ?? FOUND_WITHIN);
  scanner.on("report", resolve);
  try {
    return new RemoteTag(manager, await promise, options);
  } finally {
    clearTimeout(timer);
    scanner.stopScan();
  }
}

export class RemoteTag implements GattPeer {
  readonly name: string;
  readonly id: string;
  services: readonly GattService[];
  /** Writes without response so far. */
  commands = 0;
  readonly #manager: Manager;
  readonly #report: AdvertisingReport;
  readonly #options: RemoteTagOptions;
  readonly #fallListeners = new Set<() => void>();
  readonly #notifyListeners = new Set<(uuid: string, value: Bytes) => void>();
  readonly #found = new Map<string, FoundCharacteristic>();
  #connection: Connection | undefined;
  #requests: readonly ConnectionParameters[] = [];
  #fell: Promise<never> = Promise.race([]);
  #ended: () => void = () => undefined;
  /** Resolves once the controller has ended the last connection. */
  #gone: Promise<unknown> = Promise.resolve();

  constructor(manager: Manager, report: AdvertisingReport, options: RemoteTagOptions) {
    this.#manager = manager;
    this.#report = report;
    this.#options = options;
    this.name = report.parsedDataItems.localName ?? "";
    this.id = report.address;
    const uuids = report.parsedDataItems.serviceUuids ?? [];
    this.services = uuids.map((uuid) => ({ uuid: uuid.toLowerCase(), characteristics: [] }));
  }

  /** Of the connection there is. */
  get mtu(): number {
    return this.#connection?.gatt.currentMtu ?? 0;
  }

  /** What the tag has asked for on this connection, in order. */
  get requests(): readonly ConnectionParameters[] {
    return this.#requests;
  }

  #characteristic(uuid: string): FoundCharacteristic {
    const found = this.#found.get(uuid);
    if (found === undefined) throw new AttError("INVALID_HANDLE");
    return found;
  }

  async connect(): Promise<void> {
    await this.#gone;
    const connection = await this.#reach();
    this.#connection = connection;
    this.#requests = [];
    connection.on(
      "updateConnParamsRequest",
      (wanted: ConnectionParameters, answer: (agrees: boolean) => void) => {
        this.#requests = [...this.#requests, wanted];
        answer(true);
        connection.updateConnParams(wanted);
      },
    );
    const { promise, reject } = Promise.withResolvers<never>();
    this.#fell = promise;
    promise.catch(() => undefined);
    this.#ended = () => {
      if (this.#connection !== connection) return;
      this.#connection = undefined;
      this.#found.clear();
      reject(new AttError("DISCONNECTED"));
      for (const listener of [...this.#fallListeners]) listener();
    };
    this.#gone = new Promise((resolve) => connection.on("disconnect", resolve));
    connection.on("disconnect", this.#ended);
    if (!LATER.includes(this.#options.exchangesMtu)) await this.#exchangeMtu(connection);
    await this.#discover(connection);
    // The link may have fallen in the very turn that brought the last answer.
    if (this.#connection !== connection) throw new AttError("DISCONNECTED");
  }

  #reach(): Promise<Connection> {
    const { addressType, address } = this.#report;
    const { promise, resolve, reject } = Promise.withResolvers<Connection>();
    const pending = this.#manager.connect(addressType, address, {}, resolve);
    const timer = setTimeout(() => {
      pending.cancel();
      reject(new AttError("CONNECT_FAILED"));
    }, CONNECTED);
    return promise.finally(() => clearTimeout(timer));
  }

  async #discover(connection: Connection): Promise<void> {
    const services = await this.#unlessFallen<FoundService[]>((done) =>
      connection.gatt.discoverAllPrimaryServices(done),
    );
    const rows: GattService[] = [];
    for (const service of services) {
      const found = await this.#unlessFallen<FoundCharacteristic[]>((done) =>
        service.discoverCharacteristics(done),
      );
      rows.push({
        uuid: service.uuid.toLowerCase(),
        characteristics: found.flatMap((each) => this.#row(each)),
      });
    }
    this.services = rows;
  }

  #row(found: FoundCharacteristic) {
    const uuid = found.uuid.toLowerCase();
    const name = NAMES.get(uuid);
    if (name === undefined) return [];
    this.#found.set(uuid, found);
    const { read, write, writeWithoutResponse: command, notify } = found.properties;
    return [{ uuid, name, read, write, command, notify }];
  }

  /** As in a browser the connection is over at once for who ends it, while the controllers still part. */
  disconnect(): void {
    this.#connection?.disconnect();
    this.#ended();
  }

  async read(uuid: string): Promise<Bytes> {
    const value = await this.#asked<Buffer>((done) => this.#characteristic(uuid).read(done));
    if (this.#options.asksForMore) await this.readOn(uuid, value.length).catch(() => undefined);
    if (uuid === INFO && this.#options.exchangesMtu === "afterInfo" && this.mtu === SMALLEST_MTU)
      await this.#exchangeMtu(this.#connection as Connection);
    return copyBytes(value);
  }

  /** A long read from `offset` on: Read Blob. */
  async readOn(uuid: string, offset: number): Promise<Bytes> {
    return copyBytes(await this.#asked<Buffer>((done) => this.#characteristic(uuid).readLong(offset, done)));
  }

  /** The number with which the tag refuses to pair. */
  async pair(): Promise<number> {
    const { smp } = this.#connection as Connection;
    const { promise, resolve } = Promise.withResolvers<number>();
    smp.on("pairingFail", resolve);
    smp.sendPairingRequest({ bondingFlags: 1 });
    return promise;
  }

  #exchangeMtu(connection: Connection): Promise<null> {
    return this.#asked((done) => connection.gatt.exchangeMtu((error) => done(error, null)));
  }

  async write(uuid: string, value: Bytes, command = false): Promise<void> {
    const bytes = Buffer.from(value);
    if (command) {
      this.commands++;
      await this.#unlessFallen<void>((done) => this.#characteristic(uuid).writeWithoutResponse(bytes, done));
    } else await this.#asked((done) => this.#characteristic(uuid).write(bytes, (error) => done(error, null)));
  }

  onDisconnect(listener: () => void): () => void {
    this.#fallListeners.add(listener);
    return () => this.#fallListeners.delete(listener);
  }

  onNotify(listener: (uuid: string, value: Bytes) => void): () => void {
    this.#notifyListeners.add(listener);
    return () => this.#notifyListeners.delete(listener);
  }

  /** Turns the notifications of `uuid` on or off, as `startNotifications` of a browser does. */
  async subscribe(uuid: string, isOn: boolean): Promise<void> {
    const found = this.#characteristic(uuid);
    found.removeAllListeners("change");
    if (isOn)
      found.on("change", (value: Buffer) => {
        for (const listener of [...this.#notifyListeners]) listener(uuid, copyBytes(value));
      });
    await this.#asked((done) => found.writeCCCD(isOn, false, (error) => done(error, null)));
  }

  /** One answer of the stack, which never calls back once the link has fallen. */
  #unlessFallen<Value>(ask: (done: (value: Value) => void) => void): Promise<Value> {
    if (this.#connection === undefined) return Promise.reject(new AttError("DISCONNECTED"));
    return Promise.race([new Promise<Value>((resolve) => ask(resolve)), this.#fell]);
  }

  async #asked<Value>(ask: (done: (error: number, value: Value) => void) => void): Promise<Value> {
    const [error, value] = await this.#unlessFallen<readonly [number, Value]>((done) =>
      ask((...answer) => done(answer)),
    );
    if (error !== 0) throw new AttError(codeOf(error));
    return value;
  }
}

function codeOf(number: number): AttErrorCode {
  const codes = Object.keys(ATT_ERROR_NUMBER) as AttErrorCode[];
  return codes.find((code) => ATT_ERROR_NUMBER[code] === number) ?? "UNLIKELY_ERROR";
}
