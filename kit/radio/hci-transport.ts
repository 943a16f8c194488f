import { EventEmitter } from "node:events";
import type { Duplex } from "node:stream";
import type { Transport } from "ble-host";
import { PACKET, PacketCutter } from "./h4.ts";
import { RadioError } from "./radio-error.ts";

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
