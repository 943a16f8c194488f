import { type Bytes, fromBase64, toBase64 } from "../encoding/bytes.ts";
import { refuse } from "./errors.ts";

/** One certificate as PEM text (RFC 7468 §5.1). */
export function toPem(certificate: Bytes): string {
  const lines = toBase64(certificate).match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}

/**
 * DER of every certificate in `text`, in order; text around the blocks is explanatory and skipped (RFC 7468 §2).
 *
 * @throws PkiError `CHAIN` when a block is not base64. A text without blocks gives no certificates.
 */
export function fromPem(text: string): Bytes[] {
  const blocks = text.matchAll(/-----BEGIN CERTIFICATE-----([\s\S]*?)-----END CERTIFICATE-----/g);
  try {
    return [...blocks].map(([, body = ""]) => fromBase64(body.replaceAll(/\s/g, "")));
  } catch (cause) {
    refuse("not PEM", cause);
  }
}
