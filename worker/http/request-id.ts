import { type Bytes, toHex } from "../../core/encoding/bytes.ts";

/**
 * An id for `X-Request-Id`, log lines and the rows that a request writes: 64 bits in hexadecimal, because it is in most of the
 * tables. It is no secret, and what asks a row for it names the row's tag, key or journey, too.
 */
export const newRequestId = (random: (length: number) => Bytes): string => toHex(random(8));
