import { Database } from "../database.ts";
import { Outbox } from "../outbox.ts";
import type { Api } from "../service/session.ts";
import type { OutboxEvent } from "../types.ts";

let databases = 0;

/** The outbox of one page, whose calls fail as listed, one after the other, and then succeed; {@link reopened} is that of the next page, over the same storage. */
export function outboxPage(refused?: "drop" | "keep", database = new Database(`outbox-${databases++}`)) {
  const calls: { name: string; body: unknown; key: unknown }[] = [];
  const failures: (Error | undefined)[] = [];
  const call = async (name: string, body: unknown, options: { idempotencyKey?: string }) => {
    calls.push({ name, body, key: options.idempotencyKey });
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
  };
  const clock = { now: 1_000 };
  const outbox = new Outbox(database, { call } as unknown as Api, () => clock.now++, refused);
  const events: OutboxEvent[] = [];
  const end = outbox.subscribe((event) => events.push(event));
  const reopened = () => outboxPage(undefined, database);
  return { outbox, calls, failures, events, end, clock, database, reopened };
}
