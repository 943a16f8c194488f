type Rows<Table> = Readonly<Record<string, Readonly<Record<string, keyof Table>>>>;

/** The events that a table has a meaning for. */
export type EventOf<Table> = { [State in keyof Table]: keyof Table[State] }[keyof Table];

/** A pure table: which state follows which, by event. */
export function createTable<const Table extends Rows<Table>>(table: Table) {
  /** Undefined where `event` has no meaning in `state`. */
  const after = (state: keyof Table, event: EventOf<Table>) =>
    (table[state] as Partial<Record<EventOf<Table>, keyof Table>>)[event];
  /** As `after`; an event without a meaning changes nothing. */
  const next = (state: keyof Table, event: EventOf<Table>) => after(state, event) ?? state;
  return { table, after, next };
}
