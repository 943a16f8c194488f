import type { Bytes } from "../encoding/bytes.ts";
import type { Peer } from "./credential.ts";
import { SecError } from "./errors.ts";
import { wipe } from "./once.ts";
import { edhocKdf } from "./schedule.ts";
import type { Suite } from "./suites.ts";

/** What both sides hold after message_4: the verified peer and the exporter. Nothing else survives the handshake. */
export class Session<P extends Peer = Peer> {
  readonly suite: Suite;
  /** What the caller's `verifyPeer` resolved with. */
  readonly peer: P;
  /** The peer's chain as received, leaf first. */
  readonly peerChain: readonly Bytes[];
  #exporterKey: Bytes | undefined;

  constructor(suite: Suite, peer: P, peerChain: readonly Bytes[], exporterKey: Bytes) {
    this.suite = suite;
    this.peer = peer;
    this.peerChain = peerChain;
    this.#exporterKey = exporterKey;
  }

  /** EDHOC_Exporter (RFC 9528 §4.2.1): `length` bytes for a label and a context. `STATE` once destroyed. */
  async export(label: number, context: Bytes, length: number): Promise<Bytes> {
    if (this.#exporterKey === undefined) throw new SecError("STATE", { message: "the session has ended" });
    return edhocKdf(this.suite, this.#exporterKey, label, context, length);
  }

  /**
   * Hands the exporter over to its one user and ends this session object, so that two channels can never start
   * with the same keys and counters. `STATE` the second time.
   */
  detach(): Session<P> {
    const key = this.#exporterKey;
    this.#exporterKey = undefined;
    if (key === undefined) throw new SecError("STATE", { message: "the session has ended" });
    return new Session(this.suite, this.peer, this.peerChain, key);
  }

  /** Forgets the keys. Idempotent. */
  destroy(): void {
    wipe(this.#exporterKey);
    this.#exporterKey = undefined;
  }
}
