/** A device with a tag's GATT table that does with each operation what a check of a radio asks, and has no protocol. */
import { type Bytes, copyBytes, utf8 } from "../../core/encoding/bytes.ts";
import { PROFILE } from "../../core/gatt/profile.ts";
import { tagName } from "../../core/gatt/tag-name.ts";
import { encodeInfo } from "../../core/gatt/values.ts";
import { tagServices } from "../tag/gatt-table.ts";
import { AttError, type GattPeer } from "../tag/tag-types.ts";

const { characteristics, battery, deviceInformation } = PROFILE;

/** One operation as it arrived at the tag. */
export interface ArrivedOperation {
  readonly kind: "read" | "write" | "command";
  readonly uuid: string;
  readonly value: Bytes;
}

/** What the tag does with an operation before it takes effect; a rejection is the tag's refusal. */
export type Reaction = (kind: ArrivedOperation["kind"], uuid: string) => Promise<void> | void;

/** Milliseconds on the air: long enough that operations of a radio without a queue overlap. */
const ON_THE_AIR = 5;

/**
 * The tag for `checkRadio`, to be reached through a stand-in of the platform's plugin. The stand-in calls `connect`,
 * `disconnect`, `read`, `write` and `onDisconnect` and hands out `services`; all else is the check's.
 */
export class RadioTestTag implements GattPeer {
  readonly id = "radio-check-0001";
  readonly name = tagName(this.id);
  readonly services = tagServices("2.1");
  /** @internal */
  readonly values = new Map<string, Bytes>();
  /** @internal */
  arrived: ArrivedOperation[] = [];
  /** @internal The most operations that were in flight at once. */
  mostInFlight = 0;
  /** @internal */
  reaction: Reaction | undefined;
  /** @internal How many of the next attempts to connect fail. */
  refuseConnects = 0;
  /** @internal How many of the next connections fall as soon as they are made. */
  fallAtConnect = 0;
  /** @internal Milliseconds until an attempt succeeds; infinite for never. */
  connectDelay = ON_THE_AIR;
  /** @internal */
  connected = false;
  #inFlight = 0;
  #isConnecting = false;
  readonly #listeners = new Set<() => void>();
  readonly #waiting = new Set<(error: AttError) => void>();

  constructor() {
    this.reset();
  }

  /** @internal Disconnects, and behaves again. */
  reset(): void {
    this.#end("CONNECT_FAILED");
    Object.assign(this, { arrived: [], mostInFlight: 0, reaction: undefined });
    Object.assign(this, { refuseConnects: 0, fallAtConnect: 0, connectDelay: ON_THE_AIR });
    this.values.set(characteristics.INFO.uuid, this.#info());
    this.values.set(characteristics.ID.uuid, utf8(this.id));
    this.values.set(battery.characteristics.LEVEL.uuid, Uint8Array.of(87));
    this.values.set(deviceInformation.characteristics.FIRMWARE.uuid, utf8("1.0.0"));
  }

  async connect(): Promise<void> {
    if (this.connected || this.#isConnecting) throw new AttError("ALREADY_CONNECTED");
    this.#isConnecting = true;
    await this.#pause(this.connectDelay).finally(() => {
      this.#isConnecting = false;
    });
    if (this.refuseConnects-- > 0) throw new AttError("CONNECT_FAILED");
    this.connected = true;
    if (this.fallAtConnect-- > 0) setTimeout(() => this.fall());
  }

  disconnect(): void {
    this.#end("DISCONNECTED");
  }

  /** @internal The link falls, as when the phone is carried away. */
  fall(): void {
    this.#end("DISCONNECTED");
  }

  async read(uuid: string): Promise<Bytes> {
    await this.#operation({ kind: "read", uuid, value: new Uint8Array() });
    return copyBytes(this.values.get(uuid) ?? new Uint8Array());
  }

  write(uuid: string, value: Bytes, command = false): Promise<void> {
    return this.#operation({ kind: command ? "command" : "write", uuid, value: copyBytes(value) });
  }

  onDisconnect(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onNotify(): () => void {
    return () => undefined;
  }

  async #operation(operation: ArrivedOperation): Promise<void> {
    if (!this.connected) throw new AttError("DISCONNECTED");
    if (!this.services.some((each) => each.characteristics.some(({ uuid }) => uuid === operation.uuid)))
      throw new AttError("INVALID_HANDLE");
    this.mostInFlight = Math.max(this.mostInFlight, ++this.#inFlight);
    try {
      await this.#pause(ON_THE_AIR);
      this.arrived.push(operation);
      await this.#unlessDown(Promise.resolve(this.reaction?.(operation.kind, operation.uuid)));
    } finally {
      this.#inFlight--;
    }
  }

  #pause(milliseconds: number): Promise<void> {
    return this.#unlessDown(
      new Promise((resolve) => Number.isFinite(milliseconds) && setTimeout(resolve, milliseconds)),
    );
  }

  /** As `work`, or rejects when the link ends. */
  async #unlessDown(work: Promise<void>): Promise<void> {
    let stop: (error: AttError) => void = () => undefined;
    const down = new Promise<never>((_, reject) => {
      stop = reject;
    });
    this.#waiting.add(stop);
    try {
      await Promise.race([work, down]);
    } finally {
      this.#waiting.delete(stop);
    }
  }

  #end(code: "CONNECT_FAILED" | "DISCONNECTED"): void {
    const wasConnected = this.connected;
    this.connected = false;
    for (const stop of this.#waiting) stop(new AttError(code));
    if (wasConnected) for (const listener of [...this.#listeners]) listener();
  }

  #info(): Bytes {
    return encodeInfo({
      versionMax: 21,
      versionMin: 20,
      caps: { suite6: true, suite3: true, statement: true, button: false },
      frame: 512,
      maxMessage: 2_048,
      state: "CONNECTED",
      flags: { lowBattery: false, displayBlank: true },
      battery: 87,
      id: this.id,
    });
  }
}
