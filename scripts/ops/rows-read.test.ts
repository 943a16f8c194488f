import type { D1Database } from "@cloudflare/workers-types";
import { beforeEach, expect, it } from "vitest";
import { connect } from "../../worker/database/connect.ts";
import { foreignRows } from "../../worker/test-support/foreign-rows.ts";
import { COMMANDS } from "./commands.ts";
import { d1OverText } from "./d1-over-text.ts";
import { operate } from "./operate.ts";
import type { Row } from "./show.ts";
import { operatorHere, SECRETS } from "./test-support/operator.ts";

/** What an operator's list reads must not depend on how much is in the database that it does not show. */

const FOREIGN = 5_000;
const MOST_MORE = 20;

/** The words after each command that shows what is stored. */
const WORDS: Readonly<Record<string, string>> = {
  "client list": "",
  "client show": "--id client-partner",
  "account list": "",
  "staff list": "--client client-kiosk",
  "issuer list": "",
  "plates list": "",
  // Lists all tags: a short page, because foreign ones are on it.
  "devices list": "--limit 4",
  "devices list, locked": "--limit 4 --locked",
  "tag show": "--id ebt-21-0001",
  "booking show": "--locator ABC123 --surname Lovelace",
  "webhook list": "",
  "acceptance show": "",
  "webhook show": "--id dcs",
};

const operator = operatorHere();
const database = () => (operator.db as unknown as { readonly $client: D1Database }).$client;
const run = (texts: readonly string[]) =>
  database().batch<Row>(texts.map((text) => database().prepare(text)));

/** How many rows the statements of a command read. */
async function rowsReadBy(words: readonly string[]): Promise<number> {
  let rows = 0;
  const counted = d1OverText(async (texts) => {
    const answers = await run(texts);
    for (const { meta } of answers) rows += meta.rows_read;
    return answers;
  });
  const open = async () => ({ db: connect(counted), name: "counted", close: async () => undefined });
  await operate(words, { ...operator.world, print: () => undefined, open });
  return rows;
}

async function readByLists(): Promise<Readonly<Record<string, number>>> {
  const rows: Record<string, number> = {};
  for (const [name, words] of Object.entries(WORDS)) {
    const [command = ""] = name.split(",");
    rows[name] = await rowsReadBy([...command.split(" "), ...words.split(" ").filter(Boolean), ...SECRETS]);
  }
  return rows;
}

beforeEach(async () => {
  const add = "webhook add --id dcs --url https://dcs.example.com/hook --airline SK".split(" ");
  await operator.ops(...add, ...SECRETS);
});
it("measures every command that lists or shows what is stored", () => {
  const names = COMMANDS.map(({ name }) => name).filter((name) => /(list|show)$/.test(name));
  expect(Object.keys(WORDS)).toEqual(expect.arrayContaining(names));
});

it(`each reads at most ${MOST_MORE} rows more beside ${FOREIGN} foreign bookings, locks, tags, events and reports`, async () => {
  await readByLists();
  const alone = await readByLists();
  await run(foreignRows("LH", FOREIGN, Date.now()));
  // Tags that are not locked, before the others in the order of ids.
  await run([
    `insert into devices (id, label, registered_at) with recursive n(i) as
      (select 1 union all select i + 1 from n where i < ${FOREIGN}) select 'A-' || i, 'A', 0 from n`,
  ]);
  const beside = await readByLists();
  const more = Object.keys(alone).map((name) => [name, (beside[name] ?? 0) - (alone[name] ?? 0)] as const);
  expect(more.filter(([, rows]) => rows > MOST_MORE)).toEqual([]);
});
