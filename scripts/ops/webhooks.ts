import { and, asc, desc, eq, sql } from "drizzle-orm";
import { toBase64 } from "../../core/encoding/bytes.ts";
import { type AcceptanceFallback, acceptanceHosts, auditLog, webhooks } from "../../db/schema.ts";
import { UsageError, WordsError } from "../../kit/command-line.ts";
import { BEGINNING, placeBefore } from "../../worker/audit/event-feed.ts";
import { open, type Place, seal } from "../../worker/secrets/sealed.ts";
import { addressFault } from "../../worker/webhooks/address.ts";
import { KEY_OVERLAP, withNewKey } from "../../worker/webhooks/keys.ts";
import { systemRandom } from "../serve/keys.ts";
import { AIRLINE, type Commands, change, INSTANT, type Input, listing, oneOf, remove } from "./command.ts";
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

/** The address of `--url`; on this machine any host may listen. Throws WordsError. */
function addressIn({ one, isRemote }: Input): string {
  const fault = addressFault(one("url"), { isDevelopment: !isRemote });
  if (fault !== undefined) throw new WordsError(`--url ${fault}`);
  return one("url");
}

/** A secret of signatures, with the one `before` if there is one, and what shows it once. */
async function sealNewSecret({ secrets, print }: Input, place: Place, before?: string) {
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
    database: "any",
    options: {
      id: { value: "id", required: true, help: "yours to choose" },
      url: { value: "url", required: true, help: "https, a public host, port 443" },
      airline: { ...AIRLINE, list: true, required: true, help: "whose events it is sent" },
      scope: SCOPE,
      from: { ...FROM, help: `${FROM.help} (default: now)` },
    },
    async run(input) {
      const { one, maybe, many, db, print } = input;
      const [id, url, airlines] = [one("id"), addressIn(input), [...new Set(many("airline"))]];
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
    database: "any",
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
    database: "any",
    options: { ...ID, scope: SCOPE },
    async run(input) {
      const [id, scopes] = [input.one("id"), scopesIn(input)];
      await change(input.db, webhooks, eq(webhooks.id, id), { scopes }, `webhook ${id}`);
      input.print(`webhook ${id}: ${scopes.join(" ") || "no scope"}`);
    },
  },
  "webhook rotate": {
    summary: "give a webhook a new secret, shown once; for a day the one before signs beside it",
    database: "any",
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
    database: "any",
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
    database: "any",
    options: ID,
    async run({ one, db, print }) {
      const id = one("id");
      await remove(db, webhooks, eq(webhooks.id, id), `webhook ${id}`);
      print(`webhook ${id}: removed`);
    },
  },
} satisfies Commands;

/** `acceptance …`: airlines' own hosts, asked before a bag gets its plate (docs/acceptance.md). */

const FALLBACKS: readonly AcceptanceFallback[] = ["refuse", "draw"];
const WHOSE = { airline: { ...AIRLINE, required: true, help: "whose host it is" } } as const;

export const acceptanceCommands = {
  "acceptance set": {
    summary:
      "ask an airline's host before a bag gets its plate; the secret is shown once, and one before signs beside it for a day",
    database: "any",
    options: {
      ...WHOSE,
      url: { value: "url", required: true, help: "https, a public host, port 443" },
      fallback: {
        ...oneOf(FALLBACKS),
        help: "a bag for which the host gives no answer: refuse it (default), or draw a plate of the range",
      },
    },
    async run(input) {
      const { one, maybe, db, print } = input;
      const [airline, url] = [one("airline"), addressIn(input)];
      const [before] = await db.select().from(acceptanceHosts).where(eq(acceptanceHosts.airline, airline));
      const place = { field: "acceptance-secret", id: airline } as const;
      const { secretSealed, show } = await sealNewSecret(input, place, before?.secretSealed);
      const row = { url, fallback: (maybe("fallback") ?? "refuse") as AcceptanceFallback, secretSealed };
      await db
        .insert(acceptanceHosts)
        .values({ airline, ...row })
        .onConflictDoUpdate({ target: acceptanceHosts.airline, set: row });
      print(`acceptance ${airline}: ${row.fallback}`);
      show();
    },
  },
  "acceptance show": listing(
    "show the airlines that have a host; their secrets are not shown again",
    acceptanceHosts,
    [acceptanceHosts.airline],
    ({ airline, url, fallback }) => ({ airline, url, fallback }),
  ),
  "acceptance remove": {
    summary: "ask an airline's host no more: its bags get plates of its range again",
    database: "any",
    options: WHOSE,
    async run({ one, db, print }) {
      const airline = one("airline");
      await remove(db, acceptanceHosts, eq(acceptanceHosts.airline, airline), `host of ${airline}`);
      print(`acceptance ${airline}: removed`);
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
