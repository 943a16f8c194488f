import type { InferSelectModel } from "drizzle-orm";
import { copyBytes, fromBase64Url, toBase64Url, utf8 } from "../../../core/encoding/bytes.ts";
import type { auditLog, auditSeals } from "../../../db/schema.ts";
import { sha256Text } from "../../secrets/sealed.ts";

/**
 * Seals of the audit log (rules §5): a signed statement per closed range of rows, each with the hash of the
 * seal before. D1 assigns ids in the order of commits, so a range below the newest id can never
 * legitimately gain a row. One file makes seals and checks them, for the service and for the operator;
 * nothing here reads a database.
 */

export type AuditRow = InferSelectModel<typeof auditLog>;
export type AuditSeal = InferSelectModel<typeof auditSeals>;
type Unsigned = Omit<AuditSeal, "signature">;

const ES256 = { name: "ECDSA", hash: "SHA-256" } as const;

/**
 * Signs the seal that follows `previous`, over all `rows` since then, in order of id; `sealedAt` in milliseconds since
 * 1970. Each range begins where the one before ended, so that no id lies between two seals. Throws TypeError without rows.
 */
export async function makeSeal(
  signing: { readonly kid: string; readonly key: CryptoKey },
  previous: AuditSeal | undefined,
  rows: readonly AuditRow[],
  sealedAt: number,
): Promise<AuditSeal> {
  const last = rows.at(-1);
  if (last === undefined) throw new TypeError("nothing to seal");
  const seal: Unsigned = {
    id: (previous?.id ?? 0) + 1,
    fromId: (previous?.toId ?? 0) + 1,
    toId: last.id,
    count: rows.length,
    rowsHash: await hashOfRows(rows),
    previousHash: previous === undefined ? "" : await hashOfSeal(previous),
    sealedAt,
    kid: signing.kid,
  };
  const signature = await crypto.subtle.sign(ES256, signing.key, utf8(statementOf(seal)));
  return { ...seal, signature: toBase64Url(copyBytes(signature)) };
}

/** The hash by which the next seal names this one. Keep the newest seal's hash outside the database. */
export const hashOfSeal = (seal: AuditSeal): Promise<string> =>
  sha256Text(`${statementOf(seal)}.${seal.signature}`);

/** Whether `key` signed `seal`. */
export function isSigned(seal: AuditSeal, key: CryptoKey): Promise<boolean> {
  return crypto.subtle.verify(ES256, key, fromBase64Url(seal.signature), utf8(statementOf(seal)));
}

/**
 * SHA-256 of every row, in order: all of its columns but the key by which it was merged. A row without a count, a staff
 * id or a bag has the hash it had before there were any: a count is a number, a staff id a text, a bag a list.
 */
export function hashOfRows(rows: readonly AuditRow[]): Promise<string> {
  const lines = rows.map(
    ({ id, at, event, requestId, sub, clientId, airline, deviceId, reason, ...later }) => {
      const { count, staffId, journeyId, baggageId, licencePlate, evidence } = later;
      const bag = [journeyId ?? null, baggageId ?? null, licencePlate ?? null, evidence ?? null];
      return JSON.stringify([
        ...[id, at, event, requestId, sub, clientId, airline, deviceId, reason],
        ...[count, staffId, bag.every((value) => value === null) ? null : bag].filter(
          (value) => value !== null,
        ),
      ]);
    },
  );
  return sha256Text(lines.join("\n"));
}

function statementOf({ id, fromId, toId, count, rowsHash, previousHash, sealedAt, kid }: Unsigned): string {
  return JSON.stringify(["audit-seal", id, fromId, toId, count, rowsHash, previousHash, sealedAt, kid]);
}
