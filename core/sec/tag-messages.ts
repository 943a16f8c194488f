/** The Responder's half of messages.ts: a file of its own, because clients have no use for it. */
import { type Bytes, concat } from "../encoding/bytes.ts";
import { encodeBstr } from "../encoding/cbor.ts";
import {
  type Authentication,
  decoding,
  encodePlaintext3,
  type Message1,
  type Message2,
  type Plaintext2,
  readAuthentication,
  readEad,
  readIdentifier,
  readSuites,
} from "./messages.ts";

export function decodeMessage1(bytes: Bytes): Message1 {
  return decoding(bytes, (reader) => ({
    method: reader.int(),
    suitesI: readSuites(reader),
    gX: reader.bstr(),
    cI: readIdentifier(reader),
    ead: readEad(reader),
  }));
}

export function encodeMessage2(message: Message2): Bytes {
  return encodeBstr(concat(message.gY, message.ciphertext));
}

export function encodePlaintext2(plaintext: Omit<Plaintext2, "chain">): Bytes {
  return concat(plaintext.cR, encodePlaintext3(plaintext));
}

/** The client may send its leaf alone where the tag has said that it knows the intermediate. */
export function decodePlaintext3(bytes: Bytes): Authentication {
  return decoding(bytes, readAuthentication);
}
