import { type Bytes, toHex } from "../../core/encoding/bytes.ts";
import { readCertificate } from "../../core/pki/certificate.ts";
import { errorFrom } from "../../core/sec/answers.ts";
import type { Trace } from "../../core/sec/authentication.ts";
import { type FailureAnswer, SecError } from "../../core/sec/errors.ts";
import { decodeMessage1, decodePlaintext2, decodePlaintext3 } from "../../core/sec/messages.ts";
import {
  decodeInitiatorRecord,
  decodeResponderRecord,
  encodeInitiatorRecord,
  encodeResponderRecord,
  type InitiatorRecord,
  type ResponderRecord,
} from "../../core/sec/records.ts";
import { decodeStatement } from "../../core/sec/statement.ts";
import { decodeToken } from "../../core/sec/token.ts";
import type { Firmware } from "../tag/firmware.ts";
import type { Direction, TranscriptValue } from "../tag/tag-types.ts";

type Fields = { readonly [name: string]: TranscriptValue };

/**
 * Decodes a handshake for people, as it passes. Checks nothing: what does not decode is shown as bytes only.
 */
export class HandshakeTranscript {
  readonly #firmware: Firmware;

  constructor(firmware: Firmware) {
    this.#firmware = firmware;
  }

  received(name: "message_1" | "message_3", bytes: Bytes): void {
    const fields = name === "message_1" ? message1Fields(bytes) : { length: bytes.length };
    this.#firmware.emit({ type: "message", direction: "in", name, bytes, fields });
  }

  sent(name: "message_2" | "message_4", bytes: Bytes): void {
    this.#firmware.emit({ type: "message", direction: "out", name, bytes, fields: { length: bytes.length } });
  }

  /** Shows plaintexts, which both ends know; the rest only if the configuration asks for it. */
  readonly trace: Trace = (name, value) => {
    if (this.#firmware.config.revealSecrets === true) this.#firmware.emit({ type: "trace", name, value });
    if (name === "PLAINTEXT_2" || name === "PLAINTEXT_3") {
      const direction = name === "PLAINTEXT_2" ? "out" : "in";
      this.#firmware.emit({
        type: "message",
        direction,
        name,
        bytes: value,
        fields: plaintextFields(name, value),
      });
    }
  };
}

/** Replaces SHA-256(INFO) in a hello of a transcript, where it is not compared. */
const ANY_INFO = new Uint8Array(32);

/** A record as a transcript shows it: its fields, and its bytes, to be decoded again. */
export function shownRecord(direction: "in", record: InitiatorRecord): ShownRecord;
export function shownRecord(direction: "out", record: ResponderRecord): ShownRecord;
export function shownRecord(direction: Direction, record: InitiatorRecord | ResponderRecord): ShownRecord {
  const bytes =
    direction === "in"
      ? encodeInitiatorRecord(record as InitiatorRecord)
      : encodeResponderRecord(record as ResponderRecord, ANY_INFO);
  return { direction, name: record.kind, bytes, fields: recordFields(record) };
}

interface ShownRecord {
  readonly direction: Direction;
  readonly name: string;
  readonly bytes: Bytes;
  readonly fields: Fields;
}

/**
 * What today's decoders make of the bytes of a saved message or record; undefined where its fields do not
 * come from its bytes.
 */
export function fieldsAgain(
  event: { readonly type: "message" | "record"; readonly direction: Direction; readonly name: string },
  bytes: Bytes,
): Fields | undefined {
  if (event.type === "record") {
    const decode = () =>
      event.direction === "in" ? decodeInitiatorRecord(bytes) : decodeResponderRecord(bytes, ANY_INFO);
    return readable(() => recordFields(decode()), bytes);
  }
  switch (event.name) {
    case "message_1":
      return message1Fields(bytes);
    case "PLAINTEXT_2":
    case "PLAINTEXT_3":
      return plaintextFields(event.name, bytes);
    case "message_2":
    case "message_3":
    case "message_4":
      return { length: bytes.length };
    case "token":
      return tokenFields(bytes);
    case "alert":
      return failureFields("ALERT", bytes);
    case "EDHOC error":
      return failureFields("EDHOC_ERROR", bytes);
    default:
      return undefined;
  }
}

/** The fields of a record; the payload itself is shown by the display, not here. */
function recordFields(record: InitiatorRecord | ResponderRecord): Fields {
  switch (record.kind) {
    case "token":
      return tokenFields(record.token);
    case "data":
      return { offset: record.offset, length: record.data.length };
    case "commit":
      return { sha256: toHex(record.sha256), total: record.total };
    case "abort":
    case "fresh":
      return {};
    case "hello":
      return {
        nonce: toHex(record.nonce),
        ttl: record.ttl,
        id: record.id,
        commits: record.commits,
        mark: hexOrNull(record.mark),
      };
    case "challenge":
      return { challenge: toHex(record.challenge) };
    case "statement":
      return statementFields(record.statement);
    case "status":
      return { status: record.status, ...(record.detail === undefined ? {} : { detail: record.detail }) };
  }
}

/** What a token claims, verified or not. */
export function tokenFields(token: Bytes): Fields {
  return readable(() => {
    const { kid, claims } = decodeToken(token);
    const shown = Object.entries(claims).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? toHex(value) : value,
    ]);
    return { kid, ...Object.fromEntries(shown) };
  }, token);
}

/** What a statement says, verified or not. */
function statementFields(bytes: Bytes): Fields {
  return readable(() => {
    const { certificateHash, statement } = decodeStatement(bytes);
    const { deviceId, cti, mark, operation, commits, challenge } = statement;
    return {
      certificateHash: toHex(certificateHash),
      deviceId,
      operation,
      commits,
      cti: hexOrNull(cti),
      mark: hexOrNull(mark),
      ...(challenge && { challenge: toHex(challenge) }),
    };
  }, bytes);
}

const hexOrNull = (bytes: Bytes | null) => (bytes === null ? null : toHex(bytes));

/** What an EDHOC error or alert says. */
export function failureFields(type: FailureAnswer["type"], message: Bytes): Fields {
  const { code, peer, suitesR } = errorFrom(type, message);
  if (suitesR !== undefined) return { code: 2, suitesR };
  if (peer === undefined) return { code };
  if (peer.kind === "alert") return { status: peer.status };
  return { code: peer.error.code };
}

function message1Fields(bytes: Bytes): Fields {
  return readable(() => {
    const { method, suitesI, gX, cI } = decodeMessage1(bytes);
    return { method, suitesI, gX: toHex(gX), cI: toHex(cI) };
  }, bytes);
}

function plaintextFields(name: "PLAINTEXT_2" | "PLAINTEXT_3", bytes: Bytes): Fields {
  return readable(() => {
    const { chain, signature } = name === "PLAINTEXT_2" ? decodePlaintext2(bytes) : decodePlaintext3(bytes);
    return { certificates: (chain ?? []).map(certificateFields), signature: toHex(signature) };
  }, bytes);
}

function certificateFields(der: Bytes): Fields {
  const { serial, subjectSerialNumbers, notBefore, notAfter } = readCertificate(der);
  const times = { notBefore: notBefore.toISOString(), notAfter: notAfter.toISOString() };
  return { length: der.length, serial, serialNumber: subjectSerialNumbers, ...times };
}

function readable(decode: () => Fields, bytes: Bytes): Fields {
  try {
    return decode();
  } catch (error) {
    if (error instanceof SecError) return { length: bytes.length, unreadable: error.code };
    throw error;
  }
}
