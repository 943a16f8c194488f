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
    if (typeof part !== "object" || part === null) return part === undefined ? "" : bound(part, params);
    const kind = part.constructor;
    if (kind === StringChunk) return (part as StringChunk).value.join("");
    if (kind === SQL && !(part as unknown as Inlining).shouldInlineParams) {
      return this.#writeAll((part as SQL).queryChunks, params, "");
    }
    if (kind === Param) return this.#writeParam(part as Param, params);
    return names.get(part) ?? this.#writeOther(part, params);
  }

  #writeAll(parts: readonly unknown[], params: unknown[], between: string): string {
    let text = "";
    for (let i = 0; i < parts.length; i += 1) {
      text += i > 0 && between ? between + this.#write(parts[i], params) : this.#write(parts[i], params);
    }
    return text;
  }

  #writeParam({ value, encoder }: Param, params: unknown[]): string {
    const encoded = value === null ? null : encoder.mapToDriverValue(value);
    return encoded instanceof SQL ? this.#write(encoded, params) : bound(encoded, params);
  }

  #writeOther(part: object, params: unknown[]): string {
    if (Array.isArray(part)) return `(${this.#writeAll(part, params, ", ")})`;
    if (part instanceof Name) return quoted(part.value);
    if (part instanceof Column)
      return named(part, `${quoted(getTableName(part.table))}.${quoted(part.name)}`);
    if (part instanceof Table) return named(part, quoted(getTableName(part)));
    if ("_prepare" in part) return `(${this.#write((part as unknown as SQL).getSQL(), params)})`;
    // Whatever else there is, drizzle knows.
    const other = super.sqlToQuery(new SQL([part as SQL]));
    params.push(...other.params);
    return other.sql;
  }
}

/** What drizzle's types keep to themselves. */
interface Inlining {
  readonly shouldInlineParams: boolean;
}

function bound(value: unknown, params: unknown[]): string {
  params.push(value);
  return "?";
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Names of the schema's tables and columns, as statements have them: a request writes hundreds. */
const names = new WeakMap<object, string>();

function named(part: Column | Table, name: string): string {
  names.set(part, name);
  return name;
}
