import type { Bytes } from "../bytes.ts";

/**
 * Splits concatenated DER certificates (endpoint 7: intermediate ‖ leaf) by their own lengths, in the order given.
 * Every part is one SEQUENCE with a minimal definite length; no byte is left over.
 *
 * @throws SecError `CHAIN`
 */
export function splitDer(_bytes: Uint8Array): Bytes[] {
	throw new Error("not built yet");
}
