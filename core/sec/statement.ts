/**
 * The tag's own word on its last commit (protocol.md, Statement): an untagged COSE_Sign1 by the device key. The tag signs
 * it and the service reads it with this file; what the service makes of it is not known here.
 *
 * ```cddl
 * statement = [ bstr .cbor { 1: -7, 4: SHA-256(device certificate)[0..8] }, {}, bstr .cbor claims, bstr .size 64 ]
 * claims = { 1: device id tstr, 2: cti bstr .size 8 / null, 3: mark bstr .size 32 / null, 4: operation 1 / 2 / null,
 *            5: commits uint, ? 6: challenge bstr .size 16 }
 * ```
 */
import { type Bytes, concat } from "../encoding/bytes.ts";
import {
  CborError,
  CborReader,
  encodeBstr,
  encodeInt,
  encodeMap,
  encodeSimple,
  encodeTstr,
} from "../encoding/cbor.ts";
import { readSign1, signSign1, verifySign1 } from "./cose.ts";
import { SecError } from "./errors.ts";
import { SHA_256 } from "./primitives.ts";
import type { TokenOperation } from "./token.ts";

/** What the tag says. `cti`, `mark` and `operation` are null together: nothing was ever committed. */
export interface TagStatement {
  /** 1–128 characters, as the tag's certificate has it. */
  readonly deviceId: string;
  /** 8 bytes, of the last committed token. */
  readonly cti: Bytes | null;
  /** 32 bytes, {@link commitMark} of the last commit. */
  readonly mark: Bytes | null;
  readonly operation: TokenOperation | null;
  /** Commits since manufacture, on either path; uint32. */
  readonly commits: number;
  /** 16 bytes, as the client gave them; absent where it asked nothing. */
  readonly challenge?: Bytes;
}

/** A decoded, **not yet verified** statement. */
export interface DecodedStatement {
  /** First 8 bytes of SHA-256 of the device certificate: which certificate to verify under. */
  readonly certificateHash: Bytes;
  readonly statement: TagStatement;
  /** Sig_structure (RFC 9052 §4.4) over the bytes as received. */
  readonly toBeSigned: Bytes;
  /** r‖s, 64 bytes. */
  readonly signature: Bytes;
}

export const STATEMENT_LIMIT = {
  /** Longest statement: about 170 bytes with a short device id, 545 with the longest in UTF-8. */
  bytes: 768,
  /** Characters of a device id. */
  deviceId: 128,
  /** The highest number of commits. */
  commits: 0xffff_ffff,
} as const;

const CLAIM = { deviceId: 1, cti: 2, mark: 3, operation: 4, commits: 5, challenge: 6 } as const;
/** By their numbers, from 1. */
const OPERATION: readonly TokenOperation[] = ["write", "clear"];
const LENGTH = { hash: 8, cti: 8, mark: 32, challenge: 16 } as const;

/**
 * Reads a statement. Only the one deterministic encoding passes, with nothing unknown, double or left over.
 *
 * @throws SecError `STATEMENT_FORMAT`
 */
export function decodeStatement(bytes: Uint8Array): DecodedStatement {
  try {
    if (bytes.length > STATEMENT_LIMIT.bytes) throw new CborError("too long");
    const { kid, payload, toBeSigned, signature } = readSign1(bytes);
    const statement = readClaims(payload);
    checkRanges(statement, kid);
    return { certificateHash: kid, statement, toBeSigned, signature };
  } catch (cause) {
    return refuse(cause);
  }
}

/** Whether the signature of `decoded` is by `publicKey` (ECDSA P-256, usage `verify`). */
export function verifyStatementSignature(decoded: DecodedStatement, publicKey: CryptoKey): Promise<boolean> {
  return verifySign1(decoded, publicKey);
}

/** How a statement names the certificate it is under: the first 8 bytes of SHA-256 of the DER. */
export async function certificateHash(certificate: Bytes): Promise<Bytes> {
  return (await SHA_256.digest(certificate)).slice(0, LENGTH.hash);
}

/**
 * The mark of a commit, 32 bytes: SHA-256(nonce ‖ SHA-256(payload)). Only the writer knows the nonce, so that no other party
 * who merely guesses a label can confirm it from its mark.
 */
export function commitMark(nonce: Bytes, payloadDigest: Bytes): Promise<Bytes> {
  return SHA_256.digest(concat(nonce, payloadDigest));
}

function readClaims(payload: Bytes): TagStatement {
  const reader = new CborReader(payload);
  const count = reader.map();
  if (count !== CLAIM.commits && count !== CLAIM.challenge) throw new CborError("number of claims");
  const claim = <T>(label: number, read: () => T): T => {
    if (reader.int() !== label) throw new CborError(`claim ${label} belongs here`);
    return read();
  };
  const bytes = () => orNull(reader, () => reader.bstr());
  const statement = {
    deviceId: claim(CLAIM.deviceId, () => reader.tstr()),
    cti: claim(CLAIM.cti, bytes),
    mark: claim(CLAIM.mark, bytes),
    operation: claim(CLAIM.operation, () => orNull(reader, () => operationOf(reader.uint()))),
    commits: claim(CLAIM.commits, () => reader.uint()),
    ...(count === CLAIM.challenge && { challenge: claim(CLAIM.challenge, () => reader.bstr()) }),
  };
  reader.end();
  return statement;
}

function orNull<T>(reader: CborReader, read: () => T): T | null {
  if (reader.peek() !== "simple") return read();
  if (reader.simple() !== null) throw new CborError("null belongs here");
  return null;
}

function operationOf(value: number): TokenOperation {
  const operation = OPERATION[value - 1];
  if (operation === undefined) throw new CborError("unknown operation");
  return operation;
}

/** @throws CborError for what no service would read */
function checkRanges(statement: TagStatement, hash: Bytes): void {
  const { deviceId, cti, mark, operation, commits, challenge } = statement;
  if (hash.length !== LENGTH.hash) throw new CborError("length of the certificate's hash");
  if (deviceId === "" || deviceId.length > STATEMENT_LIMIT.deviceId) throw new CborError("device id");
  if ((cti === null) !== (mark === null) || (cti === null) !== (operation === null))
    throw new CborError("cti, mark and operation are null together");
  if (cti !== null && cti.length !== LENGTH.cti) throw new CborError("length of cti");
  if (mark !== null && mark.length !== LENGTH.mark) throw new CborError("length of mark");
  if (challenge !== undefined && challenge.length !== LENGTH.challenge)
    throw new CborError("length of challenge");
  if (!Number.isInteger(commits) || commits < 0 || commits > STATEMENT_LIMIT.commits)
    throw new CborError("commits");
}

/** @throws SecError `STATEMENT_FORMAT` */
function refuse(cause: unknown): never {
  const message = cause instanceof Error ? cause.message : "not a statement";
  throw new SecError("STATEMENT_FORMAT", { message, cause });
}

/**
 * Signs `statement` with the device key; `certificateHash` is {@link certificateHash} of its certificate.
 *
 * @throws SecError `STATEMENT_FORMAT` for values that no service would read
 */
export async function signStatement(
  statement: TagStatement,
  key: { readonly certificateHash: Bytes; readonly privateKey: CryptoKey },
): Promise<Bytes> {
  try {
    checkRanges(statement, key.certificateHash);
  } catch (cause) {
    refuse(cause);
  }
  return signSign1(key.certificateHash, encodeClaims(statement), key.privateKey);
}

function encodeClaims({ deviceId, cti, mark, operation, commits, challenge }: TagStatement): Bytes {
  const orNull = (bytes: Bytes | null) => (bytes === null ? encodeSimple(null) : encodeBstr(bytes));
  const values = [
    encodeTstr(deviceId),
    orNull(cti),
    orNull(mark),
    operation === null ? encodeSimple(null) : encodeInt(OPERATION.indexOf(operation) + 1),
    encodeInt(commits),
    ...(challenge === undefined ? [] : [encodeBstr(challenge)]),
  ];
  return encodeMap(...values.map((value, i) => [encodeInt(i + 1), value] as const));
}
