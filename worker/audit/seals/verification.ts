import { type AuditRow, type AuditSeal, hashOfRows, hashOfSeal, isSigned } from "./seal.ts";

/** Checks the audit log against its seals: finds what was changed, removed or added after it was sealed. */

/** A source of seals and rows, both in order of id. */
export interface AuditReader {
  seals(afterId: number, limit: number): Promise<readonly AuditSeal[]>;
  rows(fromId: number, toId: number): Promise<readonly AuditRow[]>;
}

/**
 * A fault at a seal.
 *
 * - `row_removed`, `row_added`, `row_changed`: the rows are not those that were sealed.
 * - `seal_missing`: a seal before this one is missing, or ranges do not meet.
 * - `seal_replaced`: this seal does not name the one before it.
 * - `seal_forged`: the signature is not one of a known key.
 */
export type AuditFaultKind =
  | "row_removed"
  | "row_added"
  | "row_changed"
  | "seal_missing"
  | "seal_replaced"
  | "seal_forged";

export interface AuditFault {
  readonly kind: AuditFaultKind;
  readonly seal: number;
  readonly fromId: number;
  readonly toId: number;
}

export interface AuditReport {
  readonly seals: number;
  readonly rows: number;
  /**
   * The newest seal, to compare with the log line of its run: if it is absent or older, seals were cut off.
   */
  readonly newest: { readonly id: number; readonly hash: string } | undefined;
  /** The last row that a seal covers; 0 where there is none. */
  readonly sealedUntil: number;
  /** The hash of every seal, to look for one that a log line named. */
  readonly hashes: ReadonlySet<string>;
  readonly faults: readonly AuditFault[];
}

const PAGE = 100;

/**
 * Verifies the chain from its first seal with `keys`, the public keys by kid. With `since`, it trusts the seal of that
 * number and starts at the next one: for logs whose oldest part was archived. Returns every fault, and throws for none.
 */
export async function verifyAudit(
  reader: AuditReader,
  keys: ReadonlyMap<string, CryptoKey>,
  since = 0,
): Promise<AuditReport> {
  const faults: AuditFault[] = [];
  let [previous] = since === 0 ? [] : await reader.seals(since - 1, 1);
  const hashes = new Set<string>();
  let seals = 0;
  let rows = 0;
  for (;;) {
    const page = await reader.seals(previous?.id ?? 0, PAGE);
    for (const seal of page) {
      const { id, fromId, toId } = seal;
      // Ids begin at 1: a row below that was added by hand.
      const covered = await reader.rows(fromId === 1 ? Number.MIN_SAFE_INTEGER : fromId, toId);
      const kinds = [...(await faultsOfChain(seal, previous)), ...(await faultsOfRange(seal, covered, keys))];
      faults.push(...kinds.map((kind) => ({ kind, seal: id, fromId, toId })));
      hashes.add(await hashOfSeal(seal));
      seals += 1;
      rows += covered.length;
      previous = seal;
    }
    if (page.length === 0) break;
  }
  const newest = previous && { id: previous.id, hash: await hashOfSeal(previous) };
  return { seals, rows, newest, sealedUntil: previous?.toId ?? 0, hashes, faults };
}

/** Whether `seal` follows `previous`. */
async function faultsOfChain(seal: AuditSeal, previous: AuditSeal | undefined): Promise<AuditFaultKind[]> {
  const faults: AuditFaultKind[] = [];
  const isNext = seal.id === (previous?.id ?? 0) + 1 && seal.fromId === (previous?.toId ?? 0) + 1;
  if (!isNext) faults.push("seal_missing");
  const expected = previous === undefined ? "" : await hashOfSeal(previous);
  if (isNext && seal.previousHash !== expected) faults.push("seal_replaced");
  return faults;
}

/** The faults of a seal and its rows by themselves, without the chain. */
export async function faultsOfRange(
  seal: AuditSeal,
  rows: readonly AuditRow[],
  keys: ReadonlyMap<string, CryptoKey>,
): Promise<AuditFaultKind[]> {
  const key = keys.get(seal.kid);
  const isForged = key === undefined || !(await isSigned(seal, key));
  return [...(isForged ? (["seal_forged"] as const) : []), ...(await faultsOfRows(seal, rows))];
}

async function faultsOfRows(seal: AuditSeal, rows: readonly AuditRow[]): Promise<AuditFaultKind[]> {
  if (rows.length < seal.count) return ["row_removed"];
  if (rows.length > seal.count) return ["row_added"];
  return (await hashOfRows(rows)) === seal.rowsHash ? [] : ["row_changed"];
}
