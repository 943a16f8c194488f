import { type Bytes, concat } from "../../core/encoding/bytes.ts";

/** A body, at most `limit` bytes of it ever in memory; undefined for a longer one. */
export async function readCapped({ body }: Body, limit: number): Promise<Bytes | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body ?? []) {
    length += part.length;
    if (length > limit) return undefined;
    parts.push(part);
  }
  return concat(...parts);
}
