/** The tag's half of statement.ts: a file of its own, because clients and the service only read statements. */
import type { Bytes } from "../encoding/bytes.ts";
import { encodeBstr, encodeInt, encodeMap, encodeSimple, encodeTstr } from "../encoding/cbor.ts";
import { signSign1 } from "./cose.ts";
import { checkRanges, OPERATION, refuse, type TagStatement } from "./statement.ts";

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
