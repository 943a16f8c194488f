import { and, desc, eq } from "drizzle-orm";
import { toBase64 } from "../../core/encoding/bytes.ts";
import { acceptanceHosts, auditLog, webhooks } from "../../db/schema.ts";
import { UsageError, WordsError } from "../../kit/command-line.ts";
import { BEGINNING, placeBefore } from "../../worker/audit/event-feed.ts";
import type { Db } from "../../worker/database/connect.ts";
import { open, type Place, seal } from "../../worker/secrets/sealed.ts";
import { addressFault } from "../../worker/webhooks/address.ts";
import { KEY_OVERLAP, withNewKey } from "../../worker/webhooks/keys.ts";
import { systemRandom } from "../serve/keys.ts";
import { AIRLINE, type Commands, type Context, command, INSTANT, oneOf } from "./command.ts";
import { dataKeyIn } from "./files.ts";
import { columnsOf, listing, putting, rowsOf } from "./rows.ts";
import { at } from "./show.ts";

/** `webhook …`: who is sent what happens to bags (docs/listen.md), and from which place in the audit log. */

const ID = { id: { value: "id", required: true, help: "the webhook" } } as const;
const WEBHOOK = rowsOf("webhook", webhooks, ID, ({ id }) => eq(webhooks.id, id));
const FROM = {
  ...INSTANT,
  help: "begin with events of this time, such as 2026-05-03T06:00:00Z",
} as const;

const SCOPE = {
  ...oneOf(["baggage:message"]),
  list: true,
  help: "what it may see beyond the events: baggage messages hold names and record locators",
} as const;
const URL = { value: "url", required: true, help: "https, a public host, port 443" } as const;

/** Throws WordsError for an address that may not listen; on this machine any host may. */
function requireAddress(url: string, { isRemote }: Context): void {
  const fault = addressFault(url, { isDevelopment: !isRemote });
  if (fault !== undefined) throw new WordsError(`--url ${fault}`);
}

/** A secret of signatures, with the one `before` if there is one, and what shows it once. */
async function sealNewSecret({ secrets, print }: Context, place: Place, before?: string) {
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
  "webhook add": command({
    summary: "send an airline's events to an address; the secret of its signatures is shown once",
    options: {
      id: { value: "id", required: true, help: "yours to choose" },
      url: URL,
      airline: { ...AIRLINE, list: true, required: true, help: "whose events it is sent" },
      scope: SCOPE,
      from: { ...FROM, help: `${FROM.help} (default: now)` },
    },
    async run({ id, url, airline: airlines, scope: scopes, from }, context) {
      requireAddress(url, context);
      const { db, print } = context;
      const { secretSealed, show } = await sealNewSecret(context, { field: "webhook-secret", id });
      const now = Date.now();
      const place = from === undefined ? await endOfLog(db) : await placeAt(db, airlines, from);
      const times = { dueAt: now, createdAt: now };
      await db.insert(webhooks).values({ id, url, airlines, scopes, ...times, ...place, secretSealed });
      print(`webhook ${id}`);
      show();
    },
  }),
  "webhook list": listing("show every webhook, and which of them fail or have been given up", webhooks, [
    "id",
    "airlines",
    "failures",
    "lastError",
    "deliveredAt",
    "stoppedAt",
  ]),
  "webhook show": command({
    summary: "show one webhook and how far it is; its secret is not shown again",
    options: ID,
    async run(named, { db, show }) {
      const row = await WEBHOOK.find(db, named);
      show({
        ...columnsOf(row, ["id", "url", "airlines", "scopes", "placeAt", "failures", "lastError"]),
        ...columnsOf(row, ["dueAt", "deliveredAt", "stoppedAt", "createdAt"]),
      });
    },
  }),
  "webhook scope": WEBHOOK.changing(
    "let a webhook see these and nothing else beyond the events; without --scope, nothing",
    { scope: SCOPE },
    ({ scope: scopes }) => ({ scopes }),
  ),
  "webhook rotate": command({
    summary: "give a webhook a new secret, shown once; for a day the one before signs beside it",
    options: ID,
    async run({ id }, context) {
      const { secretSealed: before } = await WEBHOOK.find(context.db, { id });
      const { secretSealed, show } = await sealNewSecret(context, { field: "webhook-secret", id }, before);
      const changed = await context.db
        .update(webhooks)
        .set({ secretSealed })
        .where(and(eq(webhooks.id, id), eq(webhooks.secretSealed, before)))
        .returning();
      if (changed.length === 0) throw new UsageError(`webhook ${id} was changed by another run: try again`);
      context.print(`webhook ${id}`);
      show();
    },
  }),
  "webhook replay": command({
    summary: "go on with a webhook that was given up, where it stopped or again from an earlier time",
    options: { ...ID, from: FROM },
    async run({ id, from }, { db, print }) {
      const { airlines } = await WEBHOOK.find(db, { id });
      const place = from === undefined ? {} : await placeAt(db, airlines, from);
      const again = { failures: 0, lastError: null, stoppedAt: null, dueAt: Date.now() };
      await WEBHOOK.change(db, { id }, { ...place, ...again });
      const where = from === undefined ? "where it stopped" : `from ${at(Date.parse(from))}`;
      print(`webhook ${id}: goes on ${where}`);
    },
  }),
  "webhook remove": WEBHOOK.removing("send nothing there any more"),
} satisfies Commands;

/** `acceptance …`: airlines' own hosts, asked before a bag gets its plate (docs/acceptance.md). */

const WHOSE = { airline: { ...AIRLINE, required: true, help: "whose host it is" } } as const;
const HOST = rowsOf("acceptance", acceptanceHosts, WHOSE, ({ airline }) =>
  eq(acceptanceHosts.airline, airline),
);

export const acceptanceCommands = {
  "acceptance set": command({
    summary:
      "ask an airline's host before a bag gets its plate; the secret is shown once, and one before signs beside it for a day",
    options: {
      ...WHOSE,
      url: URL,
      fallback: {
        ...oneOf(["refuse", "draw"]),
        help: "a bag for which the host gives no answer: refuse it (default), or draw a plate of the range",
      },
    },
    async run({ airline, url, fallback = "refuse" }, context) {
      requireAddress(url, context);
      const { db, print } = context;
      const [before] = await db.select().from(acceptanceHosts).where(eq(acceptanceHosts.airline, airline));
      const place = { field: "acceptance-secret", id: airline } as const;
      const { secretSealed, show } = await sealNewSecret(context, place, before?.secretSealed);
      await putting(db, acceptanceHosts, { airline, url, fallback, secretSealed });
      print(`acceptance ${airline}: ${fallback}`);
      show();
    },
  }),
  "acceptance show": listing(
    "show the airlines that have a host; their secrets are not shown again",
    acceptanceHosts,
    ["airline", "url", "fallback"],
  ),
  "acceptance remove": HOST.removing("ask an airline's host no more: its bags get plates of its range again"),
} satisfies Commands;

/** A time would not do: {@link placeBefore} takes minutes before it along. */
async function endOfLog(db: Db) {
  const [newest = BEGINNING] = await db
    .select({ id: auditLog.id, at: auditLog.at })
    .from(auditLog)
    .orderBy(desc(auditLog.id))
    .limit(1);
  return { placeId: newest.id, placeAt: newest.at };
}

async function placeAt(db: Db, airlines: readonly string[], from: string) {
  const [place = BEGINNING] = await placeBefore(db, airlines, Date.parse(from));
  return { placeId: place.id, placeAt: place.at };
}
