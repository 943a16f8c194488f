import { asc, between, gt } from "drizzle-orm";
import type { AuditReader } from "./audit-verification.ts";
import type { Db } from "./connect.ts";
import { auditLog, auditSeals } from "./schema.ts";

/** Seals and rows of `db`, for verification. */
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
