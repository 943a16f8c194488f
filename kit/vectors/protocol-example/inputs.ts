/** What the worked example of docs/protocol.md starts from: fixed keys, certificates and random values. */
import { type Bytes, fromHex, toBase64Url } from "../../../core/encoding/bytes.ts";
import vector from "../../../core/vectors/protocol-example.json" with { type: "json" };

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
