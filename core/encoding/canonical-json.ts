/** What JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/**
 * The one text of a JSON value (RFC 8785): no spaces, names of an object in the order of their UTF-16 code units, numbers
 * and strings as ECMAScript writes them. For digests over values that have been read and written in between.
 */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value as { readonly [name: string]: Json }).sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`;
}
