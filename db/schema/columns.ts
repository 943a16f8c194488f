import { customType, integer, text } from "drizzle-orm/sqlite-core";

/** An instant: milliseconds since 1970. */
export const instant = (name: string) => integer(name);

/** A JSON array of texts. */
export const list = <T extends string>(name: string) => text(name, { mode: "json" }).$type<readonly T[]>();

/**
 * A JSON object with a letter for each name in `letters`, so that rows need not repeat the names. Names without a letter stay
 * as they are, and so does what was stored with its names.
 */
export function lettered<Name extends string>(name: string, letters: Readonly<Record<Name, string>>) {
  const names = Object.fromEntries(Object.entries<string>(letters).map(([one, letter]) => [letter, one]));
  const renamed = (fields: object, by: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(fields).map(([one, value]) => [by[one] ?? one, value]));
  return customType<{ data: Record<string, string | number>; driverData: string }>({
    dataType: () => "text",
    toDriver: (fields) => JSON.stringify(renamed(fields, letters)),
    fromDriver: (text) => renamed(JSON.parse(text), names),
  })(name);
}

export const flag = (name: string) => integer(name, { mode: "boolean" });
