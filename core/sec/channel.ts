/**
 * The protected channel after the handshake: APP records in both directions over SEC and DATA together.
 *
 * ```
 * record = kind(1) | AEAD(CBOR array)      nonce = iv xor sequence (big endian, right aligned)
 * associated data = kind | sequence u64 BE | plaintext length u16 BE
 * ```
 * One implicit counter per direction, from 0. Any failure ends the channel: keys are forgotten first.
 */
import type { Bytes } from "../bytes.ts";
import type { Peer } from "./credential.ts";
import { SecError } from "./errors.ts";
import type { Session } from "./session.ts";

/** Kinds of records, Initiator to Responder 1–5, Responder to Initiator 16–17. Kind 2 travels on DATA, all others on SEC. */
export const RECORD_KIND = {
  token: 1,
  data: 2,
  commit: 3,
  abort: 4,
  fresh: 5,
  hello: 16,
  status: 17,
} as const;

/** What the client says. */
export type InitiatorRecord =
  | { readonly kind: "token"; readonly token: Bytes }
  /** `offset` in bytes into the payload. */
  | { readonly kind: "data"; readonly offset: number; readonly data: Bytes }
  /** SHA-256 and length of the whole payload. */
  | { readonly kind: "commit"; readonly sha256: Bytes; readonly total: number }
  | { readonly kind: "abort" }
  /** Asks for a new nonce. */
  | { readonly kind: "fresh" };

/** What the tag says. `hello` also carries the version [2, 1] and SHA-256(INFO): the channel writes and checks both. */
export type ResponderRecord =
  | {
      readonly kind: "hello";
      /** 16 bytes for the transaction token. */
      readonly nonce: Bytes;
      /** Seconds the nonce lives. */
      readonly ttl: number;
      /** The tag's id, as its certificate has it. */
      readonly id: string;
      /** Commits since manufacture. */
      readonly commits: number;
      /** SHA-256 of the last committed payload (32 bytes), null where none was. */
      readonly lastCommitted: Bytes | null;
    }
  /** A code of the profile's STATUS table, and its optional detail. */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly detail?: number;
    };

/** One end of the channel. Calls may overlap; records are numbered in the order of the calls. */
export interface Channel<Sent, Received> {
  /** 32 bytes that name this session in the transaction token; public once they are in it. */
  readonly channelBinding: Bytes;
  /** Protects one record. `STATE` once the channel ended. */
  seal(record: Sent): Promise<Bytes>;
  /** Opens the next record; `RECORD` on anything that is not exactly it, after which the channel has ended. */
  open(record: Bytes): Promise<Received>;
  /** Whether keys are still there. */
  readonly alive: boolean;
  /** Forgets the keys. Idempotent. */
  destroy(): void;
}

export type InitiatorChannel = Channel<InitiatorRecord, ResponderRecord>;
export type ResponderChannel = Channel<ResponderRecord, InitiatorRecord>;

/**
 * Opens the channel of a session and uses the session up (a second call throws `STATE`). `info` is the value of INFO
 * as it was last read on this connection before message_1: it is bound into the keys.
 */
export function openChannel(
  session: Session<Peer>,
  role: "initiator",
  info: Bytes,
): Promise<InitiatorChannel>;
export function openChannel(
  session: Session<Peer>,
  role: "responder",
  info: Bytes,
): Promise<ResponderChannel>;
export async function openChannel(
  session: Session<Peer>,
  role: "initiator" | "responder",
  info: Bytes,
): Promise<InitiatorChannel | ResponderChannel> {
  throw new SecError("STATE", {
    message: `not yet ${session} ${role} ${info}`,
  });
}
