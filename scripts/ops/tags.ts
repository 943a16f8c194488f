import { eq, gt, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { foldDeviceId } from "../../core/pki/tag-roots.ts";
import {
  deviceAliases,
  devices,
  deviceTicketLocks,
  failedProofs,
  guessCounters,
  NOTHING_ENDED,
  travelPlans,
} from "../../db/schema.ts";
import { UsageError } from "../../kit/command-line.ts";
import { bagOfLock, locksWithBag } from "../../worker/audit/audited-lock.ts";
import { audited } from "../../worker/audit/log.ts";
import type { Db } from "../../worker/database/connect.ts";
import { keyHashOf } from "../../worker/devices/identity.ts";
import { newRequestId } from "../../worker/http/request.ts";
import { systemRandom } from "../serve/keys.ts";
import { type Commands, command, runBatch } from "./command.ts";
import { columnsOf } from "./rows.ts";

/** How an operator ends locks: as the service does (rules §5), with a row in the audit log for each. */

/** One doing of an operator, as the audit log names it. */
export interface Deed {
  readonly now: number;
  readonly requestId: string;
}

export const newDeed = (): Deed => ({ now: Date.now(), requestId: newRequestId(systemRandom) });

const lock = deviceTicketLocks;

/**
 * Statements that end the live locks of `which`, a condition over `device_ticket_locks`. Their holders are notified,
 * unless `isForgotten`: then the tag keeps nothing of them.
 */
export function endingLocks(
  db: Db,
  deed: Deed,
  { which, reason, isForgotten = false }: { which: SQL; reason: string; isForgotten?: boolean },
): readonly BatchItem<"sqlite">[] {
  const entry = {
    event: "released" as const,
    airline: sql`${travelPlans.airline}`,
    deviceId: sql`${lock.deviceId}`,
    reason,
    // A person who is to be forgotten gets no new row.
    ...(isForgotten ? {} : bagOfLock),
  };
  const ended = isForgotten
    ? NOTHING_ENDED
    : {
        endedHolderSub: sql`${lock.holderSub}`,
        endedPlanId: sql`${lock.planId}`,
        endedReason: "staff" as const,
        endedAt: deed.now,
        endedCti: sql`${lock.cti}`,
      };
  const spentCommits = sql<number>`max(${devices.spentCommits}, coalesce(${lock.commits}, 0))`;
  const locked = sql`(select ${lock.deviceId} from ${lock} where ${which})`;
  return [
    audited({ db, ...deed }, entry, sql`from ${locksWithBag} where ${which}`),
    db.delete(guessCounters).where(
      sql`${guessCounters.key} in (select 'device:' || kind.value || ':' || ${lock.deviceId}
        from ${lock}, json_each('["unvouched","vouched","staff"]') as kind where ${which})`,
    ),
    db.delete(failedProofs).where(sql`${failedProofs.deviceId} in ${locked}`),
    db
      .update(devices)
      .set({ ...ended, spentCommits })
      .from(lock)
      .where(sql`${eq(devices.id, lock.deviceId)} and ${which}`),
    db.delete(lock).where(which),
  ];
}

/** `tag …`: one tag, for the operator who is asked about it. No name and no locator. */

const ID = { value: "id", required: true, help: "as on the label, or any other name it has" } as const;

/** The tag's own row, by its id or by an alias. */
async function tagNamed(db: Db, id: string) {
  const key = foldDeviceId(id);
  const [row] = await db
    .select()
    .from(devices)
    .where(
      sql`${devices.id} in (${key}, (select ${deviceAliases.deviceId} from ${deviceAliases}
        where ${deviceAliases.alias} in (${key}, ${key.replaceAll(/[:-]/g, "")})))`,
    )
    .orderBy(sql`${devices.id} <> ${key}`)
    .limit(1);
  if (row === undefined) throw new UsageError(`no tag ${id}`);
  return { ...row, label: row.label || row.id };
}

async function lockOn(db: Db, deviceId: string) {
  const [held] = await db.select().from(lock).where(eq(lock.deviceId, deviceId));
  return held !== undefined && held.endsAt > Date.now() ? [held] : [];
}

export const tagCommands = {
  "tag show": command({
    summary: "show what is known of a tag and of its lock; no name and no locator",
    options: { id: ID },
    async run({ id }, { db, show }) {
      const tag = await tagNamed(db, id);
      const held = await lockOn(db, tag.id);
      const aliases = await db.select().from(deviceAliases).where(eq(deviceAliases.deviceId, tag.id));
      show({
        ...columnsOf(tag, ["id", "label", "gattVersion", "commits", "spentCommits", "registeredAt"]),
        ...columnsOf(tag, ["endedReason", "endedAt"]),
        aliases: aliases.map(({ alias }) => alias),
        key: await keyHashOf(tag),
        locks: held.map((one) => ({
          ...columnsOf(one, ["airline", "journeyId", "baggageId", "entitled", "commits"]),
          ...columnsOf(one, ["lockedAt", "endsAt", "lostAt"]),
        })),
      });
    },
  }),
  "tag release": command({
    summary: "end the lock of a tag, as ground staff would; the audit log keeps the reason",
    options: { id: ID, reason: { value: "text", required: true, help: "why; no place for names" } },
    async run({ id, reason }, { db, print }) {
      const tag = await tagNamed(db, id);
      if ((await lockOn(db, tag.id)).length === 0) return print(`tag ${tag.label}: it was not locked`);
      const deed = newDeed();
      const which = sql`(${eq(lock.deviceId, tag.id)} and ${gt(lock.endsAt, deed.now)})`;
      await runBatch(db, endingLocks(db, deed, { which, reason: `operator: ${reason}` }));
      print(`tag ${tag.label}: unlocked; it still shows its label until it is cleared`);
    },
  }),
} satisfies Commands;
