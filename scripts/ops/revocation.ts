import { and, eq, isNull, sql } from "drizzle-orm";
import { certificates, revokedKeys, sessions } from "../../db/schema.ts";
import { requireClient } from "./clients.ts";
import { type Commands, HASH, matching, oneOfTwo, requireFound } from "./command.ts";

/** `key revoke` and `session end`: what to do when a phone, a kiosk or a token is in the wrong hands. */

export const revocationCommands = {
  "key revoke": {
    summary: "give a client key no more transaction tokens, whatever certificate comes with it",
    database: "write",
    options: {
      serial: {
        ...matching("hex", /^[0-9a-f]+$/i, "is the hexadecimal number of a certificate"),
        help: "of one of its certificates",
      },
      spki: { ...HASH, help: "or SHA-256 of its SubjectPublicKeyInfo, base64url" },
    },
    async run(input) {
      const [serial, spki] = oneOfTwo(input, "serial", "spki");
      const { spkiHash } = certificates;
      const isKey =
        spki === undefined ? eq(certificates.serial, (serial ?? "").toLowerCase()) : eq(spkiHash, spki);
      const keys = sql`select distinct ${spkiHash}, ${Date.now()} from ${certificates} where ${isKey}`;
      const revoked = await input.db
        .insert(revokedKeys)
        .select(keys)
        .onConflictDoNothing()
        .returning({ key: revokedKeys.spkiHash });
      requireFound(input, revoked, "such certificate, or revoked already");
      input.print("revoked: every certificate of the key");
    },
  },
  "session end": {
    summary: "end the sessions of one person or of a whole client",
    database: "write",
    options: {
      sub: { value: "pseudonym", help: "as tokens and audit events name it" },
      client: { value: "id", help: "or every session of a client" },
    },
    async run(input) {
      const { db, isPrinted, print } = input;
      const [sub, client] = oneOfTwo(input, "sub", "client");
      if (client !== undefined) await requireClient(input, client);
      const whose = sub === undefined ? eq(sessions.clientId, client ?? "") : eq(sessions.sub, sub);
      const ended = await db
        .update(sessions)
        .set({ revokedAt: Date.now() })
        .where(and(whose, isNull(sessions.revokedAt)))
        .returning({ id: sessions.id });
      print(`sessions ended${isPrinted ? "" : `: ${ended.length}`}`);
    },
  },
} satisfies Commands;
