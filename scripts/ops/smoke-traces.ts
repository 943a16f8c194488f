import { and, eq, gt, inArray, or, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { decodeJwt, decodeProtectedHeader, type JWK } from "jose";
import { jwkThumbprintText } from "../../core/pki/certificate.ts";
import { foldDeviceId } from "../../core/pki/tag-roots.ts";
import {
  auditLog,
  certificates,
  devices,
  deviceTicketLocks,
  guessCounters,
  idempotencyRecords,
  loadedPlans,
  sessions,
  usedOnce,
} from "../../db/schema.ts";
import { UsageError } from "../../kit/command-line.ts";
import type { Db } from "../../worker/database/connect.ts";
import { sha256Text } from "../../worker/secrets/lookup-keys.ts";
import { endingLocks, newDeed } from "./locks.ts";

/** What a smoke test writes into the deployment's database, and how its rows are deleted again. */

/** What its requests show, by which its rows are found. */
export interface Traces {
  /** Pseudonym of its passenger; absent until it has signed in. */
  sub?: string;
  /** DPoP proofs. */
  readonly proofs: string[];
  /** Ids of its requests. */
  readonly requests: string[];
}

/** `fetcher`, whose requests are noted in `traces`. */
export const tracing =
  (traces: Traces, fetcher: typeof fetch): typeof fetch =>
  async (input, init) => {
    const headers = new Headers(init?.headers);
    const proof = headers.get("DPoP");
    if (proof !== null) traces.proofs.push(proof);
    const [, token] = (headers.get("Authorization") ?? "").split(" ");
    if (token !== undefined) traces.sub = String(decodeJwt(token).sub);
    const answer = await fetcher(input, init);
    const requestId = answer.headers.get("X-Request-Id");
    if (requestId !== null) traces.requests.push(requestId);
    return answer;
  };

/** Throws UsageError where `db` is not the database that the service at the other end writes to. */
export async function requireDatabase(db: Db, { sub = "" }: Traces): Promise<void> {
  const found = await db.select({ id: sessions.id }).from(sessions).where(eq(sessions.sub, sub)).limit(1);
  if (found.length === 0)
    throw new UsageError(
      "the service does not write to this database: name its own, by --remote --env or --state",
    );
}

/** Deletes every row of the run. The audit log keeps its rows: nothing deletes those. Their number. */
export async function deleteRows(db: Db, traces: Traces, deviceId: string): Promise<number> {
  const { sub = "", requests } = traces;
  const [device, now] = [foldDeviceId(deviceId), Date.now()];
  const hashes = await Promise.all(traces.proofs.map(hashOf));
  const ofRun = or(...requests.map((id) => sql`${guessCounters.requestId} like ${`${id}%`}`));
  const which = sql`${eq(deviceTicketLocks.deviceId, device)}`;
  const statements: BatchItem<"sqlite">[] = [
    ...endingLocks(db, newDeed(), { which, reason: "operator: smoke test", isForgotten: true }),
    db.delete(devices).where(eq(devices.id, device)),
    db.delete(certificates).where(eq(certificates.sub, sub)),
    db.delete(loadedPlans).where(eq(loadedPlans.sub, sub)),
    db
      .delete(idempotencyRecords)
      .where(and(gt(idempotencyRecords.day, Math.floor(now / DAY) - 2), eq(idempotencyRecords.sub, sub))),
    // A counter that others share stays, unless they have counted nothing.
    db
      .delete(guessCounters)
      .where(and(ofRun, or(sql`${guessCounters.key} like ${`%:${sub}`}`, sql`${guessCounters.count} <= 1`))),
    db.delete(usedOnce).where(and(gt(usedOnce.endsAt, now - DAY), inArray(usedOnce.hash, hashes))),
    db.delete(sessions).where(eq(sessions.sub, sub)),
  ];
  await db.batch(statements as [BatchItem<"sqlite">, ...BatchItem<"sqlite">[]]);
  return db.$count(auditLog, eq(auditLog.deviceId, device));
}

const DAY = 86_400_000;

/** As the service remembers a proof (worker/auth/dpop.ts). */
async function hashOf(proof: string): Promise<string> {
  const { x = "", y = "" } = decodeProtectedHeader(proof).jwk as JWK;
  const jkt = await jwkThumbprintText({ kty: "EC", crv: "P-256", x, y });
  return sha256Text(JSON.stringify([jkt, decodeJwt(proof).jti]));
}
