import { type Bytes, toHex } from "../../../core/encoding/bytes.ts";
import { CborError, CborReader } from "../../../core/encoding/cbor.ts";
import { Reader } from "../../../core/encoding/cursor.ts";
import { COSE_ALG } from "./cose-key.ts";

/**
 * The data that authenticators sign, the same in WebAuthn (Level 3 §6.1) and App Attest: rpIdHash 32 · flags
 * 1 · signCount 4, big-endian · then, where flag AT says so, aaguid 16 · length 2, big-endian · credential id
 * · COSE_Key · and, where flag ED says so, a map of extensions. Every byte is consumed.
 */
export interface AuthenticatorData {
  readonly rpIdHash: Bytes;
  readonly flags: number;
  readonly counter: number;
  /** What follows the counter, unread. */
  readonly rest: Bytes;
}

export interface AttestedCredential {
  /** Hexadecimal. */
  readonly aaguid: string;
  readonly id: Bytes;
  /** COSE_Key (RFC 9052 §7), as received. */
  readonly publicKey: Bytes;
  /** Its `alg`. */
  readonly algorithm: number;
}

export const FLAG = { UP: 0x01, UV: 0x04, BE: 0x08, BS: 0x10, AT: 0x40, ED: 0x80 } as const;

/** Throws CursorError where the bytes are too short. */
export function readAuthenticatorData(bytes: Bytes): AuthenticatorData {
  const reader = new Reader(bytes);
  const rpIdHash = reader.take(32);
  const flags = reader.u8();
  const counter = new DataView(reader.take(4).buffer).getUint32(0);
  return { rpIdHash, flags, counter, rest: reader.rest() };
}

/**
 * The credential of a registration. Throws CursorError, CborError, TypeError if it does not fit to the byte.
 */
export function readAttestedCredential({ flags, rest }: AuthenticatorData): AttestedCredential {
  if ((flags & FLAG.AT) === 0) throw new TypeError("no attested credential");
  const reader = new Reader(rest);
  const aaguid = toHex(reader.take(16));
  const id = reader.take(new DataView(reader.take(2).buffer).getUint16(0));
  const cbor = new CborReader(reader.rest());
  const publicKey = cbor.raw();
  endWithExtensions(flags, cbor);
  return { aaguid, id, publicKey, algorithm: algorithmOf(publicKey) };
}

/** Extensions, where the flags promise them, and nothing after the counter otherwise. Throws CborError. */
export const readExtensions = ({ flags, rest }: AuthenticatorData): void =>
  endWithExtensions(flags, new CborReader(rest));

function endWithExtensions(flags: number, cbor: CborReader): void {
  if ((flags & FLAG.ED) !== 0) cbor.raw();
  cbor.end();
}

function algorithmOf(coseKey: Bytes): number {
  const cbor = new CborReader(coseKey);
  for (let left = cbor.map(); left > 0; left--) {
    if (cbor.int() === COSE_ALG) return cbor.int();
    cbor.raw();
  }
  throw new TypeError("a key without algorithm");
}

/** A WebAuthn attestation object (WebAuthn Level 3 §6.5), which Apple's App Attest uses as well. */
export interface AttestationObject {
  readonly fmt: string;
  /** The attestation statement, CBOR as received. */
  readonly attStmt: Bytes;
  readonly authData: Bytes;
}

/** Reads exactly the three members, each once and in any order. Throws CborError. */
export function readAttestationObject(bytes: Bytes): AttestationObject {
  const { fmt, attStmt, authData } = readMembers(bytes, {
    fmt: (cbor) => cbor.tstr(),
    attStmt: (cbor) => cbor.raw(),
    authData: (cbor) => cbor.bstr(),
  });
  return { fmt, attStmt, authData };
}

type Readers = Readonly<Record<string, (cbor: CborReader) => unknown>>;
type Members<R extends Readers> = { readonly [name in keyof R]: ReturnType<R[name]> };

/**
 * Reads a map with text keys that has exactly the members of `readers`, and no byte after it. Throws
 * CborError.
 */
export function readMembers<const R extends Readers>(bytes: Bytes, readers: R): Members<R> {
  const cbor = new CborReader(bytes);
  const members = new Map<string, unknown>();
  for (let left = cbor.map(); left > 0; left--) {
    const name = cbor.tstr();
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (read === undefined || members.has(name)) throw new CborError("a member too many");
    members.set(name, read(cbor));
  }
  cbor.end();
  if (members.size < Object.keys(readers).length) throw new CborError("a member is missing");
  return Object.fromEntries(members) as Members<R>;
}
