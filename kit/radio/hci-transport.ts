import { EventEmitter } from "node:events";
import type { Duplex } from "node:stream";
import type { Transport } from "ble-host";
import { RadioError } from "./radio-error.ts";

/**
 * HCI packets over a byte stream, each behind one byte that says its type (Bluetooth Core 6.0, Vol 4, Part A).
 * Knows neither GATT nor tags.
 */

export const PACKET = { COMMAND: 0x01, ACL: 0x02, SYNC: 0x03, EVENT: 0x04, ISO: 0x05 } as const;

/** Bytes of each type's header behind the type, and the length of what follows it. */
const HEADER: Readonly<Record<number, { readonly size: number; length(header: Buffer): number }>> = {
  [PACKET.COMMAND]: { size: 3, length: (header) => header.readUInt8(2) },
  [PACKET.ACL]: { size: 4, length: (header) => header.readUInt16LE(2) },
  [PACKET.SYNC]: { size: 3, length: (header) => header.readUInt8(2) },
  [PACKET.EVENT]: { size: 2, length: (header) => header.readUInt8(1) },
  [PACKET.ISO]: { size: 4, length: (header) => header.readUInt16LE(2) & 0x3fff },
};

/** A byte that begins no packet: the stream cannot be followed any further. */
export class OutOfStep extends Error {
  override readonly name = "OutOfStep";
}

/** Cuts a byte stream into packets, however the bytes come. Throws {@link OutOfStep}. */
export class PacketCutter {
  #rest = Buffer.alloc(0);

  /** The packets, type byte included, that `chunk` completes. */
  push(chunk: Uint8Array): Buffer[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const packets: Buffer[] = [];
    for (let packet = this.#next(); packet !== undefined; packet = this.#next()) packets.push(packet);
    return packets;
  }

  #next(): Buffer | undefined {
    const type = this.#rest[0];
    if (type === undefined) return undefined;
    const header = HEADER[type];
    if (header === undefined) throw new OutOfStep(`no packet begins with ${type}`);
    if (this.#rest.length < 1 + header.size) return undefined;
    const end = 1 + header.size + header.length(this.#rest.subarray(1, 1 + header.size));
    if (this.#rest.length < end) return undefined;
    // A copy: the host stack keeps slices of what it is given.
    const packet = Buffer.from(this.#rest.subarray(0, end));
    this.#rest = this.#rest.subarray(end);
    return packet;
  }
}

const EVENT = { DISCONNECTED: 0x05, HARDWARE_ERROR: 0x10, COMPLETED: 0x13 } as const;

/**
 * What the host stack needs of a controller: whole packets over an H4 stream. It also counts the data that the
 * controller still holds, because a Disconnect makes it forget them ({@link drained}), and ends in one place:
 * `closed` resolves with the reason.
 */
export class HciTransport extends EventEmitter implements Transport {
  readonly closed: Promise<RadioError>;
  readonly #stream: Duplex;
  readonly #cutter = new PacketCutter();
  /** Data packets in the controller, by connection. */
  readonly #pending = new Map<number, number>();
  readonly #waiting = new Set<() => void>();
  #end: (why: RadioError) => void = () => undefined;
  #open = true;

  constructor(stream: Duplex) {
    super();
    this.#stream = stream;
    const { promise, resolve } = Promise.withResolvers<RadioError>();
    this.closed = promise;
    this.#end = resolve;
    stream.on("data", (chunk: Uint8Array) => this.#receive(chunk));
    stream.on("error", (cause) => this.#close(new RadioError("lost", { cause })));
    stream.on("close", () => this.#close(new RadioError("lost")));
  }

  write(packet: Buffer): void {
    if (!this.#open) return;
    if (packet[0] === PACKET.ACL) {
      const handle = packet.readUInt16LE(1) & 0xfff;
      this.#pending.set(handle, (this.#pending.get(handle) ?? 0) + 1);
    }
    this.#stream.write(packet);
  }

  /** Resolves once the controller has sent all data it holds, at the latest after `patience` milliseconds. */
  drained(patience: number): Promise<void> {
    if (this.#pending.size === 0) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, patience);
    this.#waiting.add(resolve);
    return promise.finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(resolve);
    });
  }

  /** Ends the stream. Idempotent. */
  close(): void {
    this.#close(new RadioError("lost"));
  }

  #receive(chunk: Uint8Array): void {
    try {
      for (const packet of this.#cutter.push(chunk)) this.#deliver(packet);
    } catch (cause) {
      // Bytes that are no packets, or packets the stack cannot read: it throws, and is in no known state then.
      this.#close(new RadioError("controller_failed", { cause }));
    }
  }

  #deliver(packet: Buffer): void {
    if (!this.#open) return;
    // The stack has no handler for this one and would crash (ble-host 1.0.3, `hardwareErrorCallback`).
    if (packet[0] === PACKET.EVENT && packet[1] === EVENT.HARDWARE_ERROR) {
      this.#close(new RadioError("controller_failed"));
      return;
    }
    // Account before the emit: a listener sends on what had to wait, and that counts as held by the controller.
    if (packet[0] === PACKET.EVENT) this.#account(packet);
    this.emit("data", packet);
    if (this.#pending.size === 0) for (const done of [...this.#waiting]) done();
  }

  #account(packet: Buffer): void {
    if (packet[1] === EVENT.DISCONNECTED && packet.length >= 6) this.#pending.delete(packet.readUInt16LE(4));
    if (packet[1] !== EVENT.COMPLETED) return;
    for (let at = 4; at + 4 <= packet.length; at += 4) {
      const handle = packet.readUInt16LE(at);
      const left = (this.#pending.get(handle) ?? 0) - packet.readUInt16LE(at + 2);
      if (left > 0) this.#pending.set(handle, left);
      else this.#pending.delete(handle);
    }
  }

  #close(why: RadioError): void {
    if (!this.#open) return;
    this.#open = false;
    this.#stream.destroy();
    for (const done of [...this.#waiting]) done();
    this.#end(why);
    this.emit("close");
  }
}
