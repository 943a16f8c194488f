import { integer, text } from "drizzle-orm/sqlite-core";

/** An instant: milliseconds since 1970. */
export const instant = (name: string) => integer(name);

/** A JSON array of texts. */
export const list = <T extends string>(name: string) => text(name, { mode: "json" }).$type<readonly T[]>();

export const flag = (name: string) => integer(name, { mode: "boolean" });
