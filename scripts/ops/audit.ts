import { auditReader } from "../../db/audit-reader.ts";
import { verifyAudit } from "../../db/audit-verification.ts";
import type { PrivateJwk } from "../serve/development-keys.ts";
import type { Command } from "./command.ts";
import { secretNamed } from "./secret-file.ts";
import { UsageError } from "./usage-error.ts";

/** `audit verify`: checks the audit log against its seals. */
export const verifyAuditLog: Command = {
  name: "audit verify",
  summary: "check every audit row against the seals; fails where one does not fit",
  database: "read",
  options: {
    since: { value: "seal", help: "begin after this seal, for a log whose oldest part is elsewhere" },
    expect: { value: "hash", help: "`sealed.newest.hash` of a log line: shows seals cut off since" },
  },
  async run(input) {
    const { db, maybe, number, print } = input;
    const keys = await verifyingKeys(secretNamed(input.secrets(), "AUDIT_SEAL_KEYS"));
    const { seals, rows, newest, faults, hashes } = await verifyAudit(
      auditReader(db),
      keys,
      number("since", 0),
    );
    for (const { kind, seal, fromId, toId } of faults)
      print(`seal ${seal}, rows ${fromId} to ${toId}: ${kind}`);
    const expected = maybe("expect");
    const isCut = expected !== undefined && !hashes.has(expected);
    if (isCut) print(`no seal has the hash ${expected}: seals are missing at the end`);
    print(
      `${seals} seals, ${rows} rows, newest ${newest === undefined ? "none" : `${newest.id} ${newest.hash}`}`,
    );
    if (faults.length > 0 || isCut) throw new UsageError("the audit log is not what was sealed");
  },
};

/** Public halves of a private JWKS, by kid. */
async function verifyingKeys(jwks: string): Promise<ReadonlyMap<string, CryptoKey>> {
  const { keys } = JSON.parse(jwks) as { keys: readonly PrivateJwk[] };
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const imported = keys.map(async ({ kid, kty, crv, x, y }) => {
    return [
      kid,
      await crypto.subtle.importKey("jwk", { kty, crv, x, y }, algorithm, true, ["verify"]),
    ] as const;
  });
  return new Map(await Promise.all(imported));
}
