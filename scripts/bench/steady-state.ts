/**
 * The size of a database in which bags come and go, from the rows of one journey. Their own bytes are not enough: pages
 * fill as far as their keys come in order, and a row that shrinks where it is leaves its place empty.
 */
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";

export type Row = Readonly<Record<string, SQLOutputValue>>;

/** A row that each bag, or each booking, leaves. */
export interface LeftRow {
  readonly table: string;
  readonly row: Row;
  /** Days after the journey's beginning: when it is written, and when it is deleted. */
  readonly from: number;
  readonly until: number;
  /** What it becomes, and when, where it is not deleted as it was written. */
  readonly later?: { readonly row: Row; readonly from: number };
}

export interface Traffic {
  /** What makes the tables and indexes. */
  readonly schema: readonly string[];
  /** Of bookings with `bags` bags in all. */
  readonly fed: readonly LeftRow[];
  readonly bags: number;
  /** Of one bag's journey. */
  readonly travelled: readonly LeftRow[];
  /** When the journey was, in milliseconds since 1970. */
  readonly at: number;
}

/** Enough for the size of a page to count little, and for every row to have gone that goes. */
const BAGS_A_DAY = 600;
const DAYS = 45;
/** Of these, each deletes what has ended since the one before. */
const STEPS_A_DAY = 48;
const DAY = 86_400_000;
/** Shorter texts are codes, which come again. */
const SHORTEST_ID = 10;

/** Bytes of each table with its indexes, at any time, for each bag a day. */
export function steadyState(traffic: Traffic): ReadonlyMap<string, number> {
  const copies = new Copies(traffic);
  const feedsBefore = (step: number) => Math.round((step * BAGS_A_DAY) / traffic.bags / STEPS_A_DAY);
  for (let step = 0; step < DAYS * STEPS_A_DAY; step += 1) {
    const now = traffic.at + (step * DAY) / STEPS_A_DAY;
    copies.inOne(() => {
      for (let nth = feedsBefore(step); nth < feedsBefore(step + 1); nth += 1) {
        copies.begin(traffic.fed, now);
        for (let bag = 0; bag < traffic.bags; bag += 1) copies.begin(traffic.travelled, now);
      }
      copies.runUntil(now);
    });
  }
  return new Map([...copies.sizes()].map(([name, bytes]) => [name, bytes / BAGS_A_DAY]));
}

type Change = () => void;

/** Copies of the rows with other ids, at other times. */
class Copies {
  readonly #database = new DatabaseSync(":memory:");
  readonly #tables = new Map<string, Table>();
  /** Changes to come, by the {@link LeftRow} they are of: those of one come in order. */
  readonly #coming = new Map<string, { readonly at: number; readonly change: Change }[]>();
  readonly #wasAt: number;
  /** Of the tables without rows. */
  readonly #empty: ReadonlyMap<string, number>;

  constructor({ schema, at }: Traffic) {
    this.#wasAt = at;
    this.#database.exec(`pragma foreign_keys = off; ${schema.join(";")}`);
    this.#empty = this.#sizes();
  }

  inOne(work: () => void): void {
    this.#database.exec("begin");
    work();
    this.#database.exec("commit");
  }

  begin(rows: readonly LeftRow[], at: number): void {
    const ids = new Map<SQLOutputValue, SQLOutputValue>();
    const copied = (row: Row) =>
      Object.entries(row).map(([column, value]) => copyOf(column, value, { ids, by: at - this.#wasAt }));
    for (const [nth, { table, row, from, until, later }] of rows.entries()) {
      const { insert, update, remove } = this.#table(table, Object.keys(row));
      const values = copied(row);
      let key: readonly SQLOutputValue[];
      this.#at(`${table} ${nth} from`, at + from * DAY, () => (key = insert(values)));
      if (later) {
        const changed = copied(later.row);
        this.#at(`${table} ${nth} later`, at + later.from * DAY, () => update(changed, key));
      }
      this.#at(`${table} ${nth} until`, at + until * DAY, () => remove(key));
    }
  }

  runUntil(now: number): void {
    for (const changes of this.#coming.values()) {
      const due = changes.findIndex(({ at }) => at > now);
      for (const { change } of changes.splice(0, due < 0 ? changes.length : due)) change();
    }
  }

  /** Bytes that the rows take. */
  sizes(): ReadonlyMap<string, number> {
    return new Map([...this.#sizes()].map(([name, bytes]) => [name, bytes - (this.#empty.get(name) ?? 0)]));
  }

  #sizes(): ReadonlyMap<string, number> {
    const tables = this.#database
      .prepare(
        "select tbl_name as name, sum(pgsize) as bytes from dbstat join sqlite_master using (name) group by 1",
      )
      .all() as unknown as readonly { readonly name: string; readonly bytes: number }[];
    const [free] = this.#database.prepare("pragma freelist_count").all();
    const [page] = this.#database.prepare("pragma page_size").all();
    const unused = Number(free?.freelist_count) * Number(page?.page_size);
    return new Map([...tables.map(({ name, bytes }) => [name, bytes] as const), ["(free pages)", unused]]);
  }

  #at(kind: string, at: number, change: Change): void {
    const changes = this.#coming.get(kind) ?? [];
    changes.push({ at, change });
    this.#coming.set(kind, changes);
  }

  #table(name: string, columns: readonly string[]): Table {
    const table = this.#tables.get(name) ?? tableOf(this.#database, name, columns);
    this.#tables.set(name, table);
    return table;
  }
}

interface Table {
  /** Returns the row's key. */
  insert(values: readonly SQLOutputValue[]): readonly SQLOutputValue[];
  update(values: readonly SQLOutputValue[], key: readonly SQLOutputValue[]): void;
  remove(key: readonly SQLOutputValue[]): void;
}

/** The columns of a table's primary key. */
export const keysOf = (database: DatabaseSync, table: string): readonly string[] =>
  database
    .prepare(`pragma table_info(${table})`)
    .all()
    .flatMap(({ pk, name }) => (pk === 0 ? [] : [String(name)]));

function tableOf(database: DatabaseSync, name: string, columns: readonly string[]): Table {
  const keys = keysOf(database, name);
  const isKey = keys.map((key) => `${key} = ?`).join(" and ");
  const places = keys.map((key) => columns.indexOf(key));
  const changes = columns.map((column) => `${column} = ?`);
  const insert = database.prepare(`insert into ${name} (${columns}) values (${columns.map(() => "?")})`);
  const update = database.prepare(`update ${name} set ${changes} where ${isKey}`);
  const remove = database.prepare(`delete from ${name} where ${isKey}`);
  // The log numbers its rows in their order.
  const isNumbered = name === "audit_log";
  return {
    insert: (values) => {
      const row = isNumbered ? values.map((value, nth) => (places.includes(nth) ? null : value)) : values;
      const { lastInsertRowid } = insert.run(...row);
      return isNumbered ? [lastInsertRowid as number] : places.map((nth) => values[nth] as SQLOutputValue);
    },
    update: (values, key) => void update.run(...values, ...key),
    remove: (key) => void remove.run(...key),
  };
}

interface Copying {
  /** Of this copy, by what they were. */
  readonly ids: Map<SQLOutputValue, SQLOutputValue>;
  /** Milliseconds. */
  readonly by: number;
}

/** As long as the value, and in the same order of time. */
function copyOf(column: string, value: SQLOutputValue, { ids, by }: Copying): SQLOutputValue {
  if (column === "event") return value;
  if (DAYS_SINCE_1970.includes(column)) return Number(value) + Math.floor(by / DAY);
  const isId = typeof value === "string" ? value.length >= SHORTEST_ID : NUMBERS.includes(column);
  if (typeof value === "number" && value > 1e12) return value + by;
  if (value === null || !isId) return value;
  const copy = ids.get(value) ?? (typeof value === "string" ? otherText(value, by) : otherNumber());
  ids.set(value, copy);
  return copy;
}

/** Columns of days, and of numbers that are as good as random. */
const DAYS_SINCE_1970: readonly string[] = ["day", "flight_day"];
const NUMBERS: readonly string[] = ["id", "baggage_id", "licence_plate"];
let numbers = 0;

/** 31 bits, in no order, and none twice. */
function otherNumber(): number {
  numbers += 1;
  return Math.imul(numbers, 0x41c6_4e6d) & 0x7fff_ffff;
}

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
