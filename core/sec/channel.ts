/**
 * The protected channel after the handshake: APP records in both directions over SEC and DATA together.
 *
 * ```
 * record = kind(1) | AEAD(CBOR array)      nonce = iv xor sequence (big endian, right aligned)
 * associated data = kind | sequence u64 BE | plaintext length u16 BE
 * ```
 * One implicit counter per direction, from 0. Any failure ends the channel: keys are forgotten first.
 */
import { type Bytes, concat, wipe } from "../encoding/bytes.ts";
import { Writer } from "../encoding/cursor.ts";
import type { EdhocSession, Peer } from "./authentication.ts";
import { SecError } from "./errors.ts";
import {
  decodeInitiatorRecord,
  decodeResponderRecord,
  encodeInitiatorRecord,
  encodeResponderRecord,
  type InitiatorRecord,
  RECORD_KIND,
  type ResponderRecord,
} from "./records.ts";
import type { AeadKey } from "./suites.ts";

/** One end of the channel. Calls may overlap; records are numbered in the order of the calls. */
export interface Channel<Sent, Received> {
  /** 32 bytes that name this session in the transaction token; public once they are in it. */
  readonly channelBinding: Bytes;
  /** Whether keys are still there. */
  readonly alive: boolean;
  /** Protects one record of at most 65,535 bytes of CBOR. `STATE` once the channel has ended. */
  seal(record: Sent): Promise<Bytes>;
  /** Opens the next record; `RECORD` on anything that is not exactly it, after which the channel has ended. */
  open(record: Bytes): Promise<Received>;
  /** Forgets the keys. Idempotent. */
  destroy(): void;
}

export type InitiatorChannel = Channel<InitiatorRecord, ResponderRecord>;
export type ResponderChannel = Channel<ResponderRecord, InitiatorRecord>;

/** Bytes of CBOR whose length fits the associated data. */
const LONGEST = 0xffff;

/** Labels of EDHOC_Exporter, from the range for private use (RFC 9528 §10.1). */
const EXPORTER = { keyI2R: 32768, keyR2I: 32769, ivI2R: 32770, ivR2I: 32771, binding: 32772 } as const;

/** What one end sends and receives. `infoDigest` is SHA-256 of INFO. */
interface End<Sent, Received> {
  readonly role: "initiator" | "responder";
  readonly encode: (record: Sent, infoDigest: Bytes) => Bytes;
  readonly decode: (bytes: Bytes, infoDigest: Bytes) => Received;
}

/**
 * Opens the client's end of a session's channel and uses the session up (a second call throws `STATE`). `info` is the value
 * of INFO as it was last read on this connection before message_1: every hello carries its digest, and the client
 * refuses another.
 */
export function openInitiatorChannel(session: EdhocSession<Peer>, info: Bytes): Promise<InitiatorChannel> {
  return openChannel(session, info, {
    role: "initiator",
    encode: encodeInitiatorRecord,
    decode: decodeResponderRecord,
  });
}

/** The same for either end. */
async function openChannel<Sent extends Kinded, Received extends Kinded>(
  session: EdhocSession<Peer>,
  info: Bytes,
  { role, encode, decode }: End<Sent, Received>,
): Promise<Channel<Sent, Received>> {
  const exporter = session.detach();
  try {
    const infoDigest = await exporter.suite.hash.digest(info);
    const i2r = await direction(exporter, EXPORTER.keyI2R, EXPORTER.ivI2R);
    const r2i = await direction(exporter, EXPORTER.keyR2I, EXPORTER.ivR2I);
    const binding = await exporter.export(EXPORTER.binding, 32);
    const [sending, receiving] = role === "initiator" ? [i2r, r2i] : [r2i, i2r];
    return new RecordChannel<Sent, Received>(
      binding,
      sending,
      receiving,
      (record) => encode(record, infoDigest),
      (bytes) => decode(bytes, infoDigest),
    );
  } finally {
    exporter.destroy();
  }
}

interface Kinded {
  readonly kind: keyof typeof RECORD_KIND;
}

/** One direction: its key, its IV, and how many records went. */
interface Direction {
  readonly key: AeadKey;
  readonly iv: Bytes;
  readonly tagLength: number;
  sequence: number;
}

async function direction(session: EdhocSession<Peer>, keyLabel: number, ivLabel: number): Promise<Direction> {
  const { aead } = session.suite;
  const bytes = await session.export(keyLabel, aead.keyLength);
  const key = await aead.key(bytes);
  wipe(bytes);
  const iv = await session.export(ivLabel, aead.nonceLength);
  return { key, iv, tagLength: aead.tagLength, sequence: 0 };
}

class RecordChannel<Sent extends Kinded, Received extends Kinded> implements Channel<Sent, Received> {
  readonly channelBinding: Bytes;
  #sending: Direction | undefined;
  #receiving: Direction | undefined;
  readonly #encode: (record: Sent) => Bytes;
  readonly #decode: (bytes: Bytes) => Received;

  constructor(
    channelBinding: Bytes,
    sending: Direction,
    receiving: Direction,
    encode: (record: Sent) => Bytes,
    decode: (bytes: Bytes) => Received,
  ) {
    this.channelBinding = channelBinding;
    this.#sending = sending;
    this.#receiving = receiving;
    this.#encode = encode;
    this.#decode = decode;
  }

  get alive(): boolean {
    return this.#sending !== undefined;
  }

  async seal(record: Sent): Promise<Bytes> {
    const way = this.#sending;
    if (way === undefined) throw ended();
    const plaintext = this.#encode(record);
    if (plaintext.length > LONGEST) throw new RangeError("too long for a record");
    const kind = RECORD_KIND[record.kind];
    const { nonce, associated } = numbered(way, kind, plaintext.length);
    return concat(Uint8Array.of(kind), await way.key.seal(nonce, associated, plaintext));
  }

  async open(record: Bytes): Promise<Received> {
    const way = this.#receiving;
    if (way === undefined) throw ended();
    try {
      const received = await this.#opened(way, record);
      // A record that fails while this one is being opened ends the channel for this one, too.
      if (!this.alive) throw ended();
      return received;
    } catch (error) {
      this.destroy();
      throw error;
    }
  }

  async #opened(way: Direction, record: Bytes): Promise<Received> {
    const [kind] = record;
    const length = record.length - 1 - way.tagLength;
    if (kind === undefined || length < 0 || length > LONGEST)
      throw new SecError("RECORD", { message: "length" });
    const { nonce, associated } = numbered(way, kind, length);
    const plaintext = await way.key.open(nonce, associated, record.slice(1));
    if (plaintext === undefined) throw new SecError("RECORD", { message: "protection" });
    const received = this.#decode(plaintext);
    if (RECORD_KIND[received.kind] !== kind) throw new SecError("RECORD", { message: "kind" });
    return received;
  }

  destroy(): void {
    wipe(this.#sending?.iv, this.#receiving?.iv);
    this.#sending = undefined;
    this.#receiving = undefined;
  }
}

/** Takes the next number of a direction: synchronously, so that overlapping calls never share one. */
function numbered(way: Direction, kind: number, length: number): { nonce: Bytes; associated: Bytes } {
  const sequence = new Writer().u64be(way.sequence++).bytes();
  const nonce = way.iv.slice();
  const start = nonce.length - sequence.length;
  for (const [i, byte] of sequence.entries()) nonce[start + i] = (nonce[start + i] as number) ^ byte;
  return { nonce, associated: new Writer().u8(kind).raw(sequence).u16be(length).bytes() };
}

function ended(): SecError {
  return new SecError("STATE", { message: "the channel has ended" });
}

/** Opens the tag's end of a session's channel, as `openInitiatorChannel` does the client's. */
export function openResponderChannel(session: EdhocSession<Peer>, info: Bytes): Promise<ResponderChannel> {
  return openChannel(session, info, {
    role: "responder",
    encode: encodeResponderRecord,
    decode: decodeInitiatorRecord,
  });
}
