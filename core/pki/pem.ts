import { type Bytes, copyBytes, fromBase64, toBase64 } from "../encoding/bytes.ts";
import { contentOf, DER_TAG, readValues } from "../encoding/der.ts";
import { orRefuse, refuse } from "./certificate.ts";

/** One certificate as PEM text (RFC 7468 §5.1). */
export function toPem(certificate: Bytes): string {
  const lines = toBase64(certificate).replaceAll(/.{1,64}/g, "$&\n");
  return `-----BEGIN CERTIFICATE-----\n${lines}-----END CERTIFICATE-----\n`;
}

/**
 * DER of every certificate in `text`, in order; text around the blocks is explanatory and skipped (RFC 7468 §2).
 *
 * @throws PkiError `CHAIN` when a block is not base64. A text without blocks gives no certificates.
 */
export function fromPem(text: string): Bytes[] {
  const blocks = text.matchAll(/-----BEGIN CERTIFICATE-----([\s\S]*?)-----END CERTIFICATE-----/g);
  return orRefuse(() => [...blocks].map(([, body]) => fromBase64((body as string).replaceAll(/\s/g, ""))));
}

/**
 * Splits concatenated DER certificates (endpoint 7: intermediate ‖ leaf) by their own lengths, in the order given.
 * Every part is one SEQUENCE with a minimal definite length; no byte is left over and at least one part is there.
 *
 * @throws PkiError `CHAIN`
 */
export function splitDer(bytes: Uint8Array): Bytes[] {
  return orRefuse(() => {
    const values = readValues(bytes);
    if (values.length === 0) refuse("no certificate");
    for (const value of values) contentOf(value, DER_TAG.SEQUENCE);
    return values.map((value) => copyBytes(value.whole));
  });
}
