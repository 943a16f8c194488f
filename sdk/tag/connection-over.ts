/** {@link TagConnection} over whatever carries GATT: the rules that every radio shares, and no platform's calls. */
import { type Bytes, copyBytes } from "../../core/encoding/bytes.ts";
import { GENERIC_ATTRIBUTE, PROFILE } from "../../core/gatt/profile.ts";
import { orCancelled, within, withResolvers } from "../abort.ts";
import { BluetoothError } from "../errors.ts";
import { type LinkOperation, linkError } from "./bluetooth-errors.ts";
import type { CharacteristicProperties, TagConnection } from "./link.ts";

/**
 * One GATT connection that the platform has made, as {@link connectionOver} uses it. What `read` and `write` reject with
 * becomes a {@link BluetoothError}: `link_lost` where the link has fallen, a BluetoothError as it is, a DOMException by
 * its name, and anything else `operation_refused`. They need no time limit, no queue and no signal.
 */
export interface PlatformConnection {
  /** The characteristics of the tag service as discovered, UUIDs of 128 bits with dashes, in either case. */
  readonly characteristics: readonly {
    readonly uuid: string;
    readonly properties: CharacteristicProperties;
  }[];
  /**
   * The whole value, at most 512 bytes, also where it is longer than the MTU (ATT Read Blob). The tag holds a read for up to
   * 5 s. `service` is the tag service, Battery or Device Information.
   */
  read(service: string, characteristic: string): Promise<ArrayBuffer | ArrayBufferView>;
  /** Writes the value as one, with response unless `withoutResponse`. Resolves when the tag has confirmed it. */
  write(service: string, characteristic: string, value: Bytes, withoutResponse: boolean): Promise<void>;
  /** Ends the link; called once, and never after a fall. What it rejects with is ignored. */
  disconnect(): unknown;
  /** Calls `fell` when the link ends, from either side. Returns the function that stops that. */
  onDisconnect(fell: () => void): () => void;
  /** Whether the link is up, where the platform knows. */
  isConnected?(): boolean;
  /**
   * Whether writes without response arrive, all and in order. Default false, the safe answer: CoreBluetooth and Windows drop
   * them silently when their queues are full.
   */
  readonly keepsCommands?: boolean;
}

/** The fall of a link may be reported some milliseconds after the operation that failed with it. */
const FALL_NOTICE = 50;

const SERVICE_OF: ReadonlyMap<string, string> = new Map(
  [PROFILE.battery, PROFILE.deviceInformation, GENERIC_ATTRIBUTE].flatMap(({ service, characteristics }) =>
    Object.values<{ uuid: string }>(characteristics).map(({ uuid }) => [uuid, service] as const),
  ),
);

/**
 * A connection that keeps the rules of {@link TagConnection}: one operation in flight at a time, 8 s for each, one fall for
 * all, typed errors. Makes it at once, and throws nothing: on a link that has fallen already it is closed.
 */
export function connectionOver(platform: PlatformConnection): TagConnection {
  return new PlatformTagConnection(platform);
}

class PlatformTagConnection implements TagConnection {
  readonly openedAt = performance.now();
  readonly #platform: PlatformConnection;
  readonly #properties: ReadonlyMap<string, CharacteristicProperties>;
  readonly #queue = new OperationQueue(() => this.close());
  readonly #stopListening: () => void;

  constructor(platform: PlatformConnection) {
    this.#platform = platform;
    this.#properties = new Map(
      platform.characteristics.map(({ uuid, properties }) => [uuid.toLowerCase(), properties]),
    );
    this.#stopListening = platform.onDisconnect(() => this.#end());
    if (!this.#isUp()) this.#end();
  }

  get open(): boolean {
    return this.#queue.open;
  }

  has(uuid: string): boolean {
    return this.#properties.has(uuid);
  }

  properties(uuid: string): CharacteristicProperties | undefined {
    return this.#properties.get(uuid);
  }

  read(uuid: string, signal: AbortSignal): Promise<Bytes> {
    return this.#run("read", signal, async () => copyBytes(await this.#platform.read(serviceOf(uuid), uuid)));
  }

  write(uuid: string, value: Bytes, signal: AbortSignal, goesOn = false): Promise<void> {
    const command = goesOn && this.sparesResponses(uuid);
    return this.#run("write", signal, () => this.#platform.write(serviceOf(uuid), uuid, value, command));
  }

  sparesResponses(uuid: string): boolean {
    return this.properties(uuid)?.writeWithoutResponse === true && this.#platform.keepsCommands === true;
  }

  close(): void {
    if (!this.open) return;
    this.#end();
    ignoreFailure(() => this.#platform.disconnect());
  }

  #end(): void {
    this.#queue.close();
    this.#stopListening();
  }

  #isUp(): boolean {
    return this.#platform.isConnected?.() ?? true;
  }

  #run<T>(operation: LinkOperation, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return this.#queue.run(signal, async () => {
      try {
        return await work();
      } catch (cause) {
        await new Promise((resolve) => setTimeout(resolve, FALL_NOTICE));
        const available = this.open && this.#isUp();
        if (!available) this.#end();
        throw available && cause instanceof BluetoothError ? cause : linkError(cause, operation, available);
      }
    });
  }
}

/** The tag holds a read for 5 s at most; this is longer. */
const OPERATION_TIMEOUT = 8_000;

/**
 * One GATT operation in flight at a time: real stacks refuse a second one, or lose the first. Runs them one
 * after the other until it is closed; then everything that waits fails with `link_lost`.
 */
class OperationQueue {
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

const serviceOf = (uuid: string): string => SERVICE_OF.get(uuid) ?? PROFILE.service;

/** Calls what ends something: nothing is left to do where it fails, now or later. */
export function ignoreFailure(end: () => unknown): void {
  new Promise((resolve) => resolve(end())).catch(() => undefined);
}
