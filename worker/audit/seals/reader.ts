import { asc, between, gt } from "drizzle-orm";
import { auditLog, auditSeals } from "../../../db/schema.ts";
import type { Db } from "../../database/connect.ts";
import { type AuditStore, archiveName, readArchiveText } from "./range.ts";
import type { AuditRow, AuditSeal } from "./seal.ts";
import type { AuditReader } from "./verification.ts";

/** Reads seals and rows of `db`, for verification. */
export const auditReader = (db: Db): AuditReader => ({
  seals: (afterId, limit) =>
    db.select().from(auditSeals).where(gt(auditSeals.id, afterId)).orderBy(asc(auditSeals.id)).limit(limit),
  rows: (fromId, toId) =>
    db
      .select()
      .from(auditLog)
      .where(between(auditLog.id, fromId, toId))
      .orderBy(asc(auditLog.id)),
});

/** The most archived ranges in memory. */
const FEW = 8;

/**
 * Reads the whole log: from `store` up to the first seal that is still in `db`, then from `db`. Rows of `db` within an
 * archived range are read as well, because they are faults.
 */
export function wholeAuditReader(db: Db, store: Pick<AuditStore, "get">): AuditReader {
  const live = auditReader(db);
  let archived = new Map<number, readonly AuditRow[]>();
  return {
    seals: async (afterId, limit) => {
      const [first] = await live.seals(0, 1);
      const seals: AuditSeal[] = [];
      archived = new Map();
      for (let id = afterId + 1; seals.length < Math.min(limit, FEW) && id < (first?.id ?? Infinity); id++) {
        const range = readArchiveText(await store.get(archiveName(id)));
        if (range?.seal.id === id) {
          seals.push(range.seal);
          archived.set(range.seal.toId, range.rows);
        } else if (first === undefined) break;
      }
      return seals.length > 0 ? seals : live.seals(afterId, limit);
    },
    rows: async (fromId, toId) => [...(archived.get(toId) ?? []), ...(await live.rows(fromId, toId))],
  };
}
