import { and, eq, isNull, sql } from "drizzle-orm";
import { certificates, revokedKeys, sessions } from "../../db/schema.ts";
import { UsageError, WordsError } from "../../kit/command-line.ts";
import { requireClient } from "./clients.ts";
import { type Command, HASH, matching } from "./command.ts";

/** `key revoke` and `session end`: what to do when a phone, a kiosk or a token is in the wrong hands. */

export const revokeKey: Command = {
  name: "key revoke",
  summary: "give a client key no more transaction tokens, whatever certificate comes with it",
  database: "write",
  options: {
    serial: {
      ...matching("hex", /^[0-9a-f]+$/i, "is the hexadecimal number of a certificate"),
      help: "of one of its certificates",
    },
    spki: { ...HASH, help: "or SHA-256 of its SubjectPublicKeyInfo, base64url" },
  },
  async run({ maybe, db, isPrinted, print }) {
    const [serial, spki] = [maybe("serial"), maybe("spki")];
    if ((serial === undefined) === (spki === undefined)) throw new WordsError("one of --serial and --spki");
    const { spkiHash } = certificates;
    const isKey =
      spki === undefined ? eq(certificates.serial, (serial ?? "").toLowerCase()) : eq(spkiHash, spki);
    const keys = sql`select distinct ${spkiHash}, ${Date.now()} from ${certificates} where ${isKey}`;
    const revoked = await db
      .insert(revokedKeys)
      .select(keys)
      .onConflictDoNothing()
      .returning({ key: revokedKeys.spkiHash });
    if (revoked.length === 0 && !isPrinted) throw new UsageError("no such certificate, or revoked already");
    print("revoked: every certificate of the key");
  },
};

export const endSessions: Command = {
  name: "session end",
  summary: "end the sessions of one person or of a whole client",
  database: "write",
  options: {
    sub: { value: "pseudonym", help: "as tokens and audit events name it" },
    client: { value: "id", help: "or every session of a client" },
  },
  async run(input) {
    const { maybe, db, isPrinted, print } = input;
    const [sub, client] = [maybe("sub"), maybe("client")];
    if ((sub === undefined) === (client === undefined)) throw new WordsError("one of --sub and --client");
    if (client !== undefined) await requireClient(input, client);
    const whose = sub === undefined ? eq(sessions.clientId, client ?? "") : eq(sessions.sub, sub);
    const ended = await db
      .update(sessions)
      .set({ revokedAt: Date.now() })
      .where(and(whose, isNull(sessions.revokedAt)))
      .returning({ id: sessions.id });
    print(`sessions ended${isPrinted ? "" : `: ${ended.length}`}`);
  },
};
