import type { TagEvent } from "../tag/tag-types.ts";

/** A token's own number and times: real ones, in any world. */
const OF_TOKENS = ["cti", "iat", "exp"];

/** What happened and when. Keys, nonces and signatures are random, so only their lengths are in it. */
export function storyOf(events: readonly TagEvent[]): string[] {
  const asText = (key: string, value: unknown) => {
    if (OF_TOKENS.includes(key)) return undefined;
    return isBytes(value) ? value.length : value;
  };
  return events.map((event) => JSON.stringify(event, asText));
}

function isBytes(value: unknown): value is Uint8Array | string {
  return value instanceof Uint8Array || (typeof value === "string" && /^[0-9a-f]{32,}$/.test(value));
}
