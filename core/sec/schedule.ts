import { type Bytes, concat } from "../bytes.ts";
import { encodeBstr, encodeInt } from "./cbor.ts";
import type { Suite } from "./suites.ts";

/** EDHOC_KDF (RFC 9528 §4.1.2). */
export async function edhocKdf(
  suite: Suite,
  prk: Bytes,
  label: number,
  context: Bytes,
  length: number,
): Promise<Bytes> {
  return suite.hash.expand(prk, concat(encodeInt(label), encodeBstr(context), encodeInt(length)), length);
}
