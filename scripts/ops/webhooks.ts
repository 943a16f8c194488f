import { and, asc, desc, eq, sql } from "drizzle-orm";
import { toBase64 } from "../../core/encoding/bytes.ts";
import { auditLog, webhooks } from "../../db/schema.ts";
import { UsageError, WordsError } from "../../kit/command-line.ts";
import { BEGINNING, placeBefore } from "../../worker/audit/event-feed.ts";
import { open, type Place, seal } from "../../worker/secrets/sealed.ts";
import { addressFault } from "../../worker/webhooks/address.ts";
import { KEY_OVERLAP, withNewKey } from "../../worker/webhooks/keys.ts";
import { systemRandom } from "../serve/keys.ts";
import { AIRLINE, type Commands, INSTANT, type Input, listing, oneOf, requireFound } from "./command.ts";
import { dataKeyIn } from "./files.ts";
import { at, type Row } from "./show.ts";

/** `webhook …`: who is sent what happens to bags (docs/listen.md), and from which place in the audit log. */

const ID = { id: { value: "id", required: true, help: "the webhook" } } as const;
const FROM = {
  ...INSTANT,
  help: "begin with events of this time, such as 2026-05-03T06:00:00Z",
} as const;

const SCOPES = ["baggage:message"] as const;
const SCOPE = {
  ...oneOf(SCOPES),
  list: true,
  help: "what it may see beyond the events: baggage messages hold names and record locators",
} as const;
const scopesIn = ({ many }: Input) => SCOPES.filter((scope) => many("scope").includes(scope));

/** A secret of signatures, with the one `before` if there is one, and what shows it once. */
export async function sealNewSecret({ secrets, print }: Input, place: Place, before?: string) {
  const key = await dataKeyIn(secrets());
  // A key that does not open what is there would seal what the service cannot open.
  const keys =
    before &&
    (await open(key, place, before).catch(() => {
      throw new UsageError(`the secret of ${place.id} does not open with DATA_KEY of --secrets`);
    }));
  const [secret, now] = [`whsec_${toBase64(systemRandom(32))}`, Date.now()];
  const show = () => {
    print(`secret: ${secret}`);
    if (keys) print(`the secret before signs too until ${at(now + KEY_OVERLAP)}`);
  };
  return { show, secretSealed: await seal(key, place, keys ? withNewKey(keys, secret, now) : secret) };
}

export const webhookCommands = {
  "webhook add": {
    summary: "send an airline's events to an address; the secret of its signatures is shown once",
    database: "read",
    options: {
      id: { value: "id", required: true, help: "yours to choose" },
      url: { value: "url", required: true, help: "https, a public host, port 443" },
      airline: { ...AIRLINE, list: true, required: true, help: "whose events it is sent" },
      scope: SCOPE,
      from: { ...FROM, help: `${FROM.help} (default: now)` },
    },
    async run(input) {
      const { one, maybe, many, db, isRemote, print } = input;
      const [id, url, airlines] = [one("id"), one("url"), [...new Set(many("airline"))]];
      const fault = addressFault(url, { isDevelopment: !isRemote });
      if (fault !== undefined) throw new WordsError(`--url ${fault}`);
      const { secretSealed, show } = await sealNewSecret(input, { field: "webhook-secret", id });
      const now = Date.now();
      const from = maybe("from");
      const place = from === undefined ? await endOfLog(input) : await placeAt(input, airlines, from);
      await db.insert(webhooks).values({
        id,
        url,
        airlines,
        scopes: scopesIn(input),
        dueAt: now,
        createdAt: now,
        ...place,
        secretSealed,
      });
      print(`webhook ${id}`);
      show();
    },
  },
  "webhook list": listing(
    "show every webhook, and which of them fail or have been given up",
    webhooks,
    [webhooks.id],
    (row) => {
      const { id, airlines, failures, lastError, deliveredAt } = row;
      return { id, state: stateOf(row), airlines, failures, lastError, deliveredAt: at(deliveredAt) };
    },
  ),
  "webhook show": {
    summary: "show one webhook and how far it is; its secret is not shown again",
    database: "read",
    options: ID,
    async run(input) {
      const row = await webhookOf(input);
      const [newest] = await input.db.select().from(auditLog).orderBy(desc(auditLog.id)).limit(1);
      const { id, url, airlines, scopes, failures, lastError } = row;
      const shown: Row = {
        id,
        url,
        state: stateOf(row),
        airlines,
        scopes,
        failures,
        lastError,
        ...{
          takenUntil: at(row.placeAt),
          newestInLog: at(newest?.at ?? null),
          nextTurn: at(row.stoppedAt === null ? row.dueAt : null),
        },
        deliveredAt: at(row.deliveredAt),
        stoppedAt: at(row.stoppedAt),
        createdAt: at(row.createdAt),
      };
      input.showOne(shown);
    },
  },
  "webhook scope": {
    summary: "let a webhook see these and nothing else beyond the events; without --scope, nothing",
    database: "write",
    options: { ...ID, scope: SCOPE },
    async run(input) {
      const [id, scopes] = [input.one("id"), scopesIn(input)];
      const changed = await input.db
        .update(webhooks)
        .set({ scopes })
        .where(eq(webhooks.id, id))
        .returning({ id: webhooks.id });
      requireFound(input, changed, `webhook ${id}`);
      input.print(`webhook ${id}: ${scopes.join(" ") || "no scope"}`);
    },
  },
  "webhook rotate": {
    summary: "give a webhook a new secret, shown once; for a day the one before signs beside it",
    database: "read",
    options: ID,
    async run(input) {
      const { id, secretSealed: before } = await webhookOf(input);
      const { secretSealed, show } = await sealNewSecret(input, { field: "webhook-secret", id }, before);
      const changed = await input.db
        .update(webhooks)
        .set({ secretSealed })
        .where(and(eq(webhooks.id, id), eq(webhooks.secretSealed, before)))
        .returning({ id: webhooks.id });
      if (changed.length === 0) throw new UsageError(`webhook ${id} was changed by another run: try again`);
      input.print(`webhook ${id}`);
      show();
    },
  },
  "webhook replay": {
    summary: "go on with a webhook that was given up, where it stopped or again from an earlier time",
    database: "read",
    options: { ...ID, from: FROM },
    async run(input) {
      const { id, airlines } = await webhookOf(input);
      const from = input.maybe("from");
      const place = from === undefined ? {} : await placeAt(input, airlines, from);
      await input.db
        .update(webhooks)
        .set({ ...place, failures: 0, lastError: null, stoppedAt: null, dueAt: Date.now() })
        .where(eq(webhooks.id, id));
      input.print(
        `webhook ${id}: goes on ${from === undefined ? "where it stopped" : `from ${at(Date.parse(from))}`}`,
      );
    },
  },
  "webhook remove": {
    summary: "send nothing there any more",
    database: "write",
    options: ID,
    async run(input) {
      const id = input.one("id");
      const gone = await input.db.delete(webhooks).where(eq(webhooks.id, id)).returning({ id: webhooks.id });
      requireFound(input, gone, `webhook ${id}`);
      input.print(`webhook ${id}: removed`);
    },
  },
} satisfies Commands;

/** What is wrong with webhooks, for `doctor`. */
export async function webhooksInTrouble({ db }: Input): Promise<readonly (typeof webhooks.$inferSelect)[]> {
  const before = Date.now() - LATE;
  const isLate = sql`(${webhooks.dueAt} <= ${before} and exists (select 1 from ${auditLog}
    where ${auditLog.id} > ${webhooks.placeId} and ${auditLog.at} <= ${before}))`;
  return db
    .select()
    .from(webhooks)
    .where(sql`${webhooks.stoppedAt} is not null or ${webhooks.failures} > 0 or ${isLate}`)
    .orderBy(asc(webhooks.id));
}

/** A run comes every minute, and nothing waits for long that is not said to be failing. */
const LATE = 15 * 60_000;

const stateOf = ({ stoppedAt, failures }: typeof webhooks.$inferSelect) =>
  stoppedAt !== null ? "stopped" : failures > 0 ? "failing" : "ok";

async function webhookOf({ one, db }: Input) {
  const id = one("id");
  const [row] = await db.select().from(webhooks).where(eq(webhooks.id, id));
  if (row === undefined) throw new UsageError(`no webhook ${id}`);
  return row;
}

/** A time would not do: {@link placeBefore} takes minutes before it along. */
async function endOfLog({ db }: Input) {
  const [newest = BEGINNING] = await db
    .select({ id: auditLog.id, at: auditLog.at })
    .from(auditLog)
    .orderBy(desc(auditLog.id))
    .limit(1);
  return { placeId: newest.id, placeAt: newest.at };
}

async function placeAt({ db }: Input, airlines: readonly string[], from: string) {
  const [place = BEGINNING] = await placeBefore(db, airlines, Date.parse(from));
  return { placeId: place.id, placeAt: place.at };
}
