import { and, eq, isNull, lt, or, type SQL } from "drizzle-orm";
import { type Bytes, EncodingError, fromBase64Url, toHex } from "../../core/encoding/bytes.ts";
import { SecError } from "../../core/sec/errors.ts";
import { decodeStatement, type TagStatement, verifyStatementSignature } from "../../core/sec/statement.ts";
import { devices, deviceTicketLocks, loadedPlans } from "../../db/schema.ts";
import { sql } from "../../db/sql.ts";
import { type AuditedEvent, audited, byCaller } from "../audit/log.ts";
import type { BearerContext } from "../context.ts";
import { inBatch, type Statements } from "../database/statements.ts";
import { deviceKey } from "../devices/identity.ts";
import {
  type KnownDevice,
  provesV21,
  readDevice,
  recordEvidence,
  type TagEvidence,
  tagEvidence,
} from "../devices/registry.ts";
import { isChallengeFor } from "./challenge.ts";
import { ATTACHED_WITHIN_SECONDS, judge } from "./judgement.ts";
import { auditProven, endLocks, isKeyKept, isLive, issuedAt, opensFor } from "./lock-rules.ts";

/**
 * The tag's own word on its last commit, as requests carry it (protocol.md, Statement; rules §5). It proves the
 * tag and never the caller: it entitles nobody, and gives a lock nothing but its number.
 */

/** What a request says of the tag. */
export interface TagWord {
  readonly uniqueDeviceId: string;
  /** Base64url of a COSE_Sign1. */
  readonly tagStatement?: string;
  /** Base64 of the tag's certificate. */
  readonly tagCertificate?: string;
  /** The `cti` of the token that the tag took, as the caller remembers it: base64url. */
  readonly cti?: string;
}

/** What came of it. */
export interface Heard {
  /** Keep what the tag said and judge its lock: before anything else that looks at the lock. */
  readonly changes?: Statements;
  /** Whether the tag has said more since, as SQL. */
  readonly isStale: SQL;
  /** Number that proves a lock which this caller writes now, as SQL; null where it proves none. */
  readonly proof: SQL<number | null>;
  /** The `cti` of the token that the tag took for the caller, hex: by the tag's word, else by the caller's. */
  readonly cti?: string | undefined;
  /** Whether it was made under the caller's challenge for this very lock: over `device_ticket_locks`. */
  readonly isInHand: SQL;
}

const SILENT: Heard = { isStale: sql`false`, proof: sql<null>`null`, isInHand: sql`false` };

/**
 * Verifies the statement of a request, if it carries one, and judges the lock by it. A statement that is
 * malformed, forged, or of another tag counts as absent, and the audit log says so. A `cti` that was not made for
 * caller and tag counts as absent, too. At most one D1 call; the changes are the caller's to send.
 */
export async function hear(ctx: BearerContext, word: TagWord): Promise<Heard> {
  const { tagStatement, cti } = word;
  const heard = tagStatement === undefined ? SILENT : await hearStatement(ctx, { ...word, tagStatement });
  if (heard.cti !== undefined || cti === undefined) return heard;
  const bytes = fromBase64Url(cti);
  const subject = { device: deviceKey(word.uniqueDeviceId), sub: ctx.principal.sub };
  return (await opensFor(ctx.settings.ctiKeys, bytes, subject)) ? { ...heard, cti: toHex(bytes) } : heard;
}

async function hearStatement(
  ctx: BearerContext,
  word: Required<Pick<TagWord, "tagStatement">> & TagWord,
): Promise<Heard> {
  const device = deviceKey(word.uniqueDeviceId);
  const evidence = await tagEvidence(ctx, word.tagCertificate);
  const read = await inBatch(ctx.db, {
    devices: readDevice(ctx, sql`${device}`),
    locks: readStanding(ctx, device),
    loaders: readLoaders(ctx, device),
  });
  const known = read.devices[0];
  // A closed registry knows its tags: a certificate alone makes none.
  if (known === undefined && ctx.settings.registry === "closed") return SILENT;
  if (evidence?.deviceId === device && !provesV21(evidence, known, device)) {
    return ignored(ctx, device, "another key", "tag_key_changed");
  }
  const verified = await verify(word.tagStatement, device, keyOf(known, evidence, device));
  if (typeof verified === "string") return ignored(ctx, device, verified);
  const [lock] = read.locks;
  return weigh(
    ctx,
    { device, known, evidence, statement: verified, label: word.uniqueDeviceId },
    lock && {
      ...lock,
      writers: lock.entitled
        ? [lock.holderSub, lock.writerSub, ...read.loaders.map(({ sub }) => sub)]
        : [lock.holderSub],
    },
  );
}

const readStanding = (ctx: BearerContext, device: string) =>
  ctx.db
    .select()
    .from(deviceTicketLocks)
    .where(and(eq(deviceTicketLocks.deviceId, device), isLive(ctx)));

/** Whoever has many phones load a booking must not make every statement about it expensive. */
const MOST_LOADERS = 200;

/** Everybody who ever loaded the plan of the lock, the first of them: logging out does not unload it. */
const readLoaders = ({ db }: BearerContext, device: string) =>
  db
    .select({ sub: loadedPlans.sub })
    .from(loadedPlans)
    .innerJoin(deviceTicketLocks, eq(deviceTicketLocks.planId, loadedPlans.planId))
    .where(eq(deviceTicketLocks.deviceId, device))
    .limit(MOST_LOADERS);

/** SubjectPublicKeyInfo of the tag: as registered, else as its certificate shows it. */
function keyOf(
  known: KnownDevice | undefined,
  evidence: TagEvidence | undefined,
  device: string,
): Bytes | undefined {
  if (known?.tagSpki) return fromBase64Url(known.tagSpki);
  return provesV21(evidence, known, device) ? evidence.spki : undefined;
}

const ES256 = { name: "ECDSA", namedCurve: "P-256" } as const;

/** The statement, if it is the tag's; else what is wrong with it. */
async function verify(text: string, device: string, spki: Bytes | undefined): Promise<TagStatement | string> {
  if (spki === undefined) return "no key";
  const decoded = readText(text);
  if (decoded === undefined) return "malformed";
  if (deviceKey(decoded.statement.deviceId) !== device) return "another tag";
  const key = await crypto.subtle.importKey("spki", spki, ES256, false, ["verify"]);
  return (await verifyStatementSignature(decoded, key)) ? decoded.statement : "signature";
}

function readText(text: string) {
  try {
    return decodeStatement(fromBase64Url(text));
  } catch (error) {
    // Text that no bytes have as their base64url (its last bits are surplus) is malformed, too.
    if (error instanceof SecError || error instanceof EncodingError) return undefined;
    throw error;
  }
}

/** It counts as absent, and leaves a trace. */
function ignored(
  ctx: BearerContext,
  deviceId: string,
  reason: string,
  event: AuditedEvent = "tag_statement_refused",
): Heard {
  return { ...SILENT, changes: { audit: audited(ctx, { event, ...byCaller(ctx), deviceId, reason }) } };
}

/** A verified statement and whose it is. */
interface Verified {
  readonly device: string;
  readonly known: KnownDevice | undefined;
  readonly evidence: TagEvidence | undefined;
  readonly statement: TagStatement;
  /** How the request spelt the tag. */
  readonly label: string;
}

type Standing = typeof deviceTicketLocks.$inferSelect & { readonly writers: readonly string[] };

async function weigh(ctx: BearerContext, verified: Verified, lock: Standing | undefined): Promise<Heard> {
  const { device, known, evidence, statement, label } = verified;
  const { commits } = statement;
  const isPresence = lock !== undefined && (await isPresent(ctx, verified, lock));
  return {
    changes: {
      evidence: provesV21(evidence, known, device) ? recordEvidence(ctx, evidence, label) : [],
      number: ctx.db
        .update(devices)
        .set({ commits })
        .where(and(eq(devices.id, device), or(isNull(devices.commits), lt(devices.commits, commits)))),
      judgement: lock && (await judged(ctx, verified, { lock, isPresence })),
    },
    isStale: sql`exists (select 1 from ${devices} where ${devices.id} = ${device} and ${devices.commits} > ${commits})`,
    ...(await ofCaller(ctx, verified)),
    isInHand: isPresence ? sql`${deviceTicketLocks.requestId} = ${lock.requestId}` : sql`false`,
  };
}

/** What the statement proves of a lock that this caller writes now. */
async function ofCaller({ settings, principal, now }: BearerContext, { device, statement }: Verified) {
  const { cti, operation, commits } = statement;
  const none = { proof: SILENT.proof };
  if (cti === null || !(await opensFor(settings.ctiKeys, cti, { device, sub: principal.sub }))) return none;
  const isRecent = issuedAt(cti) >= now / 1_000 - ATTACHED_WITHIN_SECONDS;
  if (operation !== "write" || !isRecent) return { ...none, cti: toHex(cti) };
  const proof = sql<number | null>`(select ${devices.commits} from ${devices} where ${devices.id} = ${device}
    and ${devices.commits} = ${commits} and ${devices.spentCommits} < ${commits})`;
  return { proof, cti: toHex(cti) };
}

async function isPresent(ctx: BearerContext, { device, statement }: Verified, lock: Standing) {
  if (statement.challenge === undefined) return false;
  const presence = { device, sub: ctx.principal.sub, lock: lock.requestId };
  return isChallengeFor(ctx, presence, statement.challenge);
}

/** What the statement does to the lock, if the lock and the tag's number are still those that were read. */
async function judged(
  ctx: BearerContext,
  { device, known, statement }: Verified,
  { lock, isPresence }: { readonly lock: Standing; readonly isPresence: boolean },
): Promise<Statements | undefined> {
  const { cti, commits } = statement;
  const judgement = judge(lock, {
    statement,
    isPresence,
    issuedAt: cti === null ? undefined : issuedAt(cti),
    isOfWriter: cti === null ? false : await isOfWriter(ctx, { device, cti, lock }),
    spent: known?.spentCommits ?? 0,
  });
  if (judgement === "undecided") return undefined;
  const table = deviceTicketLocks;
  const isNewest = sql`exists (select 1 from ${devices} where ${devices.id} = ${device} and ${devices.commits} = ${commits})`;
  const which = and(
    eq(table.deviceId, device),
    isLive(ctx),
    eq(table.requestId, lock.requestId),
    sql`${table.commits} is ${lock.commits}`,
    isNewest,
  ) as SQL;
  if (judgement === "void") {
    return endLocks(ctx, { which, event: "voided", end: "voided" });
  }
  const isNews = sql`${table.commits} is not ${commits}`;
  return {
    audit: auditProven(ctx, and(which, isNews) as SQL),
    lock: ctx.db
      .update(table)
      .set({ commits, ...(cti && { cti: toHex(cti) }) })
      .where(and(which, isNews)),
  };
}

async function isOfWriter(
  { settings }: BearerContext,
  { device, cti, lock }: { readonly device: string; readonly cti: Bytes; readonly lock: Standing },
): Promise<boolean | "unknown"> {
  if (!isKeyKept(settings.ctiKeys, cti)) return "unknown";
  const writers = [...new Set(lock.writers)];
  const opened = await Promise.all(writers.map((sub) => opensFor(settings.ctiKeys, cti, { device, sub })));
  return opened.includes(true);
}
