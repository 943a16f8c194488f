import { type Bytes, fromBase64, toBase64 } from "../encoding/bytes.ts";
import { orRefuse } from "./certificate.ts";

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
