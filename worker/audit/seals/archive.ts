import { and, asc, between, eq, gt, isNotNull, lt, type SQL, sql } from "drizzle-orm";
import { auditLog, auditSeals, devices } from "../../../db/schema.ts";
import type { Db } from "../../database/connect.ts";
import { partEnds, type RunContext } from "../../run-context.ts";
import { type AuditRange, type AuditStore, archiveName, archiveText, readArchiveText } from "./range.ts";
import { auditReader } from "./reader.ts";
import { type AuditSeal, hashOfSeal } from "./seal.ts";
import { faultsOfRange } from "./verification.ts";

/**
 * Moves sealed ranges of the audit log out of the database, oldest first: each is written elsewhere, read back from
 * there and checked against its seal, and only then deleted, in one batch with its seal. If this stops between
 * two steps, each row is in at least one of the two places, and the next run goes on where it stopped.
 */

/**
 * Why a range stays in the database.
 *
 * - `range_not_as_sealed`: its rows there do not fit its seal. They were changed: `audit verify` says which.
 * - `copy_not_as_sealed`: the store returns another text under its name.
 */
export type AuditArchiveErrorCode = "range_not_as_sealed" | "copy_not_as_sealed";

export class AuditArchiveError extends Error {
  override readonly name = "AuditArchiveError";
  readonly code: AuditArchiveErrorCode;
  constructor(code: AuditArchiveErrorCode, seal: number) {
    super(`${code}: seal ${seal}`);
    this.code = code;
  }
}

export interface ArchiveRun {
  readonly db: Db;
  readonly store: AuditStore;
  /** Public keys that seal, by kid. */
  readonly keys: ReadonlyMap<string, CryptoKey>;
  /** Ranges sealed later than this stay, milliseconds since 1970. */
  readonly sealedUntil: number;
  /** The most ranges to move. */
  readonly ranges: number;
  readonly isOver: () => boolean;
  /** How long a tag is stored after its last lock, in milliseconds, claimed or entitled. */
  readonly tagLives: { readonly claimed: number; readonly entitled: number };
}

/** The number of ranges and rows that a run has moved. */
export interface Archived {
  readonly ranges: number;
  readonly rows: number;
}

/** Moves the ranges that are due. The newest seal stays, because the next one names it. Throws {@link AuditArchiveError}. */
export async function archiveAudit(run: ArchiveRun): Promise<Archived> {
  const { db, sealedUntil, ranges, isOver } = run;
  const oldest = await db
    .select()
    .from(auditSeals)
    .where(gt(auditSeals.id, 0))
    .orderBy(asc(auditSeals.id))
    .limit(ranges + 1);
  let [moved, rows] = [0, 0];
  for (const seal of oldest.slice(0, -1)) {
    if (seal.sealedAt > sealedUntil || isOver()) break;
    rows += await moveRange(run, seal);
    moved += 1;
  }
  return { ranges: moved, rows };
}

/** Moves one range; returns how many rows it had. */
async function moveRange(run: ArchiveRun, seal: AuditSeal): Promise<number> {
  const { db, store, keys } = run;
  const rows = await auditReader(db).rows(seal.fromId, seal.toId);
  if ((await faultsOfRange(seal, rows, keys)).length > 0)
    throw new AuditArchiveError("range_not_as_sealed", seal.id);
  const name = archiveName(seal.id);
  await store.put(name, archiveText({ seal, rows }));
  const copy = readArchiveText(await store.get(name));
  if (copy === undefined || !(await isCopyOf(copy, seal, keys)))
    throw new AuditArchiveError("copy_not_as_sealed", seal.id);
  await db.batch([
    ...postponeTagReviews(run, seal),
    db.delete(auditLog).where(between(auditLog.id, seal.fromId, seal.toId)),
    db.delete(auditSeals).where(eq(auditSeals.id, seal.id)),
  ]);
  return rows.length;
}

async function isCopyOf({ seal, rows }: AuditRange, original: AuditSeal, keys: ArchiveRun["keys"]) {
  if ((await hashOfSeal(seal)) !== (await hashOfSeal(original))) return false;
  return (await faultsOfRange(seal, rows, keys)).length === 0;
}

/**
 * The log has the time of a tag's last lock, by which the sweeper decides whether it is still in use. What leaves
 * the log therefore postpones the review of its tags: by a quarter of their life too much, so that a tag in use is
 * written once in months.
 */
function postponeTagReviews({ db, tagLives }: ArchiveRun, { fromId, toId }: AuditSeal) {
  const life = sql`case when ${devices.entitledAt} is null then ${tagLives.claimed} else ${tagLives.entitled} end`;
  const last: SQL = sql`(select max(${auditLog.at}) from ${auditLog}
    where ${auditLog.deviceId} = ${devices.id} and ${auditLog.id} between ${fromId} and ${toId})`;
  const named = sql`(select ${auditLog.deviceId} from ${auditLog} where ${auditLog.id} between ${fromId} and ${toId})`;
  const postponed = db
    .update(devices)
    .set({ reviewAt: sql`${last} + (${life}) * 5 / 4` })
    .where(
      and(
        sql`${devices.id} in ${named}`,
        isNotNull(devices.reviewAt),
        lt(devices.reviewAt, sql`${last} + (${life})`),
      ),
    );
  return [postponed] as const;
}

/** Objects are made once and never overwritten. */
export const bucketStore = (bucket: R2Bucket): AuditStore => ({
  put: async (name, text) => {
    await bucket.put(name, text, { onlyIf: { etagDoesNotMatch: "*" } });
  },
  get: async (name) => (await bucket.get(name))?.text(),
});

/** Moves ranges until none is due, or a run's `auditArchivesPerRun` or its time is used up. */
export function archiveDue(ctx: RunContext, store: AuditStore): Promise<Archived> {
  const { limits, auditSealKeys } = ctx.settings;
  return archiveAudit({
    db: ctx.db,
    store,
    keys: auditSealKeys.verifying,
    sealedUntil: ctx.now - limits.auditKeepSeconds * 1_000,
    ranges: limits.auditArchivesPerRun,
    isOver: partEnds(ctx),
    tagLives: { claimed: limits.claimedDeviceSeconds * 1_000, entitled: limits.deviceUnusedSeconds * 1_000 },
  });
}
