import { and, eq, isNull } from "drizzle-orm";
import { toBase64Url } from "../../core/encoding/bytes.ts";
import { b2bAccounts, sessions } from "../../db/schema.ts";
import { type Option, UsageError } from "../../kit/command-line.ts";
import { hashPassword, staffSubject } from "../../worker/secrets/credentials.ts";
import { systemRandom } from "../serve/development-keys.ts";
import { pepperOf } from "./clients.ts";
import type { Command } from "./command.ts";
import { AIRLINE } from "./options.ts";

/** `account …`: ground staff who log in with user name and password below a client's B2B secret (rules §3). */

const options = {
  client: { value: "id", required: true, help: "the client it logs in with" },
  username: { value: "name", required: true, help: "of a desk or a kiosk rather than a person" },
} as const satisfies Record<string, Option>;

export const createAccount: Command = {
  name: "account create",
  summary: "make a staff account, or give it a new password; the password is shown once",
  database: "write",
  options: {
    ...options,
    airline: { ...AIRLINE, list: true, required: true, help: "airlines it acts for" },
  },
  async run(input) {
    const { one, many, db, print } = input;
    // 18 bytes are 24 characters, more than anybody guesses and as few as anybody wants to type.
    const password = toBase64Url(systemRandom(18));
    const passwordHash = await hashPassword(pepperOf(input), password, systemRandom(16));
    const row = { passwordHash, airlines: many("airline"), enabled: true };
    await db
      .insert(b2bAccounts)
      .values({ clientId: one("client"), username: one("username"), ...row })
      .onConflictDoUpdate({ target: [b2bAccounts.clientId, b2bAccounts.username], set: row });
    print(`account ${one("username")} of ${one("client")}`);
    print(`password: ${password}`);
  },
};

const isAccount = (clientId: string, username: string) =>
  and(eq(b2bAccounts.clientId, clientId), eq(b2bAccounts.username, username));

export const disableAccount: Command = {
  name: "account disable",
  summary: "refuse a staff account and end its sessions at once",
  database: "write",
  options,
  async run(input) {
    const { one, db, isPrinted, print } = input;
    const sub = await staffSubject(pepperOf(input), one("client"), one("username"));
    const [changed, ended] = await db.batch([
      db
        .update(b2bAccounts)
        .set({ enabled: false })
        .where(isAccount(one("client"), one("username")))
        .returning({ username: b2bAccounts.username }),
      db
        .update(sessions)
        .set({ revokedAt: Date.now() })
        .where(and(eq(sessions.sub, sub), isNull(sessions.revokedAt)))
        .returning({ id: sessions.id }),
    ]);
    if (changed.length === 0 && !isPrinted) throw new UsageError(`no account ${one("username")}`);
    print(`account ${one("username")}: disabled, ${isPrinted ? "its" : ended.length} sessions ended`);
  },
};

export const enableAccount: Command = {
  name: "account enable",
  summary: "let a staff account log in again",
  database: "write",
  options,
  async run({ one, db, isPrinted, print }) {
    const changed = await db
      .update(b2bAccounts)
      .set({ enabled: true })
      .where(isAccount(one("client"), one("username")))
      .returning({ username: b2bAccounts.username });
    if (changed.length === 0 && !isPrinted) throw new UsageError(`no account ${one("username")}`);
    print(`account ${one("username")}: enabled`);
  },
};
