import { and, asc, eq, isNull, type SQL, sql } from "drizzle-orm";
import { toBase64Url } from "../../core/encoding/bytes.ts";
import {
  b2bAccounts,
  certificates,
  revokedKeys,
  sessions,
  staffMembers,
  staffNames,
} from "../../db/schema.ts";
import { type Option, UsageError } from "../../kit/command-line.ts";
import type { Db } from "../../worker/database/connect.ts";
import { hashPassword, staffIdOf, staffSubject } from "../../worker/secrets/credentials.ts";
import { open, type Place, seal } from "../../worker/secrets/sealed.ts";
import { systemRandom } from "../serve/keys.ts";
import { clientOf } from "./clients.ts";
import { AIRLINE, type Commands, command, HASH, matching, requireOneOf } from "./command.ts";
import { dataKeyIn, pepperIn } from "./files.ts";
import { listing, putting, rowsOf } from "./rows.ts";

/** `account …`: ground staff who log in with user name and password below a client's B2B secret (rules §3). */

const account = {
  client: { value: "id", required: true, help: "the client it logs in with" },
  username: { value: "name", required: true, help: "of a desk or a kiosk rather than a person" },
} as const satisfies Record<string, Option>;

const ACCOUNT = rowsOf("account", b2bAccounts, account, ({ client, username }) =>
  and(eq(b2bAccounts.clientId, client), eq(b2bAccounts.username, username)),
);

/** Ends sessions that are open; how many there were. */
async function endSessions(db: Db, which: SQL): Promise<number> {
  const open = and(which, isNull(sessions.revokedAt));
  const ended = await db.update(sessions).set({ revokedAt: Date.now() }).where(open).returning();
  return ended.length;
}

/** `staff …`: people who share an account; a client with the flag requireStaffPin asks who they are (rules §5). */

const client = { value: "id", required: true, help: "the client of their kiosks" } as const;
const options = {
  client,
  id: {
    value: "id",
    fault: (text: string) => (staffIdOf(text).length > 32 ? "has 1 to 32 characters" : undefined),
    required: true,
    help: "as on the badge, without case and spaces; stands in the audit log",
  },
} as const satisfies Record<string, Option>;

interface Who {
  readonly clientId: string;
  readonly staffId: string;
}

const whoOf = ({ client, id }: Readonly<Record<"client" | "id", string>>): Who => ({
  clientId: client,
  staffId: staffIdOf(id),
});

/** Where a member's name is sealed for. */
export const placeOf = ({ clientId, staffId }: Who): Place => ({
  field: "staff-name",
  id: `${clientId}/${staffId}`,
});

const isMember = ({ clientId, staffId }: Who) =>
  and(eq(staffMembers.clientId, clientId), eq(staffMembers.staffId, staffId));
const MEMBER = rowsOf("staff", staffMembers, options, (member) => isMember(whoOf(member)));

const isNameOf = ({ clientId, staffId }: Who) =>
  and(eq(staffNames.clientId, clientId), eq(staffNames.staffId, staffId));

/** An id whose name was erased is not given to another: the audit log would mean either. */
async function refuseForgotten(db: Db, who: Who): Promise<void> {
  const isKnown = (await db.$count(staffMembers, isMember(who))) > 0;
  if (isKnown && (await db.$count(staffNames, isNameOf(who))) === 0)
    throw new UsageError(`${who.staffId} belonged to a forgotten member; choose another id`);
}

/** Six digits: with five tries in a quarter of an hour, a year's guessing finds one PIN in six. */
function newPin(): string {
  const [number = 0] = new Uint32Array(systemRandom(4).buffer);
  return String(number % 1_000_000).padStart(6, "0");
}

export const staffCommands = {
  "account create": command({
    summary: "make a staff account, or give it a new password; the password is shown once",
    options: {
      ...account,
      airline: { ...AIRLINE, list: true, required: true, help: "airlines it acts for" },
    },
    async run({ client, username, airline: airlines }, { secrets, db, print }) {
      // 18 bytes are 24 characters, more than anybody guesses and as few as anybody wants to type.
      const password = toBase64Url(systemRandom(18));
      const passwordHash = await hashPassword(pepperIn(secrets()), password, systemRandom(16));
      const row = { clientId: client, username, passwordHash, airlines, enabled: true };
      await putting(db, b2bAccounts, row);
      print(`account ${username} of ${client}`);
      print(`password: ${password}`);
    },
  }),
  "account list": listing("show staff accounts", b2bAccounts, [
    "clientId",
    "username",
    "enabled",
    "airlines",
  ]),
  "account enable": ACCOUNT.changing("let a staff account log in again", {}, () => ({ enabled: true })),
  "account disable": command({
    summary: "refuse a staff account and end its sessions at once",
    options: account,
    async run(named, { secrets, db, print }) {
      const sub = await staffSubject(pepperIn(secrets()), named.client, named.username);
      await ACCOUNT.change(db, named, { enabled: false });
      const ended = await endSessions(db, eq(sessions.sub, sub));
      print(`account ${named.username}: disabled, ${ended} sessions ended`);
    },
  }),
  "staff add": command({
    summary: "add a member of staff, or give one a new PIN; the PIN is shown once",
    options: {
      ...options,
      name: { value: "text", required: true, help: "for you; `staff forget` erases it" },
    },
    async run({ name, ...member }, { secrets, db, print }) {
      const who = whoOf(member);
      await refuseForgotten(db, who);
      const pin = newPin();
      const pinHash = await hashPassword(pepperIn(secrets()), pin, systemRandom(16));
      const nameSealed = await seal(await dataKeyIn(secrets()), placeOf(who), name);
      await db.batch([
        putting(db, staffMembers, { ...who, pinHash, enabled: true }),
        putting(db, staffNames, { ...who, nameSealed }),
      ]);
      print(`staff ${who.staffId} of ${who.clientId}`);
      print(`PIN: ${pin}`);
    },
  }),
  "staff list": command({
    summary: "show the staff of a client, with the names that are not erased",
    options: { client },
    async run({ client }, { secrets, db, show }) {
      await clientOf(db, client);
      const dataKey = await dataKeyIn(secrets());
      const { clientId, staffId } = staffMembers;
      const isName = and(eq(staffNames.clientId, clientId), eq(staffNames.staffId, staffId));
      const rows = await db
        .select({ id: staffId, enabled: staffMembers.enabled, sealed: staffNames.nameSealed })
        .from(staffMembers)
        .leftJoin(staffNames, isName)
        .where(eq(clientId, client))
        .orderBy(asc(staffId));
      const named = rows.map(async ({ id, enabled, sealed }) => {
        const place = placeOf({ clientId: client, staffId: id });
        return { id, enabled, name: sealed && (await open(dataKey, place, sealed)) };
      });
      show(await Promise.all(named));
    },
  }),
  "staff disable": MEMBER.changing(
    "refuse a member of staff; `staff add` with a new PIN lets them in again",
    {},
    () => ({ enabled: false }),
  ),
  "staff forget": command({
    summary: "erase the name of a member who left, and refuse the id for good; the audit log stays",
    options,
    async run(member, { db, print }) {
      const who = whoOf(member);
      await MEMBER.change(db, member, { enabled: false });
      await db.delete(staffNames).where(isNameOf(who));
      print(`staff ${who.staffId}: disabled, name erased`);
    },
  }),
} satisfies Commands;

/** What to do when a phone, a kiosk or a token is in the wrong hands. */
export const revocationCommands = {
  "key revoke": command({
    summary: "give a client key no more transaction tokens, whatever certificate comes with it",
    options: {
      serial: {
        ...matching("hex", /^[0-9a-f]+$/i, "is the hexadecimal number of a certificate"),
        help: "of one of its certificates",
      },
      spki: { ...HASH, help: "or SHA-256 of its SubjectPublicKeyInfo, base64url" },
    },
    async run({ serial, spki }, { db, print }) {
      requireOneOf({ serial, spki });
      const { spkiHash } = certificates;
      const isKey =
        spki === undefined ? eq(certificates.serial, (serial ?? "").toLowerCase()) : eq(spkiHash, spki);
      const keys = sql`select distinct ${spkiHash}, ${Date.now()} from ${certificates} where ${isKey}`;
      const revoked = await db.insert(revokedKeys).select(keys).onConflictDoNothing().returning();
      if (revoked.length === 0) throw new UsageError("no such certificate, or revoked already");
      print("revoked: every certificate of the key");
    },
  }),
  "session end": command({
    summary: "end the sessions of one person or of a whole client",
    options: {
      sub: { value: "pseudonym", help: "as tokens and audit events name it" },
      client: { value: "id", help: "or every session of a client" },
    },
    async run({ sub, client }, { db, print }) {
      requireOneOf({ sub, client });
      if (client !== undefined) await clientOf(db, client);
      const whose = sub === undefined ? eq(sessions.clientId, client ?? "") : eq(sessions.sub, sub);
      print(`sessions ended: ${await endSessions(db, whose)}`);
    },
  }),
} satisfies Commands;
