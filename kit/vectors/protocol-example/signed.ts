import { p256 } from "@noble/curves/nist.js";
import { type Bytes, concat, fromHex, toBase64Url } from "../../../core/encoding/bytes.ts";
import { readCertificate } from "../../../core/pki/certificate.ts";
import { importKey, verifyChain } from "../../../core/pki/chain.ts";
import { EKU_CLIENT } from "../../../core/pki/profiles.ts";
import {
  certificateHash,
  commitMark,
  decodeStatement,
  signStatement,
  verifyStatementSignature,
} from "../../../core/sec/statement.ts";
import { SUITES } from "../../../core/sec/suites.ts";
import { decodeToken, signToken } from "../../../core/sec/token.ts";
import vector from "../../../core/vectors/protocol-example.json" with { type: "json" };

/** What the worked example of docs/protocol.md starts from: fixed keys, certificates and random values. */

export type ExampleInputs = typeof vector.inputs;
export const EXAMPLE = vector;

/** Seconds since 1970 of 2026-11-21T12:00:00Z, when the example takes place. */
export const IAT = Date.UTC(2026, 10, 21, 12) / 1000;
export const TAG_ID = "ebt-21-0001";
export const TOKEN_KID = "example-1";

const ES256 = { name: "ECDSA", namedCurve: "P-256" };

/** The key that a private scalar belongs to, for WebCrypto: its public half is in the certificate's last key bytes. */
export async function tokenVerificationKey(inputs: ExampleInputs): Promise<CryptoKey> {
  const { x, y } = inputs.token_public_key;
  const jwk = { kty: "EC", crv: "P-256", x: toBase64Url(fromHex(x)), y: toBase64Url(fromHex(y)) };
  return crypto.subtle.importKey("jwk", jwk, ES256, true, ["verify"]);
}

/** DER chains, leaf first, and the anchors of either side. */
export function chainsOf(inputs: ExampleInputs): {
  readonly client: readonly Bytes[];
  readonly tag: readonly Bytes[];
  readonly clientRoot: Bytes;
  readonly tagCa: Bytes;
} {
  return {
    client: [fromHex(inputs.client_leaf_der), fromHex(inputs.client_intermediate_der)],
    tag: [fromHex(inputs.tag_leaf_der)],
    clientRoot: fromHex(inputs.client_root_der),
    tagCa: fromHex(inputs.tag_ca_der),
  };
}

/** What service and tag sign in the worked example: the token, and the statement of the commit. */

/** Adds a value to the example: its name and how it comes about. */
export type Add = (name: string, from: string, value: Bytes) => void;

/** RFC 6979, neither low nor high S preferred: ES256 that gives the same signature every time. */
export function sign(d: string, data: Bytes): Bytes {
  return new Uint8Array(p256.sign(data, fromHex(d), { lowS: false }));
}

export async function tokenOf(
  inputs: ExampleInputs,
  bound: { readonly binding: Bytes; readonly digest: Bytes },
  add: Add,
): Promise<Bytes> {
  const { client, clientRoot } = chainsOf(inputs);
  const { spki } = await verifyChain({ chain: client, anchors: [clientRoot], eku: EKU_CLIENT });
  const claims = {
    iss: "taglatch",
    aud: TAG_ID,
    exp: IAT + 120,
    iat: IAT,
    cti: fromHex(inputs.cti),
    nonce: fromHex(inputs.nonce),
    ttl: 120,
    cnfSpkiSha256: await SUITES[6].hash.digest(spki),
    channelBinding: bound.binding,
    version: "2.1",
    payloadDigest: bound.digest,
    operation: "write",
  } as const;
  const shape = await signToken(claims, { kid: TOKEN_KID, privateKey: await throwaway() });
  const { toBeSigned: signed } = decodeToken(shape);
  const signature = sign(inputs.token_sign_key_d, signed);
  const token = concat(shape.slice(0, -64), signature);
  add("client key", "the leaf's SubjectPublicKeyInfo", spki);
  add("cnf", "SHA-256(client key)", claims.cnfSpkiSha256);
  add("signed by the service", "Sig_structure [\"Signature1\", header, h'', claims]", signed);
  add("token signature", "ES256 by the service's token key", signature);
  add("token", "[header, {}, claims, signature]", token);
  return token;
}

/** Something is signed once by WebCrypto for its encoding; the example's own signature is deterministic. */
async function throwaway(): Promise<CryptoKey> {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign"]);
  return (pair as CryptoKeyPair).privateKey;
}

export async function statementOf(inputs: ExampleInputs, digest: Bytes, add: Add): Promise<Bytes> {
  const leaf = fromHex(inputs.tag_leaf_der);
  const hash = await certificateHash(leaf);
  const mark = await commitMark(fromHex(inputs.nonce), digest);
  const said = { deviceId: TAG_ID, cti: fromHex(inputs.cti), mark, operation: "write", commits: 1 } as const;
  const shape = await signStatement(said, { certificateHash: hash, privateKey: await throwaway() });
  const { toBeSigned: signed } = decodeStatement(shape);
  const signature = sign(inputs.tag_sign_key_d, signed);
  const statement = concat(shape.slice(0, -64), signature);
  const key = await importKey(readCertificate(leaf));
  if (!(await verifyStatementSignature(decodeStatement(statement), key)))
    throw new Error("another signature");
  add("mark", "SHA-256(nonce | payload digest)", mark);
  add("certificate hash", "SHA-256(tag leaf), first 8 bytes", hash);
  add("signed by the tag, statement", "Sig_structure [\"Signature1\", header, h'', claims]", signed);
  add("statement signature", "ES256 by the tag's key", signature);
  add("statement", "[header, {}, claims, signature]", statement);
  return statement;
}
