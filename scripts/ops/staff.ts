import { and, asc, eq } from "drizzle-orm";
import { staffMembers, staffNames } from "../../db/schema.ts";
import { type Option, UsageError } from "../../kit/command-line.ts";
import { hashPassword, staffIdOf } from "../../worker/secrets/credentials.ts";
import { open, type Place, seal } from "../../worker/secrets/sealed.ts";
import { systemRandom } from "../serve/development-keys.ts";
import { pepperOf, requireClient } from "./clients.ts";
import type { Command, Input } from "./command.ts";
import { dataKeyIn } from "./secret-file.ts";

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

export const addStaff: Command = {
  name: "staff add",
  summary: "add a member of staff, or give one a new PIN; the PIN is shown once",
  database: "write",
  options: { ...options, name: { value: "text", required: true, help: "for you; `staff forget` erases it" } },
  async run(input) {
    const { one, db, print } = input;
    const who = whoOf(input);
    await refuseForgotten(input, who);
    const pin = newPin();
    const row = { pinHash: await hashPassword(pepperOf(input), pin, systemRandom(16)), enabled: true };
    const named = { nameSealed: await seal(await dataKeyIn(input.secrets()), placeOf(who), one("name")) };
    await db.batch([
      db
        .insert(staffMembers)
        .values({ ...who, ...row })
        .onConflictDoUpdate({ target: [staffMembers.clientId, staffMembers.staffId], set: row }),
      db
        .insert(staffNames)
        .values({ ...who, ...named })
        .onConflictDoUpdate({ target: [staffNames.clientId, staffNames.staffId], set: named }),
    ]);
    print(`staff ${who.staffId} of ${who.clientId}`);
    print(`PIN: ${pin}`);
  },
};

export const disableStaff: Command = {
  name: "staff disable",
  summary: "refuse a member of staff; `staff add` with a new PIN lets them in again",
  database: "write",
  options,
  async run(input) {
    const who = whoOf(input);
    const changed = await disabling(input, who);
    requireFound(input, who, changed);
    input.print(`staff ${who.staffId}: disabled`);
  },
};

export const forgetStaff: Command = {
  name: "staff forget",
  summary: "erase the name of a member who left, and refuse the id for good; the audit log stays",
  database: "write",
  options,
  async run(input) {
    const who = whoOf(input);
    const [changed] = await input.db.batch([
      disabling(input, who),
      input.db
        .delete(staffNames)
        .where(and(eq(staffNames.clientId, who.clientId), eq(staffNames.staffId, who.staffId))),
    ]);
    requireFound(input, who, changed);
    input.print(`staff ${who.staffId}: disabled, name erased`);
  },
};

export const listStaff: Command = {
  name: "staff list",
  summary: "show the staff of a client, with the names that are not erased",
  database: "read",
  options: { client },
  async run(input) {
    await requireClient(input, input.one("client"));
    const dataKey = await dataKeyIn(input.secrets());
    const { clientId, staffId } = staffMembers;
    const isName = and(eq(staffNames.clientId, clientId), eq(staffNames.staffId, staffId));
    const rows = await input.db
      .select({ id: staffId, enabled: staffMembers.enabled, sealed: staffNames.nameSealed })
      .from(staffMembers)
      .leftJoin(staffNames, isName)
      .where(eq(clientId, input.one("client")))
      .orderBy(asc(staffId));
    for (const { id, enabled, sealed } of rows) {
      const place = placeOf({ clientId: input.one("client"), staffId: id });
      const name = sealed === null ? "" : await open(dataKey, place, sealed);
      input.print([id, enabled ? "enabled" : "disabled", name].join("\t"));
    }
  },
};

interface Who {
  readonly clientId: string;
  readonly staffId: string;
}

const whoOf = ({ one }: Input): Who => ({ clientId: one("client"), staffId: staffIdOf(one("id")) });

/** Where a member's name is sealed for. */
export const placeOf = ({ clientId, staffId }: Who): Place => ({
  field: "staff-name",
  id: `${clientId}/${staffId}`,
});

const isMember = ({ clientId, staffId }: Who) =>
  and(eq(staffMembers.clientId, clientId), eq(staffMembers.staffId, staffId));

const disabling = ({ db }: Input, who: Who) =>
  db
    .update(staffMembers)
    .set({ enabled: false })
    .where(isMember(who))
    .returning({ staffId: staffMembers.staffId });

function requireFound({ isPrinted }: Input, { staffId }: Who, changed: readonly unknown[]): void {
  if (changed.length === 0 && !isPrinted) throw new UsageError(`no staff ${staffId}`);
}

/** An id whose name was erased is not given to another: the audit log would mean either. */
async function refuseForgotten({ db, isPrinted }: Input, who: Who): Promise<void> {
  if (isPrinted) return;
  const isName = and(eq(staffNames.clientId, who.clientId), eq(staffNames.staffId, who.staffId));
  const [members, names] = await db.batch([
    db.select({ id: staffMembers.staffId }).from(staffMembers).where(isMember(who)),
    db.select({ id: staffNames.staffId }).from(staffNames).where(isName),
  ]);
  if (members.length > 0 && names.length === 0)
    throw new UsageError(`${who.staffId} belonged to a forgotten member; choose another id`);
}

/** Six digits: with five tries in a quarter of an hour, a year's guessing finds one PIN in six. */
function newPin(): string {
  const [number = 0] = new Uint32Array(systemRandom(4).buffer);
  return String(number % 1_000_000).padStart(6, "0");
}
