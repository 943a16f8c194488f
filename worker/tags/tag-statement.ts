import { EncodingError, fromBase64Url, toHex } from "../../core/encoding/bytes.ts";
import { SecError } from "../../core/sec/errors.ts";
import { decodeStatement, type TagStatement, verifyStatementSignature } from "../../core/sec/statement.ts";
import type { AuditedEvent } from "../audit/log.ts";
import type { BearerContext } from "../context.ts";
import {
  deviceKey,
  importTagKey,
  keyOf,
  provesV21,
  storedKey,
  type TagEvidence,
  tagEvidence,
} from "../devices/identity.ts";
import { isChallengeFor, isKeyConfigured, issuedAt, opensFor } from "./cti.ts";
import type { Device, Lock, TagFacts } from "./facts.ts";
import { ATTACHED_WITHIN_SECONDS, actorOf, type Caller, decideProof, endingBy, isLive } from "./rules.ts";
import { audited, auditedLock, endLock, newDevice, type State, withDevice, withLock } from "./state.ts";

/**
 * The tag's signed statement of its last commit (protocol.md, Statement; rules §5). It proves the tag and never the
 * caller. {@link verifyStatement} does the cryptography, {@link applyStatement} makes the changes.
 */

/** The statement in a request, and the certificate of the key that signed it. */
export interface SignedStatement {
  readonly uniqueDeviceId: string;
  /** Base64 of DER. */
  readonly tagCertificate?: string | undefined;
  /** Base64url of a COSE_Sign1. */
  readonly tagStatement?: string | undefined;
  /** The `cti` of the token that the tag took, as the caller stored it: base64url. */
  readonly cti?: string | undefined;
}

export interface Report {
  /** Key of the device id that the request names: a statement is of that row alone. */
  readonly deviceId: string;
  /** What the tag's certificate proves, if one that verifies was sent. */
  readonly evidence?: TagEvidence | undefined;
  /** The `cti` (hex) of the token that the tag took for the caller: by its statement, else by the caller. */
  readonly cti?: string | undefined;
  /** Why a statement counts as absent. */
  readonly refused?: { readonly event: AuditedEvent; readonly reason: string };
  readonly verified?: VerifiedStatement;
}

export interface VerifiedStatement {
  readonly statement: TagStatement;
  /** Its `cti` opens for the caller. */
  readonly isByCaller: boolean;
  /** Made under the caller's challenge for the live lock. */
  readonly isPresence: boolean;
  /** Its `cti` opens for a writer of the live lock. */
  readonly isByWriter: boolean | "unknown";
  /** The key of its `cti` is still configured: otherwise it opens for no one. */
  readonly isKeyConfigured: boolean;
}

/** Verifies a request's certificate and statement against the facts. No database, no change. */
export async function verifyStatement(
  ctx: BearerContext,
  { uniqueDeviceId, tagCertificate, tagStatement, cti }: SignedStatement,
  facts: TagFacts,
): Promise<Report> {
  const deviceId = deviceKey(uniqueDeviceId);
  const evidence = await tagEvidence(ctx, tagCertificate, facts.devices);
  const report = {
    deviceId,
    evidence,
    ...(tagStatement !== undefined && (await verified(ctx, deviceId, tagStatement, { facts, evidence }))),
  };
  if (report.cti !== undefined || cti === undefined) return report;
  const bytes = fromBase64Url(cti);
  const isByCaller = await opensFor(ctx.settings.ctiKeys, bytes, { deviceId, sub: ctx.principal.sub });
  return isByCaller ? { ...report, cti: toHex(bytes) } : report;
}

interface VerificationFacts {
  readonly facts: TagFacts;
  readonly evidence: TagEvidence | undefined;
}

async function verified(
  ctx: BearerContext,
  deviceId: string,
  text: string,
  { facts, evidence }: VerificationFacts,
): Promise<Pick<Report, "cti" | "refused" | "verified">> {
  const known = facts.devices.find(({ id }) => id === deviceId);
  // A closed registry knows its tags: a certificate alone registers none.
  if (known === undefined && ctx.settings.registry === "closed") return {};
  const proves = provesV21(evidence, known, deviceId);
  if (evidence?.deviceId === deviceId && !proves) {
    return { refused: { event: "tag_key_changed", reason: "another key" } };
  }
  const key = (known && keyOf(known)) ?? (proves ? evidence.key : undefined);
  const statement = await verifySignature(text, deviceId, key);
  if (typeof statement === "string") {
    return { refused: { event: "tag_statement_refused", reason: statement } };
  }
  const lock = facts.locks.find((one) => one.deviceId === deviceId && one.endsAt > ctx.now);
  const isByCaller = await isMadeForCaller(ctx, deviceId, statement);
  return {
    ...(isByCaller && statement.cti && { cti: toHex(statement.cti) }),
    verified: {
      statement,
      isByCaller,
      isPresence: lock !== undefined && (await isPresent(ctx, deviceId, statement, lock)),
      isByWriter: lock !== undefined && (await isByWriter(ctx, deviceId, statement, { lock, facts })),
      isKeyConfigured: statement.cti !== null && isKeyConfigured(ctx.settings.ctiKeys, statement.cti),
    },
  };
}

/** The statement, if it is the tag's; else what is wrong with it. */
async function verifySignature(text: string, deviceId: string, tagKey: string | undefined) {
  if (tagKey === undefined) return "no key";
  const decoded = decode(text);
  if (decoded === undefined) return "malformed";
  if (deviceKey(decoded.statement.deviceId) !== deviceId) return "another tag";
  return (await verifyStatementSignature(decoded, await importTagKey(tagKey)))
    ? decoded.statement
    : "signature";
}

function decode(text: string) {
  try {
    return decodeStatement(fromBase64Url(text));
  } catch (error) {
    // Text that no bytes have as their base64url (its last bits are surplus) is malformed, too.
    if (error instanceof SecError || error instanceof EncodingError) return undefined;
    throw error;
  }
}

const isMadeForCaller = async (
  { settings, principal }: BearerContext,
  deviceId: string,
  { cti }: TagStatement,
) => cti !== null && (await opensFor(settings.ctiKeys, cti, { deviceId, sub: principal.sub }));

async function isPresent(ctx: BearerContext, deviceId: string, { challenge }: TagStatement, lock: Lock) {
  if (challenge === undefined) return false;
  return isChallengeFor(ctx, { deviceId, sub: ctx.principal.sub, lock: lock.requestId }, challenge);
}

/** A caller who has loaded a booking with many phones must not make each of its statements expensive. */
const MOST_WRITERS = 200;

async function isByWriter(
  { settings }: BearerContext,
  deviceId: string,
  { cti }: TagStatement,
  { lock, facts }: { readonly lock: Lock; readonly facts: TagFacts },
): Promise<boolean | "unknown"> {
  if (cti === null) return false;
  if (!isKeyConfigured(settings.ctiKeys, cti)) return "unknown";
  const { entitled, holderSub, writerSub } = lock;
  const loaders = facts.loaders.map(({ sub }) => sub);
  const writers = new Set(entitled ? [holderSub, writerSub, ...loaders] : [holderSub]);
  const opened = [...writers]
    .slice(0, MOST_WRITERS)
    .map((sub) => opensFor(settings.ctiKeys, cti, { deviceId, sub }));
  return (await Promise.all(opened)).includes(true);
}

/** Whether the tag has committed more since. */
export const isStale = (state: State, { deviceId, verified: found }: Report): boolean =>
  found !== undefined && (state.devices[deviceId]?.commits ?? 0) > found.statement.commits;

/** The number that proves a lock which the caller writes now, or null. */
export function proofOf({ now }: Caller, state: State, { deviceId, verified: found }: Report): number | null {
  const known = state.devices[deviceId];
  if (!found?.isByCaller || known === undefined) return null;
  const { cti, operation, commits } = found.statement;
  const isRecent = cti !== null && issuedAt(cti) >= now / 1_000 - ATTACHED_WITHIN_SECONDS;
  if (operation !== "write" || !isRecent) return null;
  return known.commits === commits && known.spentCommits < commits ? commits : null;
}

/**
 * What a statement changes, whatever becomes of the request: the tag's key and number, and the lock that it proves or
 * disproves. `uniqueDeviceId` is how the request spells the tag.
 */
export function applyStatement(caller: Caller, before: State, report: Report, uniqueDeviceId: string): State {
  const { deviceId, refused, verified: found, evidence } = report;
  if (refused !== undefined) return audited(before, { ...refused, ...actorOf(caller), deviceId });
  if (found === undefined) return before;
  const { commits } = found.statement;
  const isProven = provesV21(evidence, before.devices[deviceId], deviceId);
  const state = isProven ? withEvidence(before, evidence, { uniqueDeviceId, now: caller.now }) : before;
  const known = state.devices[deviceId];
  if (known === undefined || (known.commits ?? -1) > commits) return state;
  const counted = known.commits === commits ? state : withDevice(state, { ...known, commits });
  return applyProof(caller, counted, found, known);
}

function applyProof(caller: Caller, state: State, found: VerifiedStatement, known: Device): State {
  const { statement, isPresence, isByWriter: isLockWriters } = found;
  const { cti, commits } = statement;
  const lock = state.locks[known.id];
  if (lock === undefined || !isLive(caller, lock)) return state;
  const decision = decideProof(lock, {
    statement,
    isPresence,
    isByWriter: isLockWriters,
    spent: known.spentCommits,
    issuedAt: cti === null ? undefined : issuedAt(cti),
  });
  if (decision === "disproved") {
    return endLock(state, lock, { event: "voided", end: "voided", ...endingBy(caller) });
  }
  if (decision === "undecided" || lock.commits === commits) return state;
  const proven = { ...lock, commits, ...(cti && { cti: toHex(cti) }) };
  return auditedLock(withLock(state, proven), "proven", proven, { actor: actorOf(caller) });
}

/**
 * Stores what a certificate proves. Registers the tag if it is not stored yet. From then on its id is its only name:
 * aliases that callers gave it are deleted.
 */
export function withEvidence(
  state: State,
  { deviceId, key, spkiHash }: TagEvidence,
  { uniqueDeviceId, now }: { readonly uniqueDeviceId: string; readonly now: number },
): State {
  const stored = state.devices[deviceId];
  const known = stored ?? newDevice(deviceId, uniqueDeviceId, now);
  if (keyOf(known) !== null || (known.tagSpkiHash ?? spkiHash) !== spkiHash) return state;
  const proven = withDevice(state, { ...known, gattVersion: "2.1", ...storedKey(key), reviewAt: null });
  // An alias references the row of its tag.
  if (stored === undefined) return proven;
  const aliases = Object.entries(state.aliases).filter(([, owner]) => owner !== deviceId);
  return {
    ...proven,
    aliases: Object.fromEntries(aliases),
    devicesWithoutAliases: [...state.devicesWithoutAliases, deviceId],
  };
}
