import { type Bytes, copyBytes, utf8 } from "../../core/encoding/bytes.ts";
import { PROFILE } from "../../core/gatt/profile.ts";
import { tagName } from "../../core/gatt/tag-name.ts";
import { importTokenKeys, type TokenKeys } from "../../core/sec/token-check.ts";
import { Connection } from "./connection.ts";
import { Firmware, type Unstamped } from "./firmware.ts";
import { databaseHash, tagServices } from "./gatt-table.ts";
import {
  AttError,
  type GattCharacteristic,
  type GattService,
  type OperationKind,
  type RadioFate,
  type TagConfig,
  type TagEvent,
  type TagFaults,
  type TagSnapshot,
  type TagWorld,
  type VirtualTag,
} from "./tag-types.ts";

interface Link {
  readonly connection: Connection;
  operations: number;
  inFlight: boolean;
}

/**
 * A tag of either generation, as a central sees it over GATT (protocol.md, GATT profile and States of the
 * tag). This class is the radio side: connections, attribute operations, properties, lengths and faults. The
 * layers below it know what the values mean.
 */
export class TagSimulator implements VirtualTag {
  readonly id: string;
  readonly name: string;
  readonly faults: TagFaults = noFaults();
  readonly #world: TagWorld;
  readonly #config: TagConfig;
  readonly #firmware: Firmware;
  readonly #services: readonly GattService[];
  readonly #rows: ReadonlyMap<string, GattCharacteristic>;
  readonly #observers = new Set<(event: TagEvent) => void>();
  readonly #disconnectListeners = new Set<() => void>();
  readonly #notifyListeners = new Set<(uuid: string, value: Bytes) => void>();
  #link: Link | undefined;
  /** The connection that asked for the commit the display is working on. */
  #committing: Connection | undefined;
  #lastStatus: Bytes | undefined;
  /** What was kept last, as text to compare with. */
  #kept: string | undefined;

  /** Makes a tag; it starts IDLE and blank, and its memory lasts only as long as this object. */
  static async create(config: TagConfig, world: TagWorld): Promise<TagSimulator> {
    if (config.generation === "2.1" && config.credential === undefined)
      throw new TypeError("a v2.1 tag needs a credential");
    return new TagSimulator(config, world, await importTokenKeys(config.tokenKeys));
  }

  private constructor(config: TagConfig, world: TagWorld, tokenKeys: TokenKeys) {
    this.id = config.id;
    this.name = tagName(config.id);
    this.#services = tagServices(config.generation);
    this.#rows = new Map(
      this.#services.flatMap((service) => service.characteristics.map((row) => [row.uuid, row])),
    );
    this.#config = config;
    this.#world = world;
    this.#firmware = new Firmware(config, world, tokenKeys, this.faults, {
      emit: (event) => this.#emit(event),
      timerEnded: (name) => this.#link?.connection.timerEnded(name),
      committing: () => {
        this.#committing = this.#link?.connection;
        this.#committing?.committing();
      },
      committed: () => this.#committed(),
      lockoutOver: () => this.#welcomeBack("lockoutOver"),
      changed: () => this.#changed(),
    });
  }

  /** The table as the central knows it. */
  get services(): readonly GattService[] {
    return this.faults.outdatedTable ? tagServices("2.0") : this.#services;
  }

  // ---- link

  async connect(frame?: () => number): Promise<void> {
    if (this.#link !== undefined) throw new AttError("ALREADY_CONNECTED");
    const fate = connectFate(this.faults);
    await this.#wait(fate.delay);
    if (this.#link !== undefined) throw new AttError("ALREADY_CONNECTED");
    if (fate.fails) {
      this.#emit({ type: "link", change: "refused", by: "radio" });
      throw new AttError("CONNECT_FAILED");
    }
    this.#firmware.linkFrame = frame;
    const connection = new Connection(this.#firmware, () => this.#drop(connection, "tag"));
    this.#link = { connection, operations: 0, inFlight: false };
    this.#emit({ type: "link", change: "connected", by: "central" });
    this.#firmware.move("connect");
    this.#firmware.greet();
  }

  disconnect(): void {
    if (this.#link !== undefined) this.#drop(this.#link.connection, "central");
  }

  press(): void {
    this.#firmware.press();
  }

  reboot(): void {
    this.#firmware.restart();
    this.#committing = undefined;
    if (this.#link !== undefined) this.#drop(this.#link.connection, "tag");
  }

  #drop(connection: Connection, by: "central" | "tag" | "radio"): void {
    if (this.#link?.connection !== connection) return;
    this.#link = undefined;
    connection.lost();
    this.#emit({ type: "link", change: "disconnected", by });
    this.#firmware.move("disconnect");
    for (const listener of [...this.#disconnectListeners]) listener();
  }

  // ---- attribute operations

  async read(uuid: string): Promise<Bytes> {
    return this.#operate("read", uuid, new Uint8Array(), async (connection, row, truncate) => {
      if (!row.read) throw new AttError("READ_NOT_PERMITTED");
      const value = await this.#readRow(connection, row);
      return value.slice(0, truncate);
    });
  }

  async write(uuid: string, value: Bytes, command = false): Promise<void> {
    const sent = copyBytes(value);
    await this.#operate(command ? "command" : "write", uuid, sent, async (connection, row, truncate) => {
      if (!(command ? row.command : row.write)) throw new AttError("WRITE_NOT_PERMITTED");
      if (sent.length > this.#firmware.frame) throw new AttError("INVALID_VALUE_LENGTH");
      this.#writeRow(connection, row, sent.slice(0, truncate));
      return sent;
    });
  }

  /** One operation at a time, together with what the radio does to it. */
  async #operate(
    kind: OperationKind,
    uuid: string,
    value: Bytes,
    effect: (connection: Connection, row: GattCharacteristic, truncate: number | undefined) => Promise<Bytes>,
  ): Promise<Bytes> {
    const link = this.#link;
    if (link === undefined) throw new AttError("DISCONNECTED");
    if (link.inFlight) throw new AttError("IN_PROGRESS");
    const row = this.#rows.get(uuid);
    if (row === undefined) throw new AttError("INVALID_HANDLE");
    link.inFlight = true;
    const operation = kind === "read" ? kind : "write";
    try {
      const result = await this.#underFate(link, kind, value.length, (truncate) =>
        effect(link.connection, row, truncate),
      );
      this.#emit({ type: "gatt", operation, characteristic: row.name, value: result });
      return result;
    } catch (error) {
      if (!(error instanceof AttError)) throw error;
      this.#emit({ type: "gatt", operation, characteristic: row.name, value, error: error.code });
      throw error;
    } finally {
      link.inFlight = false;
    }
  }

  async #underFate(
    link: Link,
    kind: OperationKind,
    length: number,
    effect: (truncate: number | undefined) => Promise<Bytes>,
  ): Promise<Bytes> {
    link.operations++;
    const fate = operationFate(this.faults, link.operations, kind, length);
    await this.#wait(fate.delay);
    this.#current(link);
    if (fate.drop === "before") this.#fall(link);
    if (fate.reboot === "before") this.#losePower();
    if (fate.fails !== undefined) throw new AttError(fate.fails);
    this.#firmware.timers.touch();
    const result = await effect(fate.truncate);
    if (fate.drop === "after" || fate.reboot === "after") {
      // "After" means that the tag has carried out the operation, and the central does not know.
      await link.connection.settled();
      if (fate.drop === "after") this.#fall(link);
      this.#losePower();
    }
    this.#current(link);
    return result;
  }

  #fall(link: Link): never {
    this.#drop(link.connection, "radio");
    throw new AttError("DISCONNECTED");
  }

  #losePower(): never {
    this.reboot();
    throw new AttError("DISCONNECTED");
  }

  #current(link: Link): void {
    if (this.#link !== link) throw new AttError("DISCONNECTED");
  }

  async #readRow(connection: Connection, row: GattCharacteristic): Promise<Bytes> {
    switch (row.name) {
      case "INFO":
        return connection.readInfo();
      case "ID":
        return utf8(this.id);
      case "NONCE":
        return connection.readNonce();
      case "SEC":
        return connection.readSec();
      case "STATUS":
        return connection.readStatus();
      case "LEVEL":
        return Uint8Array.of(this.#firmware.battery);
      case "MANUFACTURER":
        return utf8("Taglatch");
      case "MODEL":
        return utf8(this.#config.model ?? `Virtual tag ${this.#config.generation}`);
      case "FIRMWARE":
        return utf8(this.#config.firmware ?? "1.0.0");
      case "DATABASE_HASH":
        return databaseHash(this.#services);
      case "CERT":
      case "AUTH":
      case "DATA":
        throw new AttError("READ_NOT_PERMITTED");
    }
  }

  #writeRow(connection: Connection, row: GattCharacteristic, value: Bytes): void {
    const { name } = row;
    if (name !== "CERT" && name !== "AUTH" && name !== "SEC" && name !== "DATA")
      throw new AttError("WRITE_NOT_PERMITTED");
    connection.write(name, value);
  }

  #wait(milliseconds: number): Promise<void> {
    if (milliseconds <= 0) return Promise.resolve();
    return new Promise((resolve) => this.#world.after(milliseconds, resolve));
  }

  // ---- what happens by itself

  /**
   * The connection that asked for the commit gets the answer; one that came later may now begin
   * (protocol.md, States of the tag).
   */
  #committed(): void {
    const asked = this.#committing;
    this.#committing = undefined;
    if (asked !== undefined && this.#link?.connection === asked) {
      asked.committed();
    } else this.#welcomeBack("disconnect");
  }

  /** A central that waited through a commit or a lockout may begin. */
  #welcomeBack(over: "disconnect" | "lockoutOver"): void {
    const waits = this.#link !== undefined && !this.#link.connection.ending;
    if (waits) this.#firmware.move(over, "connect");
    else this.#firmware.move(over);
    this.#firmware.greet();
  }

  #changed(): void {
    this.#keep();
    this.#link?.connection.changed();
    this.#notify();
  }

  /** What survives the loss of power is stored before any notification of it. */
  #keep(): void {
    const { keep } = this.#config;
    if (keep === undefined) return;
    const { memory } = this.#firmware;
    const text = JSON.stringify(memory);
    if (text === this.#kept) return;
    keep(memory);
    this.#kept = text;
  }

  /** A hint that a read of STATUS may be worthwhile; no flow depends on it. */
  #notify(): void {
    if (this.#link === undefined || this.#notifyListeners.size === 0) return;
    const value = this.#firmware.status();
    if (this.#lastStatus !== undefined && value.every((byte, i) => byte === this.#lastStatus?.[i])) return;
    this.#lastStatus = value;
    const { uuid } = PROFILE.characteristics.STATUS;
    this.#emit({ type: "gatt", operation: "notify", characteristic: "STATUS", value });
    for (const listener of [...this.#notifyListeners]) listener(uuid, value.slice());
  }

  #emit(event: Unstamped<TagEvent>): void {
    if (this.#observers.size === 0) return;
    const stamped = { at: this.#world.now(), ...event } as TagEvent;
    for (const observer of [...this.#observers]) observer(stamped);
  }

  // ---- windows

  onDisconnect(listener: () => void): () => void {
    return subscribe(this.#disconnectListeners, listener);
  }

  onNotify(listener: (uuid: string, value: Bytes) => void): () => void {
    return subscribe(this.#notifyListeners, listener);
  }

  observe(listener: (event: TagEvent) => void): () => void {
    return subscribe(this.#observers, listener);
  }

  snapshot(): TagSnapshot {
    const { state, battery, versionMin, code, display, commits, last, lockout } = this.#firmware;
    return {
      name: this.name,
      id: this.id,
      generation: this.#config.generation,
      state,
      connected: this.#link !== undefined,
      battery,
      versionMin,
      status: code,
      display: { state: display.state, content: display.content },
      commits: commits - (this.#config.commits ?? 0),
      lastDigest: last?.digest.slice() ?? null,
      mark: last?.mark.slice() ?? null,
      tokenMisses: lockout.misses,
      lockoutLeft: lockout.left,
    };
  }

  async settled(): Promise<void> {
    await this.#link?.connection.settled();
  }
}

function subscribe<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A well-behaved tag on a perfect link. */
function noFaults(): TagFaults {
  return {
    dropAt: null,
    refuseConnects: 0,
    slowDisplay: null,
    lowBattery: false,
    wrongCertificate: false,
    outdatedTable: false,
    busy: false,
    radio: null,
  };
}

/** What becomes of a connection attempt. */
function connectFate(faults: TagFaults): { readonly delay: number; readonly fails: boolean } {
  if (faults.refuseConnects > 0) {
    faults.refuseConnects--;
    return { delay: 0, fails: true };
  }
  return faults.radio?.connect() ?? { delay: 0, fails: false };
}

/**
 * What becomes of the `index`-th operation of a connection. A switch that has dropped the link turns itself
 * off.
 */
function operationFate(faults: TagFaults, index: number, kind: OperationKind, length: number): RadioFate {
  const { dropAt } = faults;
  if (dropAt?.operation === index) {
    faults.dropAt = null;
    return { delay: 0, drop: dropAt.when };
  }
  return faults.radio?.operation(index, kind, length) ?? { delay: 0 };
}
