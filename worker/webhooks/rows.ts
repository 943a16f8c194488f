import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { auditLog, webhooks } from "../../db/schema.ts";
import type { Place } from "../audit/event-feed.ts";
import { inBatch } from "../database/batch.ts";
import type { Db } from "../database/connect.ts";
import type { RunContext } from "../run-context.ts";

/** What a run of the webhooks writes: leases and places, of all listeners in one statement each. */

export type Webhook = typeof webhooks.$inferSelect;

/** Statements of {@link takeLeases}. */
export const FOR_LEASES = 2;

const from = (rows: readonly object[]): SQL => sql`json_each(${JSON.stringify(rows)}) as listed`;
const field = (name: string): SQL => sql`listed.value ->> ${sql.raw(`'${name}'`)}`;
const isListed = sql`${webhooks.id} = ${field("id")}`;

/** Those of `due` that no other run has taken, each with whether the log has the row of its place. */
export async function takeLeases({ db }: RunContext, due: readonly Webhook[], lease: number) {
  const { taken, anchors } = await inBatch(db, {
    taken: db
      .update(webhooks)
      .set({ dueAt: lease })
      .from(from(due.map(({ id, dueAt }) => ({ id, dueAt }))))
      .where(and(isListed, sql`${webhooks.dueAt} = ${field("dueAt")}`, isNull(webhooks.stoppedAt)))
      .returning({ id: webhooks.id }),
    anchors: db
      .select({ webhook: sql<string>`${field("id")}`.as("webhook"), at: auditLog.at })
      .from(from(due.map(({ id, placeId }) => ({ id, placeId }))))
      .innerJoin(auditLog, sql`${auditLog.id} = ${field("placeId")}`),
  });
  const isTaken = new Set(taken.map(({ id }) => id));
  const placeAt = new Map(anchors.map(({ webhook, at }) => [webhook, at]));
  return due
    .filter(({ id }) => isTaken.has(id))
    .map((webhook) => ({ webhook, hasPlace: placeAt.get(webhook.id) === webhook.placeAt }));
}

/** A place that moves on; `deliveredAt` is null where nothing was sent on the way. */
export interface Move {
  readonly id: string;
  readonly from: Place;
  readonly to: Place;
  readonly deliveredAt: number | null;
}

/** How a listener leaves the run. */
export type ListenerResult = Pick<Webhook, "id" | "dueAt" | "failures" | "lastError" | "stoppedAt">;

/** What a run has to store. */
export interface Progress {
  readonly moves: readonly Move[];
  readonly results: readonly ListenerResult[];
}

/**
 * Moves the places that are still where they were read, and returns the leases that this run still has, in one batch: the
 * next run goes on from the new place. Returns the ids of the webhooks that it changed.
 */
export async function store({ db }: RunContext, lease: number, { moves, results }: Progress) {
  const answers = await inBatch(db, {
    moved: moves.length === 0 ? undefined : movePlaces(db, moves),
    returned: results.length === 0 ? undefined : returnLeases(db, lease, results),
  });
  const ids = (rows: readonly Pick<Webhook, "id">[] = []) => new Set(rows.map(({ id }) => id));
  return { moved: ids(answers.moved), returned: ids(answers.returned) };
}

/** Statements of {@link store}. */
export const PER_STORE = 2;

const movePlaces = (db: Db, moves: readonly Move[]) =>
  db
    .update(webhooks)
    .set({
      placeId: field("toId"),
      placeAt: field("toAt"),
      deliveredAt: sql`coalesce(${field("deliveredAt")}, ${webhooks.deliveredAt})`,
    })
    .from(
      from(
        moves.map((move) => ({
          id: move.id,
          deliveredAt: move.deliveredAt,
          fromId: move.from.id,
          fromAt: move.from.at,
          toId: move.to.id,
          toAt: move.to.at,
        })),
      ),
    )
    .where(
      and(
        isListed,
        sql`${webhooks.placeId} = ${field("fromId")}`,
        sql`${webhooks.placeAt} = ${field("fromAt")}`,
      ),
    )
    .returning({ id: webhooks.id });

const returnLeases = (db: Db, lease: number, results: readonly ListenerResult[]) =>
  db
    .update(webhooks)
    .set({
      dueAt: field("dueAt"),
      failures: field("failures"),
      lastError: field("lastError"),
      stoppedAt: field("stoppedAt"),
    })
    .from(from(results))
    .where(and(isListed, eq(webhooks.dueAt, lease)))
    .returning({ id: webhooks.id });
