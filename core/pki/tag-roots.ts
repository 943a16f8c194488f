/** Tag CAs, and which device ids each may name. Pure data: who trusts them is not known here. */
import type { Bytes } from "../encoding/bytes.ts";

/** Beginnings of device ids that one tag CA may name, compared as ids are; "" begins every id. */
export type IdPrefixes = readonly string[];

/** The form in which device ids are compared (rules §5): trimmed, NFC, lower case. */
export const foldDeviceId = (id: string): string => id.normalize("NFC").trim().toLowerCase();

/** The DER roots that may name `deviceId`: those with a prefix of it in their list; without lists, all of them. */
export function rootsFor(
  roots: readonly Bytes[],
  prefixes: readonly IdPrefixes[] | undefined,
  deviceId: string,
): readonly Bytes[] {
  const id = foldDeviceId(deviceId);
  return roots.filter(
    (_, index) =>
      prefixes === undefined ||
      prefixes[index]?.some((prefix) => id.startsWith(foldDeviceId(prefix))) === true,
  );
}

/** What is wrong with the lists of `count` roots; undefined where each id has one root at most. */
export function prefixFault(count: number, prefixes: readonly IdPrefixes[] | undefined): string | undefined {
  if (prefixes === undefined)
    return count > 1 ? "several tag CAs, and no list of id prefixes for each" : undefined;
  if (prefixes.length !== count || prefixes.some((list) => list.length === 0))
    return "not one list of id prefixes for each tag CA";
  const folded = prefixes.map((list) => list.map(foldDeviceId));
  const overlap = folded.some((list, index) =>
    folded
      .slice(index + 1)
      .flat()
      .some((other) => list.some((one) => one.startsWith(other) || other.startsWith(one))),
  );
  return overlap ? "an id that two tag CAs may name" : undefined;
}
