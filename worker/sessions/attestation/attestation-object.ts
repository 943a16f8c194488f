import type { Bytes } from "../../../core/encoding/bytes.ts";
import { CborError, CborReader } from "../../../core/encoding/cbor.ts";

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
