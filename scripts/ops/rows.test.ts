import type { D1Database } from "@cloudflare/workers-types";
import { sql } from "drizzle-orm";
import { beforeEach, expect, it } from "vitest";
import { toBase64Url } from "../../core/encoding/bytes.ts";
import * as schema from "../../db/schema.ts";
import { connect } from "../../worker/database/connect.ts";
import { foreignRows } from "../../worker/test-support/foreign-rows.ts";
import { COMMANDS } from "./commands.ts";
import { d1OverText } from "./d1-over-text.ts";
import type { Row } from "./show.ts";
import { everyRow, operatorHere, outcomeOf, SECRETS } from "./test-support/operator.ts";

/** What commands find, change and refuse, one after the other, as tables. */

const operator = operatorHere();
/** What a list reads must not depend on how much there is that it does not show. */
const FOREIGN = 5_000;
const MOST_MORE = 20;
const KEY = toBase64Url(new Uint8Array(32));

/** Beside the development data a row of each kind, and what cannot be enabled before it is disabled. */
beforeEach(async () => {
  const { db } = operator;
  for (const statement of foreignRows("SK", 1, Date.now())) await db.run(sql.raw(statement));
  const row = { sessionId: "s", sub: "s", clientId: "c", spkiHash: KEY, issuedAt: 0, expiresAt: 0 };
  await db.insert(schema.certificates).values(["aa", "bb"].map((serial) => ({ ...row, serial })));
  const hook = { id: "dcs", url: "https://dcs.example", airlines: ["SK"], secretSealed: "sealed" };
  const place = { placeId: 0, placeAt: 0, dueAt: 0, createdAt: 0 };
  await db.insert(schema.webhooks).values({ ...hook, ...place });
  const host = { airline: "SK", url: "https://dcs.example", secretSealed: "sealed" };
  await db.insert(schema.acceptanceHosts).values({ ...host, fallback: "draw" });
  const member = { clientId: "client-kiosk", staffId: "K1", pinHash: "hash" };
  await db.insert(schema.staffMembers).values(member);
  await db.run(sql`update clients set enabled = 0 where id = 'client-partner'`);
  await db.run(sql`update b2b_accounts set enabled = 0`);
});

/** Words, a line of the answer, what is asked of the database afterwards, and its answer. */
const CHANGES: readonly (readonly [string, string, string, string | number])[] = [
  [
    "client enable --id client-partner",
    ": enabled true",
    "enabled from clients where id = 'client-partner'",
    1,
  ],
  [
    "client disable --id client-kiosk",
    ": enabled false",
    "enabled from clients where id = 'client-kiosk'",
    0,
  ],
  [
    "client flags --id client-kiosk --flag requireDpop",
    'client client-kiosk: flags {"requireDpop":true}',
    "flags from clients where id = 'client-kiosk'",
    '{"requireDpop":true}',
  ],
  [
    "client create --id dcs --name DCS --login b2b --airline XX --scope journey:write --scope audit:read",
    "client dcs",
    "scopes from clients where id = 'dcs'",
    '["journey:write","audit:read"]',
  ],
  [
    "account enable --client client-kiosk --username kiosk-osl-1",
    "account kiosk-osl-1: enabled true",
    "enabled from b2b_accounts",
    1,
  ],
  ["staff disable --client client-kiosk --id k1", ": enabled false", "enabled from staff_members", 0],
  [
    "issuer add --issuer https://a.example --audience tags --jwks-url https://a.example/k --travel-plans",
    "issuer https://a.example: trusted",
    "algorithms || max_age_seconds || loads_travel_plans || enabled from federated_issuers where audience = 'tags'",
    '["ES256"]30011',
  ],
  [
    "issuer disable --issuer https://a.example",
    "issuer https://a.example: enabled false",
    "enabled from federated_issuers where audience = 'tags'",
    0,
  ],
  [
    "plates set --airline XX --issuer 999 --first 100000 --last 199999",
    "plates of XX: 100000",
    "leading || issuer || last_serial || next_serial from plate_ranges where airline = 'XX'",
    "0999199999100000",
  ],
  [
    "webhook scope --id dcs --scope baggage:message",
    "webhook dcs: scopes baggage:message",
    "scopes from webhooks",
    '["baggage:message"]',
  ],
  ["webhook scope --id dcs", "webhook dcs: scopes none", "scopes from webhooks", "[]"],
  ["webhook remove --id dcs", "webhook dcs: removed", "count(*) from webhooks", 0],
  ["acceptance remove --airline SK", "acceptance SK: removed", "count(*) from acceptance_hosts", 0],
  ["key revoke --serial AA", "revoked: every certificate of the key", "spki_hash from revoked_keys", KEY],
  ["session end --sub SK-1", "sessions ended: 1", "revoked_at > 0 from sessions", 1],
];

it("each change is said, and made", async () => {
  for (const [words, line, question, answer] of CHANGES) {
    const { lines, sentence } = await operator.outcome(...words.split(" "), ...SECRETS);
    expect.soft(sentence, words).toBe("");
    expect.soft(lines[0], words).toContain(line);
    const [found] = await operator.db.values<[unknown]>(sql.raw(`select ${question}`));
    expect.soft(found, words).toEqual([answer]);
  }
});

const ABSENT: readonly (readonly [string, string])[] = [
  ["client show --id absent", "no client absent"],
  ["client disable --id absent", "no client absent"],
  ["client set --id absent --origin https://a.example", "no client absent"],
  ["account enable --client client-kiosk --username absent", "no account absent"],
  ["account create --client absent --username a --airline SK", "it names a client that does not exist: "],
  ["client set --id client-partner --issuer https://x.example", "no issuer https://x.example: `issuer add` "],
  ["client set --id client-passenger --login b2b", "b2b needs a secret: `client create` makes a client with"],
  ["client set --id client-partner --login guest", "--login guest needs --evidence"],
  [
    "client create --id client-kiosk --name x --login guest --evidence none",
    "there is a client with this id already: `client set` changes it",
  ],
  [
    "client create --id x --name x --login guest --evidence none --attestation-policy package.json",
    "package.json is no attestation policy",
  ],
  ["session end --client absent", "no client absent"],
  ["staff list --client absent", "no client absent"],
  ["staff forget --client client-kiosk --id absent", "no staff absent"],
  [
    "staff add --client client-kiosk --id k1 --name x",
    "K1 belonged to a forgotten member; choose another id",
  ],
  ["issuer add --issuer x --audience y --jwks package.json", "package.json holds no keys"],
  ["tag show --id absent", "no tag absent"],
  ["booking show --locator ABC123 --surname Byron", "nothing is stored of anybody of that name in such a "],
  ["key revoke --serial cc", "no such certificate, or revoked already"],
  ["webhook remove --id absent", "no webhook absent"],
  [
    "webhook add --id dcs --url https://dcs.example.com --airline SK",
    "there is a webhook with this id already",
  ],
];

it("what cannot be done is refused in a sentence, and changes nothing", async () => {
  const before = await everyRow(operator.db);
  for (const [words, sentence] of ABSENT) {
    const outcome = await operator.outcome(...words.split(" "), ...SECRETS);
    expect.soft(outcome.sentence.slice(0, sentence.length), words).toBe(sentence);
    expect.soft(outcome.code, words).not.toBe(0);
  }
  expect(await everyRow(operator.db)).toEqual(before);
});

const LISTS: readonly (readonly [string, string])[] = [
  ["client list", "client-partner\tfalse\tfederated,b2b\tSK\tDemo partner"],
  ["account list", "client-kiosk\tkiosk-osl-1\tfalse\tSK"],
  ["issuer list", "https://host-airline.example\ttrue\ttaglatch\t\tES256\ttrue"],
  ["plates list", "SK\t0\t117\t200000"],
  ["webhook list", "dcs\tSK\t0"],
  ["webhook show --id dcs", "url: https://dcs.example"],
  ["acceptance show", "SK\thttps://dcs.example\tdraw"],
  ["staff list --client client-kiosk", "K1\ttrue\t"],
  ["client show --id client-partner", "b2bSecret: set"],
  ["devices list --after ebt-20-0006 --limit 1", "ebt-21-0001\tebt-21-0001\t2.1\tknown\t"],
  ["devices list --limit 4", "SK-1\tSK-1\tunproven\tnone\t2"],
  ["devices list --limit 4 --locked", "SK-1\tSK-1\tunproven\tnone\t2"],
  ["tag show --id ebt-21-0001", "id: ebt-21-0001"],
  ["booking show --locator ABC123 --surname Lovelace", "journeys:"],
];

it("each list shows its rows, and nothing that is a secret", async () => {
  for (const [words, line] of LISTS) {
    const lines = await operator.ops(...words.split(" "), ...SECRETS);
    expect
      .soft(
        lines.some((each) => each.startsWith(line)),
        `${words}\n${lines.join("\n")}`,
      )
      .toBe(true);
    // The hash of a tag's public key is none.
    const shown = lines.filter((each) => !each.startsWith("key: ")).join("\n");
    expect.soft(shown, words).not.toMatch(/[\w-]{43}|sealed|hash/);
  }
  const commands = COMMANDS.map(({ name }) => name).filter((name) => /(list|show)$/.test(name));
  const tried = LISTS.map(([words]) => words.replace(/ --.*/, ""));
  expect(tried).toEqual(expect.arrayContaining(commands));
});

const database = () => (operator.db as unknown as { readonly $client: D1Database }).$client;
const run = (texts: readonly string[]) =>
  database().batch<Row>(texts.map((text) => database().prepare(text)));

/** How many rows the statements of each list read. */
async function readByLists(): Promise<readonly number[]> {
  const counts: number[] = [];
  for (const [words] of LISTS) {
    let rows = 0;
    const counted = d1OverText(async (texts) => {
      const answers = await run(texts);
      for (const { meta } of answers) rows += meta.rows_read;
      return answers;
    });
    const open = async () => ({ db: connect(counted), name: "counted", close: async () => undefined });
    await outcomeOf([...words.split(" "), ...SECRETS], { open });
    counts.push(rows);
  }
  return counts;
}

it(`each list reads at most ${MOST_MORE} rows more beside ${FOREIGN} foreign bookings, locks, tags and events`, async () => {
  await readByLists();
  const alone = await readByLists();
  // Tags that are not locked, before the others in the order of ids.
  const unlocked = `insert into devices (id, label, registered_at) with recursive n(i) as
    (select 1 union all select i + 1 from n where i < ${FOREIGN}) select 'A-' || i, 'A', 0 from n`;
  await run([...foreignRows("LH", FOREIGN, Date.now()), unlocked]);
  const beside = await readByLists();
  const more = LISTS.map(([words], list) => [words, (beside[list] ?? 0) - (alone[list] ?? 0)] as const);
  expect(more.filter(([, rows]) => rows > MOST_MORE)).toEqual([]);
});
