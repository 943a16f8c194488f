/**
 * The size of a database in which bags come and go, from the rows of one journey. Their own bytes are not enough: pages
 * fill as far as their keys come in order, and a row that shrinks where it is leaves its place empty.
 */
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";

export type Row = Readonly<Record<string, SQLOutputValue>>;

/** A row as a bag or a booking leaves it, or its end, so many days after the journey's beginning. */
export interface Change {
  readonly table: string;
  readonly row: Row;
  readonly day: number;
  readonly isEnd?: boolean;
}

export interface Traffic {
  /** What makes the tables and indexes. */
  readonly schema: readonly string[];
  /** Of bookings with `bags` bags in all. */
  readonly fed: readonly Change[];
  readonly bags: number;
  /** Of one bag's journey. */
  readonly travelled: readonly Change[];
}

/** Enough for the size of a page to count little, and for every row to have gone that goes. */
const BAGS_A_DAY = 600;
const DAYS = 45;
/** Of these, each deletes what has ended since the one before. */
const STEPS_A_DAY = 48;
const DAY = 86_400_000;

/** Bytes of each table with its indexes, at any time, for each bag a day. */
export function steadyState({ schema, fed, bags, travelled }: Traffic): ReadonlyMap<string, number> {
  const database = new DatabaseSync(":memory:");
  database.exec(`pragma foreign_keys = off; ${schema.join(";")}`);
  const empty = sizesOf(database);
  const statements = new Map(
    [...fed, ...travelled].map(({ table, row }) => [table, statementsOf(database, table, row)]),
  );
  const due = Array.from({ length: DAYS * STEPS_A_DAY }, (): (() => void)[] => []);
  const begin = (changes: readonly Change[], step: number) => {
    const copy = copier((step * DAY) / STEPS_A_DAY);
    for (const { table, row, day, isEnd = false } of changes) {
      const statement = statements.get(table)?.[isEnd ? "remove" : "write"];
      const copied = copy(table, row);
      due[Math.ceil(step + day * STEPS_A_DAY)]?.push(() => void statement?.run(copied));
    }
  };
  const feedsBefore = (step: number) => Math.round((step * BAGS_A_DAY) / bags / STEPS_A_DAY);
  for (const [step, changes] of due.entries()) {
    for (let nth = feedsBefore(step); nth < feedsBefore(step + 1); nth += 1) {
      begin(fed, step);
      for (let bag = 0; bag < bags; bag += 1) begin(travelled, step);
    }
    database.exec("begin");
    for (const change of changes.splice(0)) change();
    database.exec("commit");
  }
  const sizes = [...sizesOf(database)];
  return new Map(sizes.map(([name, bytes]) => [name, (bytes - (empty.get(name) ?? 0)) / BAGS_A_DAY]));
}

function sizesOf(database: DatabaseSync): ReadonlyMap<string, number> {
  const sizes = database
    .prepare(
      `select tbl_name as name, sum(pgsize) as bytes from dbstat join sqlite_master using (name) group by 1
       union all select '(free pages)', freelist_count * page_size from pragma_freelist_count, pragma_page_size`,
    )
    .all();
  return new Map(sizes.map(({ name, bytes }) => [String(name), Number(bytes)]));
}

/** The columns of a table's primary key. */
export const keysOf = (database: DatabaseSync, table: string): readonly string[] =>
  database
    .prepare(`select name from pragma_table_info(?) where pk > 0`)
    .all(table)
    .map(({ name }) => String(name));

/** Statements that take a whole row by the names of its columns. */
function statementsOf(database: DatabaseSync, table: string, row: Row) {
  const columns = Object.keys(row);
  const isRow = keysOf(database, table).map((name) => `${name} = :${name}`);
  const prepare = (text: string) => {
    const statement = database.prepare(text);
    statement.setAllowUnknownNamedParameters(true);
    return statement;
  };
  return {
    write: prepare(`replace into ${table} (${columns}) values (${columns.map((name) => `:${name}`)})`),
    remove: prepare(`delete from ${table} where ${isRow.join(" and ")}`),
  };
}

/** Shorter texts are codes, which come again. */
const SHORTEST_ID = 10;
/** Columns of days, and of numbers that are as good as random. */
const DAYS_SINCE_1970: readonly string[] = ["day", "flight_day"];
const NUMBERS: readonly string[] = ["id", "baggage_id", "licence_plate"];

/** Copies the rows of one journey, whose ids become others, for one that is `by` milliseconds later. */
function copier(by: number): (table: string, row: Row) => Row {
  const ids = new Map<unknown, SQLOutputValue>();
  const other = (id: unknown, make: () => SQLOutputValue) => {
    const copy = ids.get(id) ?? make();
    ids.set(id, copy);
    return copy;
  };
  /** As long as the value, and in the same order of time. */
  const copyOf = (table: string, column: string, value: SQLOutputValue): SQLOutputValue => {
    if (column === "event") return value;
    // The log numbers its rows in their order.
    if (table === "audit_log" && column === "id") return other(`entry ${value}`, nextNumber);
    if (DAYS_SINCE_1970.includes(column)) return Number(value) + Math.floor(by / DAY);
    if (typeof value === "number" && value > 1e12) return value + by;
    if (typeof value === "string" && value.length >= SHORTEST_ID)
      return other(value, () => otherText(value, by));
    return typeof value === "number" && NUMBERS.includes(column) ? other(value, otherNumber) : value;
  };
  return (table, row) =>
    Object.fromEntries(Object.entries(row).map(([column, value]) => [column, copyOf(table, column, value)]));
}

let numbers = 0;
const nextNumber = () => ++numbers;

/** 31 bits, in no order, and none twice. */
const otherNumber = () => Math.imul(nextNumber(), 0x41c6_4e6d) & 0x7fff_ffff;

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Digits for digits, letters for letters; ids that begin with the seconds since 1970 begin with later ones. */
function otherText(text: string, by: number): string {
  const [seconds = ""] = /^6[0-9a-f]{7}/.exec(text) ?? [];
  const later = seconds && (Number.parseInt(seconds, 16) + Math.floor(by / 1_000)).toString(16);
  const rest = text
    .slice(later.length)
    .replace(/\d/g, () => String(Math.floor(Math.random() * 10)))
    .replace(/[A-Za-z]/g, () => LETTERS[Math.floor(Math.random() * LETTERS.length)] as string);
  return later + rest;
}
