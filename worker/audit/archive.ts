import { type Archived, archiveAudit } from "../../db/audit-archive.ts";
import type { AuditStore } from "../../db/audit-range.ts";
import type { RunContext } from "../scheduled/sweep-tasks.ts";
import { partEnds } from "../scheduled/sweeper.ts";

/** Moves what is sealed and old enough from the audit log to R2 (rules §5); run on schedule where R2 is bound. */

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
