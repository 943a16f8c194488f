import {
  Column,
  getTableName,
  Name,
  Param,
  type QueryWithTypings,
  SQL,
  StringChunk,
  Table,
} from "drizzle-orm";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";

/** Writes statements as drizzle does, which makes an object and a list for each part and merges them level by level. */
export class QuickDialect extends SQLiteAsyncDialect {
  override sqlToQuery(query: SQL): QueryWithTypings {
    const params: unknown[] = [];
    return { sql: this.#write(query, params), params };
  }

  #write(part: unknown, params: unknown[]): string {
    if (part === undefined) return "";
    if (part === null || typeof part !== "object") return bound(part, params);
    const kind = part.constructor;
    if (kind === StringChunk) return (part as StringChunk).value.join("");
    const isInlined = "shouldInlineParams" in part && part.shouldInlineParams === true;
    if (kind === SQL && !isInlined) return this.#writeAll((part as SQL).queryChunks, params).join("");
    if (kind === Param) return this.#writeParam(part as Param, params);
    if (kind === Name) return quoted((part as Name).value);
    if (part instanceof Column) return nameOf(part);
    if (part instanceof Table) return quoted(getTableName(part));
    if (Array.isArray(part)) return `(${this.#writeAll(part, params).join(", ")})`;
    if ("_prepare" in part) return `(${this.#write((part as unknown as SQL).getSQL(), params)})`;
    // Whatever else there is, drizzle knows.
    const other = super.sqlToQuery(new SQL([part as SQL]));
    params.push(...other.params);
    return other.sql;
  }

  #writeAll(parts: readonly unknown[], params: unknown[]): string[] {
    return parts.map((part) => this.#write(part, params));
  }

  #writeParam({ value, encoder }: Param, params: unknown[]): string {
    const encoded = value === null ? null : encoder.mapToDriverValue(value);
    return encoded instanceof SQL ? this.#write(encoded, params) : bound(encoded, params);
  }
}

function bound(value: unknown, params: unknown[]): string {
  params.push(value);
  return "?";
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Names of the schema's columns, as statements have them: a request writes hundreds. */
const names = new WeakMap<Column, string>();

function nameOf(column: Column): string {
  const known = names.get(column);
  if (known !== undefined) return known;
  const name = `${quoted(getTableName(column.table))}.${quoted(column.name)}`;
  names.set(column, name);
  return name;
}
