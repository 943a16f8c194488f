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
import { type Commands, HASH, wholeNumber } from "./command.ts";
import { secretNamed } from "./files.ts";

const DAY = 86_400;

export const auditCommands = {
  "audit verify": {
    summary: "check every audit row against the seals; fails where one does not fit",
    database: "any",
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
    async run(input) {
      const { db, maybe, number, print } = input;
      const folder = maybe("archive");
      const archive = folder === undefined ? input.archive : folderStore(folder);
      const reader = archive === undefined ? auditReader(db) : wholeAuditReader(db, archive);
      const keys = await verifyingKeys(secretNamed(input.secrets(), "AUDIT_SEAL_KEYS"));
      const report = await verifyAudit(reader, keys, number("since", 0));
      const { seals, rows, newest, sealedUntil, faults, hashes } = report;
      for (const { kind, seal, fromId, toId } of faults)
        print(`seal ${seal}, rows ${fromId} to ${toId}: ${kind}`);
      const expected = maybe("expect");
      const isCut = expected !== undefined && !hashes.has(expected);
      if (isCut) print(`no seal has the hash ${expected}: seals are missing at the end`);
      const open = await db.$count(auditLog, gt(auditLog.id, sealedUntil));
      print(
        `${seals} seals, ${rows} rows, ${open} not sealed yet, newest ${newest === undefined ? "none" : `${newest.id} ${newest.hash}`}`,
      );
      if (faults.length > 0 || isCut) throw new UsageError("the audit log is not what was sealed");
    },
  },
  "audit archive": {
    summary:
      "move sealed ranges of the audit log into a folder; each is read back and checked before it is deleted",
    database: "any",
    options: {
      archive: {
        value: "folder",
        required: true,
        help: "where the files go; `audit verify --archive` reads them",
      },
      "keep-days": {
        ...wholeNumber("days", 0, 36_500),
        help: `what stays in the database (default: ${limits.auditKeepSeconds / DAY})`,
      },
    },
    async run(input) {
      const { db, one, number, print } = input;
      if (input.archive !== undefined) throw new UsageError("the scheduled runs move this log to its bucket");
      const keepSeconds = number("keep-days", limits.auditKeepSeconds / DAY) * DAY;
      const run = {
        db,
        store: folderStore(one("archive")),
        keys: await verifyingKeys(secretNamed(input.secrets(), "AUDIT_SEAL_KEYS")),
        sealedUntil: Date.now() - keepSeconds * 1_000,
        ranges: 100,
        isOver: () => false,
        tagLives: {
          claimed: limits.claimedDeviceSeconds * 1_000,
          entitled: limits.deviceUnusedSeconds * 1_000,
        },
      };
      let [ranges, rows] = [0, 0];
      for (;;) {
        const moved = await archiveAudit(run);
        if (moved.ranges === 0) break;
        ranges += moved.ranges;
        rows += moved.rows;
      }
      print(`${ranges} ranges, ${rows} rows moved`);
    },
  },
} satisfies Commands;

/** Public halves of a private JWKS, by kid. */
async function verifyingKeys(jwks: string): Promise<ReadonlyMap<string, CryptoKey>> {
  const { keys } = JSON.parse(jwks) as { keys: readonly PrivateJwk[] };
  const imported = keys.map(async (jwk) => [jwk.kid, await importVerifyKey(jwk)] as const);
  return new Map(await Promise.all(imported));
}
