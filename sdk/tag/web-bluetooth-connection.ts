/** One GATT connection over Web Bluetooth, with the handles that belong to it and to no later one. */
import { type Bytes, copyBytes } from "../../core/encoding/bytes.ts";
import { PROFILE } from "../../core/gatt/profile.ts";
import { orCancelled, within, withResolvers } from "../abort.ts";
import { BluetoothError } from "../errors.ts";
import { type LinkOperation, linkError } from "./bluetooth-errors.ts";
import type { CharacteristicProperties, TagConnection } from "./link.ts";

/** `gattserverdisconnected` may come some milliseconds after the operation that failed with the link. */
const FALL_NOTICE = 50;

const SERVICE_OF: ReadonlyMap<string, string> = new Map(
  [PROFILE, PROFILE.battery, PROFILE.deviceInformation].flatMap(({ service, characteristics }) =>
    Object.values<{ uuid: string }>(characteristics).map(({ uuid }) => [uuid, service] as const),
  ),
);

/**
 * Android reports when it has taken a write without response, and Chrome waits for it. CoreBluetooth and Windows drop
 * them silently when their queues are full (docs/adr/0024-profile.md).
 */
const losesNoCommands = (): boolean => globalThis.navigator?.userAgent?.includes("Android") === true;

export class WebBluetoothConnection implements TagConnection {
  readonly openedAt = performance.now();
  readonly #device: BluetoothDevice;
  readonly #gatt: BluetoothRemoteGATTServer;
  readonly #characteristics: Map<string, BluetoothRemoteGATTCharacteristic>;
  readonly #queue = new OperationQueue(() => this.close());
  readonly #onFall = () => this.#end();

  constructor(
    device: BluetoothDevice,
    gatt: BluetoothRemoteGATTServer,
    characteristics: readonly BluetoothRemoteGATTCharacteristic[],
  ) {
    this.#device = device;
    this.#gatt = gatt;
    this.#characteristics = new Map(characteristics.map((each) => [each.uuid, each]));
    device.addEventListener("gattserverdisconnected", this.#onFall);
    if (!gatt.connected) this.#end();
  }

  get open(): boolean {
    return this.#queue.open;
  }

  has(uuid: string): boolean {
    return this.#characteristics.has(uuid);
  }

  properties(uuid: string): CharacteristicProperties | undefined {
    return this.#characteristics.get(uuid)?.properties;
  }

  read(uuid: string, signal: AbortSignal): Promise<Bytes> {
    return this.#queue.run(signal, () =>
      this.#translated("read", async () => copyBytes(await (await this.#find(uuid)).readValue())),
    );
  }

  write(uuid: string, value: Bytes, signal: AbortSignal, goesOn = false): Promise<void> {
    return this.#queue.run(signal, () =>
      this.#translated("write", async () => {
        const found = await this.#find(uuid);
        const command = goesOn && this.sparesResponses(uuid);
        return command ? found.writeValueWithoutResponse(value) : found.writeValueWithResponse(value);
      }),
    );
  }

  sparesResponses(uuid: string): boolean {
    return this.properties(uuid)?.writeWithoutResponse === true && losesNoCommands();
  }

  close(): void {
    if (!this.open) return;
    this.#end();
    this.#gatt.disconnect();
  }

  #end(): void {
    this.#device.removeEventListener("gattserverdisconnected", this.#onFall);
    this.#queue.close();
  }

  /** Battery and device information are discovered when they are first read. */
  async #find(uuid: string): Promise<BluetoothRemoteGATTCharacteristic> {
    const found = this.#characteristics.get(uuid);
    if (found !== undefined) return found;
    const service = await this.#gatt.getPrimaryService(SERVICE_OF.get(uuid) ?? PROFILE.service);
    const characteristic = await service.getCharacteristic(uuid);
    this.#characteristics.set(uuid, characteristic);
    return characteristic;
  }

  async #translated<T>(operation: LinkOperation, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      await new Promise((resolve) => setTimeout(resolve, FALL_NOTICE));
      const available = this.open && this.#gatt.connected;
      if (!available) this.#end();
      throw linkError(cause, operation, available);
    }
  }
}

/** The tag holds a read for 5 s at most; this is longer. */
const OPERATION_TIMEOUT = 8_000;

/**
 * One GATT operation in flight at a time: real stacks refuse a second one, or lose the first. Runs them one
 * after the other until it is closed; then everything that waits fails with `link_lost`.
 */
export class OperationQueue {
  readonly #abandon: () => void;
  readonly #fall = new AbortController();
  #last: Promise<unknown> = Promise.resolve();

  /** `abandon` must end the connection: it is called when an operation is left unanswered. */
  constructor(abandon: () => void) {
    this.#abandon = abandon;
  }

  get open(): boolean {
    return !this.#fall.signal.aborted;
  }

  close(): void {
    this.#fall.abort();
  }

  /**
   * Runs `operation` in its turn. Cancelled while it waits, it never starts; cancelled in flight, it closes
   * the link.
   */
  async run<T>(signal: AbortSignal, operation: () => Promise<T>): Promise<T> {
    const turn = this.#last;
    const { promise: done, resolve: finish } = withResolvers<void>();
    this.#last = Promise.all([turn, done]);
    let unanswered = false;
    try {
      await this.#whileOpen(() => orCancelled(signal, turn));
      return await this.#whileOpen(() => {
        unanswered = true;
        const work = operation().finally(() => {
          unanswered = false;
        });
        const late = () => new BluetoothError("timeout", "no answer within 8 s");
        return within(OPERATION_TIMEOUT, signal, work, late);
      });
    } finally {
      finish();
      if (unanswered) this.#abandon();
    }
  }

  async #whileOpen<T>(begin: () => Promise<T>): Promise<T> {
    const lost = () => new BluetoothError("link_lost", "the link to the tag fell");
    if (!this.open) throw lost();
    const work = begin();
    work.catch(() => undefined);
    const { promise, reject } = withResolvers<never>();
    // What arrived before the fall counts, though some steps lie between its arrival and here: a tag's last value is
    // its reason. A browser reports the two in tasks of their own; not every fake does.
    const onFall = () => setTimeout(() => reject(lost()));
    this.#fall.signal.addEventListener("abort", onFall);
    try {
      return await Promise.race([work, promise]);
    } finally {
      this.#fall.signal.removeEventListener("abort", onFall);
    }
  }
}
