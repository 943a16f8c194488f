import { env } from "cloudflare:workers";
import { type Bytes, toHex } from "../../core/encoding/bytes.ts";
import { demoPasswordHash, seed } from "../../db/demo/seed.ts";
import { secret32 } from "../config/keys.ts";
import { connect } from "../database/connect.ts";
import type { Cost } from "../secrets/credentials.ts";
import { dayOf } from "./days.ts";

/** A hash names its cost: tests need no protection from guessing, and every login would take 60 ms. */
export const CHEAP: Cost = { ln: 4, r: 8, p: 1 };

/** By pepper and day. */
const made = new Map<string, Promise<readonly D1PreparedStatement[]>>();

/** Puts the development data into the database, as on the day of `now`. What does so is made once: that takes far longer. */
export async function putDevelopmentRows(pepper: Bytes, now: number): Promise<void> {
  const name = `${toHex(pepper)} ${dayOf(now)}`;
  const statements = made.get(name) ?? statementsFor(pepper, now);
  made.set(name, statements);
  await env.DB.batch([...(await statements)]);
}

/** What {@link seed} would have the database do. */
async function statementsFor(pepper: Bytes, now: number): Promise<readonly D1PreparedStatement[]> {
  const executed: D1PreparedStatement[] = [];
  const database = {
    prepare: (sql: string) => env.DB.prepare(sql),
    batch: async (statements: readonly D1PreparedStatement[]) => {
      executed.push(...statements);
      return statements.map(() => ({ results: [], success: true, meta: {} }));
    },
  };
  const passwordHash = await demoPasswordHash(pepper, CHEAP);
  const dataKey = secret32(String(env.DATA_KEY));
  await seed(connect(database as unknown as D1Database), { now, pepper, dataKey, passwordHash });
  return executed;
}
