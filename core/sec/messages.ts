/**
 * The messages of EDHOC (RFC 9528 §5, appendix A.1) as far as method 0 with X.509 needs them, each CDDL rule above
 * its codec. What is hashed and signed later is kept as the bytes that came in. Every malformation is `MESSAGE`.
 */
import { type Bytes, concat } from "../encoding/bytes.ts";
import {
  CborError,
  CborReader,
  encodeArray,
  encodeBstr,
  encodeInt,
  encodeMap,
  encodeSimple,
  encodeTstr,
} from "../encoding/cbor.ts";
import { type EdhocError, SecError } from "./errors.ts";

/** Both sides authenticate with signatures (RFC 9528 §3.2). */
export const METHOD_SIGNATURE_SIGNATURE = 0;

/** COSE header parameters that name a credential (RFC 9360 §2, RFC 9052 §3.1). */
const X5CHAIN = 33;
const KID = 4;

/** A chain has at most leaf, intermediate and one more. */
const LONGEST_CHAIN = 3;

const SIGNATURE_LENGTH = 64;

// message_1 = ( METHOD : int, SUITES_I : suites, G_X : bstr, C_I : bstr / -24..23, ? EAD_1 )
export interface Message1 {
  readonly method: number;
  /** SUITES_I; the last one is the selected one. */
  readonly suitesI: readonly number[];
  readonly gX: Bytes;
  /** C_I, encoded. */
  readonly cI: Bytes;
  /** EAD_1, encoded; empty where there is none. */
  readonly ead: Bytes;
}

export function encodeMessage1(message: Message1): Bytes {
  const { method, suitesI, gX, cI, ead } = message;
  return concat(encodeInt(method), encodeSuites(suitesI), encodeBstr(gX), cI, ead);
}

// message_2 = ( G_Y_CIPHERTEXT_2 : bstr )
export interface Message2 {
  readonly gY: Bytes;
  readonly ciphertext: Bytes;
}

export function decodeMessage2(bytes: Bytes, publicLength: number): Message2 {
  const content = decodeSingleBstr(bytes);
  if (content.length <= publicLength) throw new SecError("MESSAGE", { message: "message_2 is too short" });
  return { gY: content.slice(0, publicLength), ciphertext: content.slice(publicLength) };
}

// message_3 = ( CIPHERTEXT_3 : bstr )   message_4 = ( CIPHERTEXT_4 : bstr )
export function decodeSingleBstr(bytes: Bytes): Bytes {
  return decoding(bytes, (reader) => reader.bstr());
}

/** What PLAINTEXT_2 and PLAINTEXT_3 have in common. */
export interface Authentication {
  /** ID_CRED_x: the CBOR map, as received. */
  readonly idCred: Bytes;
  /** The certificates of `x5chain`, leaf first; undefined where ID_CRED_x is a reference. */
  readonly chain: readonly Bytes[] | undefined;
  /** Signature_or_MAC_x, a signature of 64 bytes. */
  readonly signature: Bytes;
  /** EAD_x, encoded; empty where there is none. */
  readonly ead: Bytes;
}

// PLAINTEXT_2 = ( C_R : bstr / -24..23, ID_CRED_R : map / bstr / -24..23, Signature_or_MAC_2 : bstr, ? EAD_2 )
export interface Plaintext2 extends Authentication {
  /** C_R, encoded. */
  readonly cR: Bytes;
}

export function decodePlaintext2(bytes: Bytes): Plaintext2 {
  return decoding(bytes, (reader) => ({ cR: readIdentifier(reader), ...readAuthentication(reader) }));
}

// PLAINTEXT_3 = ( ID_CRED_I : map / bstr / -24..23, Signature_or_MAC_3 : bstr, ? EAD_3 )
export function encodePlaintext3(plaintext: Omit<Authentication, "chain">): Bytes {
  return concat(plaintext.idCred, encodeBstr(plaintext.signature), plaintext.ead);
}

// PLAINTEXT_4 = ( ? EAD_4 )
export function decodePlaintext4(bytes: Bytes): void {
  decoding(bytes, readEad);
}

// error = ( ERR_CODE : 1, ERR_INFO : tstr ) / ( 2, suites ) / ( 3, true )
export function encodeError(error: EdhocError): Bytes {
  return concat(encodeInt(error.code), encodeErrorInfo(error));
}

function encodeErrorInfo(error: EdhocError): Bytes {
  switch (error.code) {
    case 1:
      return encodeTstr(error.text);
    case 2:
      return encodeSuites(error.suitesR);
    case 3:
      return encodeSimple(true);
  }
}

export function decodeError(bytes: Bytes): EdhocError {
  return decoding(bytes, (reader) => {
    const code = reader.int();
    if (code === 1) return { code, text: reader.tstr() };
    if (code === 2) return { code, suitesR: readSuites(reader) };
    if (code === 3 && reader.simple() === true) return { code };
    throw new CborError("unknown error code");
  });
}

/** ID_CRED_x by value: `{ 33 : bstr / [ 2* bstr ] }`, where a single certificate is never in an array (RFC 9360 §2). */
export function encodeX5chain(chain: readonly Bytes[]): Bytes {
  const [leaf, ...others] = chain;
  if (leaf === undefined) throw new RangeError("a credential has at least one certificate");
  const value = others.length === 0 ? encodeBstr(leaf) : encodeArray(...chain.map(encodeBstr));
  return encodeMap([encodeInt(X5CHAIN), value]);
}

/** A connection or credential identifier on the wire: one byte that is an integer's encoding travels as that (§3.3.2). */
export function encodeIdentifier(identifier: Bytes): Bytes {
  return isIntegerByte(identifier) ? identifier : encodeBstr(identifier);
}

function isIntegerByte(identifier: Bytes): boolean {
  const [byte] = identifier;
  return identifier.length === 1 && byte !== undefined && (byte <= 0x17 || (byte >= 0x20 && byte <= 0x37));
}

/** The identifier that comes next, as its byte string; a bstr that had to be an integer is refused. */
function readIdentifierBytes(reader: CborReader): Bytes {
  if (reader.peek() === "int") {
    const raw = reader.raw();
    if (raw.length !== 1) throw new CborError("an identifier is -24..23");
    return raw;
  }
  const identifier = reader.bstr();
  if (isIntegerByte(identifier)) throw new CborError("this identifier travels as an integer");
  return identifier;
}

function readIdentifier(reader: CborReader): Bytes {
  return encodeIdentifier(readIdentifierBytes(reader));
}

// suites = [ 2* int ] / int
function encodeSuites(suites: readonly number[]): Bytes {
  const [single, ...others] = suites;
  if (single === undefined) throw new RangeError("at least one suite");
  return others.length === 0 ? encodeInt(single) : encodeArray(...suites.map(encodeInt));
}

function readSuites(reader: CborReader): number[] {
  if (reader.peek() === "int") return [reader.int()];
  const count = reader.array();
  if (count < 2) throw new CborError("an array of suites has two or more");
  const suites: number[] = [];
  for (let i = 0; i < count; i++) suites.push(reader.int());
  return suites;
}

function readAuthentication(reader: CborReader): Authentication {
  const { idCred, chain } = readIdCred(reader);
  const signature = reader.bstr();
  if (signature.length !== SIGNATURE_LENGTH) throw new CborError("a signature is 64 bytes");
  return { idCred, chain, signature, ead: readEad(reader) };
}

function readIdCred(reader: CborReader): Pick<Authentication, "idCred" | "chain"> {
  if (reader.peek() !== "map") {
    // A kid alone travels as its bare value, but is a map in every computation (§3.5.3.2).
    const kid = readIdentifierBytes(reader);
    return { idCred: encodeMap([encodeInt(KID), encodeBstr(kid)]), chain: undefined };
  }
  const idCred = reader.raw();
  const map = new CborReader(idCred);
  if (map.map() !== 1) throw new CborError("one header parameter names the credential");
  const label = map.int();
  if (label === KID) throw new CborError("a kid alone travels as its bare value");
  return { idCred, chain: label === X5CHAIN ? readChain(map) : undefined };
}

function readChain(reader: CborReader): Bytes[] {
  const single = reader.peek() !== "array";
  const count = single ? 1 : reader.array();
  if (!single && count < 2) throw new CborError("a single certificate is never in an array");
  if (count > LONGEST_CHAIN) throw new CborError("chain length");
  const chain: Bytes[] = [];
  for (let i = 0; i < count; i++) chain.push(reader.bstr());
  if (chain.some((certificate) => certificate.length === 0)) throw new CborError("empty certificate");
  return chain;
}

// EAD = 1* ( ead_label : int, ? ead_value : bstr )   §3.8: an unknown negative label is critical; padding (0) and
// unknown other labels are ignored, but stay in every hash and signature as they came.
function readEad(reader: CborReader): Bytes {
  const items: Bytes[] = [];
  while (!reader.done) {
    const label = reader.raw();
    const number = new CborReader(label).int();
    if (number < 0) throw new CborError("unknown critical external authorization data");
    items.push(label);
    if (!reader.done && reader.peek() === "bstr") items.push(reader.raw());
  }
  return concat(...items);
}

function decoding<Value>(bytes: Bytes, read: (reader: CborReader) => Value): Value {
  try {
    const reader = new CborReader(bytes);
    const value = read(reader);
    reader.end();
    return value;
  } catch (cause) {
    if (cause instanceof CborError) throw new SecError("MESSAGE", { message: cause.message, cause });
    throw cause;
  }
}

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
