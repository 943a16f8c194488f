import { and, asc, desc, gt, lt, type SQL, sql } from "drizzle-orm";
import { auditLog, auditSeals } from "../../../db/schema.ts";
import type { Db } from "../../database/connect.ts";
import { partEnds, type RunContext } from "../../run-context.ts";
import { isOpen } from "../refusals.ts";
import { type AuditSeal, hashOfSeal, makeSeal } from "./seal.ts";

/** Seals what was added to the audit log since its last seal (rules §5); run on schedule. */

/** The newest seal. Its hash goes into the Worker's log: that copy survives if the database loses seals. */
export interface Sealed {
  readonly seals: number;
  readonly rows: number;
  readonly newest?: { readonly id: number; readonly hash: string };
}

/**
 * Seals ranges of `auditRowsPerSeal` rows until nothing is left to seal, or a run's `auditSealsPerRun` or its
 * time is used up.
 */
export async function sealAudit(ctx: Omit<RunContext, "requestId">): Promise<Sealed> {
  const { db, settings, now } = ctx;
  const { auditRowsPerSeal, auditSealsPerRun } = settings.limits;
  let [last] = await db
    .select()
    .from(auditSeals)
    .where(gt(auditSeals.id, 0))
    .orderBy(desc(auditSeals.id))
    .limit(1);
  let seals = 0;
  let rows = 0;
  const isOver = partEnds(ctx);
  while (seals < auditSealsPerRun && !isOver()) {
    const open = await db
      .select()
      .from(auditLog)
      .where(and(gt(auditLog.id, last?.toId ?? 0), lt(auditLog.id, firstOpen(last?.toId ?? 0, now))))
      .orderBy(asc(auditLog.id))
      .limit(auditRowsPerSeal);
    if (open.length === 0) break;
    const seal = await makeSeal(settings.auditSealKeys.signing, last, open, now);
    if (!(await storeSeal(db, seal))) break;
    last = seal;
    seals += 1;
    rows += open.length;
    if (open.length < auditRowsPerSeal) break;
  }
  return { seals, rows, ...(last && { newest: { id: last.id, hash: await hashOfSeal(last) } }) };
}

/** The id of the first row that may still change; rows are sealed without gaps, so those after it wait, too. */
const firstOpen = (after: number, now: number): SQL =>
  sql`coalesce((select min(${auditLog.id}) from ${auditLog}
    where ${auditLog.id} > ${after} and ${isOpen(now)}), ${Number.MAX_SAFE_INTEGER})`;

/** False if another run has already made the seal with this number. */
async function storeSeal(db: Db, seal: AuditSeal): Promise<boolean> {
  const stored = await db
    .insert(auditSeals)
    .values(seal)
    .onConflictDoNothing()
    .returning({ id: auditSeals.id });
  return stored.length > 0;
}
