/**
 * The one shape of COSE that we sign: an untagged COSE_Sign1 with ES256 (RFC 9052 §4.2, RFC 9053 §2.1), its header
 * `{alg, kid}` all protected. Transaction tokens and tag statements differ only in their payload.
 *
 * ```cddl
 * sign1 = [ bstr .cbor { 1: -7, 4: kid bstr }, {}, payload: bstr, signature: bstr .size 64 ]
 * ```
 */
import type { Bytes } from "../encoding/bytes.ts";
import {
  CborError,
  CborReader,
  encodeArray,
  encodeBstr,
  encodeInt,
  encodeMap,
  encodeTstr,
} from "../encoding/cbor.ts";
import { ES256 } from "./primitives.ts";

/** A decoded, **not yet verified** COSE_Sign1. */
export interface Sign1 {
  readonly kid: Bytes;
  readonly payload: Bytes;
  /** Sig_structure (RFC 9052 §4.4) over the bytes as received. */
  readonly toBeSigned: Bytes;
  /** r‖s, 64 bytes. */
  readonly signature: Bytes;
}

const HEADER = { alg: 1, kid: 4 } as const;
const ALG_ES256 = -7;

/** Signs `payload`; `privateKey` is ECDSA P-256 with usage `sign`. */
export async function signSign1(kid: Bytes, payload: Bytes, privateKey: CryptoKey): Promise<Bytes> {
  const header = encodeMap(
    [encodeInt(HEADER.alg), encodeInt(ALG_ES256)],
    [encodeInt(HEADER.kid), encodeBstr(kid)],
  );
  const signature = await ES256.sign(privateKey, sigStructure(header, payload));
  return encodeArray(encodeBstr(header), encodeMap(), encodeBstr(payload), encodeBstr(signature));
}

/** Reads the one deterministic encoding and nothing else. Throws CborError. */
export function readSign1(bytes: Uint8Array): Sign1 {
  const reader = new CborReader(bytes);
  if (reader.array() !== 4) throw new CborError("not a COSE_Sign1");
  const header = reader.bstr();
  if (reader.map() !== 0) throw new CborError("unprotected header");
  const payload = reader.bstr();
  const signature = reader.bstr();
  reader.end();
  if (signature.length !== ES256.length) throw new CborError("signature length");
  return { kid: readKid(header), payload, toBeSigned: sigStructure(header, payload), signature };
}

/** Whether the signature is by `publicKey` (ECDSA P-256, usage `verify`). */
export function verifySign1(
  { signature, toBeSigned }: Pick<Sign1, "signature" | "toBeSigned">,
  publicKey: CryptoKey,
): Promise<boolean> {
  return ES256.verify(publicKey, signature, toBeSigned);
}

function readKid(header: Bytes): Bytes {
  const reader = new CborReader(header);
  const alg = reader.map() === 2 && reader.int() === HEADER.alg && reader.int() === ALG_ES256;
  if (!alg || reader.int() !== HEADER.kid) throw new CborError("protected header");
  const kid = reader.bstr();
  reader.end();
  return kid;
}

// Sig_structure = [ "Signature1", body_protected, external_aad: h'', payload ] (RFC 9052 §4.4)
function sigStructure(header: Bytes, payload: Bytes): Bytes {
  return encodeArray(
    encodeTstr("Signature1"),
    encodeBstr(header),
    encodeBstr(new Uint8Array(0)),
    encodeBstr(payload),
  );
}
