import { type Bytes, copyBytes } from "../encoding/bytes.ts";
import { contentOf, DER_TAG, readValues } from "../encoding/der.ts";
import { orRefuse } from "./certificate.ts";
import { refuse } from "./errors.ts";

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
