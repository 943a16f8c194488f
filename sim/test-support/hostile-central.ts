/**
 * A hostile central with a certified key: it completes the handshake correctly, and then sends anything it likes under the
 * right keys.
 */
import type { Bytes } from "../../core/encoding/bytes.ts";
import { openInitiatorChannel } from "../../core/sec/channel.ts";
import { readMessage4 } from "../../core/sec/initiator.ts";
import {
  encodeInitiatorRecord,
  type Hello,
  type InitiatorRecord,
  RECORD_KIND,
} from "../../core/sec/records.ts";
import { forgeRecords } from "../../core/sec/test-support/forge.ts";
import { Central } from "./central.ts";

/** How a record deviates. */
export interface Deviation {
  readonly kind?: number;
  /** Added to the expected number. */
  readonly ahead?: number;
  /** Sealed with the keys of the other direction. */
  readonly mirrored?: boolean;
}

export class HostileCentral extends Central {
  #forge: Awaited<ReturnType<typeof forgeRecords>> | undefined;
  #next = 0;
  /** Every record of every session so far, to be sent again. */
  readonly said: Bytes[] = [];

  override async finish(): Promise<Hello> {
    if (this.begun === undefined) throw new Error("no handshake under way");
    const { info, state } = this.begun;
    const session = await readMessage4(state, await this.expect("EDHOC"));
    this.#forge = await forgeRecords(session);
    this.#next = 0;
    this.channel = await openInitiatorChannel(session, info);
    return this.nextHello();
  }

  override async say(record: InitiatorRecord): Promise<void> {
    const sealed = await this.sealed(encodeInitiatorRecord(record), { kind: RECORD_KIND[record.kind] });
    await this.send(record.kind === "data" ? "DATA" : "SEC", "APP", sealed);
  }

  /** Any bytes as the next record of this session, or as a record it does not expect. */
  async sealed(plaintext: Bytes, { kind = 5, ahead = 0, mirrored = false }: Deviation): Promise<Bytes> {
    if (this.#forge === undefined) throw new Error("no handshake yet");
    const sequence = Math.max(0, this.#next++ + ahead);
    const associated = { kind, sequence, length: plaintext.length };
    const record = await this.#forge({
      kind,
      plaintext,
      keys: mirrored ? "r2i" : "i2r",
      sequence,
      associated,
    });
    this.said.push(record);
    return record;
  }
}
