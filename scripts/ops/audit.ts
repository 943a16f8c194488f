import { gt } from "drizzle-orm";
import { limits } from "../../core/api/index.ts";
import { auditLog } from "../../db/schema.ts";
import { UsageError } from "../../kit/command-line.ts";
import { archiveAudit } from "../../worker/audit/seals/archive.ts";
import { auditReader, wholeAuditReader } from "../../worker/audit/seals/reader.ts";
import { verifyAudit } from "../../worker/audit/seals/verification.ts";
import { importVerifyKey } from "../../worker/config/keys.ts";
import type { PrivateJwk } from "../serve/keys.ts";
import { folderStore } from "./archive-stores.ts";
import { type Commands, type Context, command, HASH, wholeNumber } from "./command.ts";
import { type DeploymentSecrets, secretNamed } from "./files.ts";

/** What the log is compared with. */
interface Sealed {
  readonly archive: string | undefined;
  readonly expect: string | undefined;
  readonly since?: number | undefined;
}

/** Prints what the seals say of the log. Throws UsageError where it is not what was sealed. */
export async function verifySeals(
  { archive: folder, expect, since = 0 }: Sealed,
  { db, archive, secrets, print }: Pick<Context, "db" | "archive" | "secrets" | "print">,
): Promise<void> {
  const store = folder === undefined ? archive : folderStore(folder);
  const reader = store === undefined ? auditReader(db) : wholeAuditReader(db, store);
  const report = await verifyAudit(reader, await verifyingKeys(secrets()), since);
  const { seals, rows, newest, sealedUntil, faults, hashes } = report;
  for (const { kind, seal, fromId, toId } of faults)
    print(`seal ${seal}, rows ${fromId} to ${toId}: ${kind}`);
  const isCut = expect !== undefined && !hashes.has(expect);
  if (isCut) print(`no seal has the hash ${expect}: seals are missing at the end`);
  const open = await db.$count(auditLog, gt(auditLog.id, sealedUntil));
  const last = newest === undefined ? "none" : `${newest.id} ${newest.hash}`;
  print(`${seals} seals, ${rows} rows, ${open} not sealed yet, newest ${last}`);
  if (faults.length > 0 || isCut) throw new UsageError("the audit log is not what was sealed");
}

export const auditCommands = {
  "audit verify": command({
    summary: "check every audit row against the seals; fails where one does not fit",
    options: {
      since: {
        ...wholeNumber("seal", 0),
        help: "begin after this seal, for a log whose oldest part is elsewhere",
      },
      archive: {
        value: "folder",
        help: "ranges that left the database: of `audit archive`, or a copy of the bucket",
      },
      expect: { ...HASH, help: "`sealed.newest.hash` of a log line: shows seals cut off since" },
    },
    run: verifySeals,
  }),
  "audit archive": command({
    summary:
      "move sealed ranges of the audit log into a folder; each is read back and checked before it is deleted",
    options: {
      archive: {
        value: "folder",
        required: true,
        help: "where the files go; `audit verify --archive` reads them",
      },
    },
    async run({ archive }, context) {
      if (context.archive !== undefined)
        throw new UsageError("the scheduled runs move this log to its bucket");
      const run = {
        db: context.db,
        store: folderStore(archive),
        keys: await verifyingKeys(context.secrets()),
        sealedUntil: Date.now() - limits.auditKeepSeconds * 1_000,
        ranges: 100,
        isOver: () => false,
        tagLives: {
          claimed: limits.claimedDeviceSeconds * 1_000,
          entitled: limits.deviceUnusedSeconds * 1_000,
        },
      };
      let [ranges, rows] = [0, 0];
      for (let moved = await archiveAudit(run); moved.ranges > 0; moved = await archiveAudit(run)) {
        ranges += moved.ranges;
        rows += moved.rows;
      }
      context.print(`${ranges} ranges, ${rows} rows moved`);
    },
  }),
} satisfies Commands;

/** Public halves of the keys that seal the log, by kid. */
async function verifyingKeys(secrets: DeploymentSecrets): Promise<ReadonlyMap<string, CryptoKey>> {
  const { keys } = JSON.parse(secretNamed(secrets, "AUDIT_SEAL_KEYS")) as { keys: readonly PrivateJwk[] };
  const imported = keys.map(async (jwk) => [jwk.kid, await importVerifyKey(jwk)] as const);
  return new Map(await Promise.all(imported));
}
