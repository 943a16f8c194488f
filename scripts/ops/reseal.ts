import { and, eq, getTableColumns, isNotNull, isNull, ne, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { fromBase64Url } from "../../core/encoding/bytes.ts";
import {
  acceptanceHosts,
  clients,
  foundReports,
  journeys,
  locationLinks,
  pushEndpoints,
  staffNames,
  travelPlans,
  webhooks,
} from "../../db/schema.ts";
import type { Db } from "../../worker/database/connect.ts";
import {
  type DataKey,
  importDataKey,
  open,
  type Place,
  placeOfLink,
  placeOfPush,
  placeOfReport,
  seal,
} from "../../worker/secrets/sealed.ts";
import type { AttestationPolicyInput } from "../../worker/sessions/attestation/policy.ts";
import { type Commands, command, runBatch } from "./command.ts";
import { secretNamed } from "./files.ts";
import { keyOf } from "./rows.ts";
import type { Row } from "./show.ts";
import { placeOf } from "./staff.ts";

/** `data reseal`: everything that DATA_KEY seals, resealed, so that the old key can go. */

/** A column that DATA_KEY seals, as the schema names it, and where its texts are sealed for. */
interface SealedColumn {
  readonly table: SQLiteTable;
  readonly name: string;
  readonly placeOf: (row: Row) => Place;
  /** Which rows have it still. */
  readonly which: SQL | undefined;
}

const sealedIn = <Table extends SQLiteTable>(
  table: Table,
  name: keyof Table["$inferSelect"] & string,
  place: (row: Table["$inferSelect"]) => Place,
  which?: SQL,
): SealedColumn => ({ table, name, placeOf: place as SealedColumn["placeOf"], which });

const isToCome = and(isNull(travelPlans.erasedAt), ne(travelPlans.locatorSealed, ""));

export const SEALED: readonly SealedColumn[] = [
  sealedIn(travelPlans, "locatorSealed", ({ id }) => ({ field: "locator", id }), isToCome),
  sealedIn(journeys, "passengerSealed", ({ id }) => ({ field: "passenger", id })),
  sealedIn(staffNames, "nameSealed", placeOf),
  sealedIn(webhooks, "secretSealed", ({ id }) => ({ field: "webhook-secret", id })),
  sealedIn(acceptanceHosts, "secretSealed", ({ airline: id }) => ({ field: "acceptance-secret", id })),
  sealedIn(foundReports, "saidSealed", ({ deviceId, requestId }) => placeOfReport(deviceId, requestId)),
  sealedIn(locationLinks, "linkSealed", ({ deviceId }) => placeOfLink(deviceId)),
  sealedIn(pushEndpoints, "endpointSealed", ({ deviceId, holderSub }) => placeOfPush(deviceId, holderSub)),
];

interface Keys {
  readonly current: DataKey;
  readonly both: DataKey;
}

/** `sealed` by the current key; undefined if it is already. */
async function resealed(place: Place, sealed: string, { current, both }: Keys): Promise<string | undefined> {
  const isCurrent = await open(current, place, sealed).then(
    () => true,
    () => false,
  );
  return isCurrent ? undefined : seal(current, place, await open(both, place, sealed));
}

const PAGE = 100;

/** How many texts of a column were not sealed by the current key. */
async function resealColumn(db: Db, { table, name, placeOf, which }: SealedColumn, keys: Keys) {
  const columns = getTableColumns(table) as Readonly<Record<string, SQLiteColumn>>;
  const column = columns[name] as SQLiteColumn;
  const key = keyOf(table).map((each) => [each, columns[each] as SQLiteColumn] as const);
  const ofKey = key.map(([, each]) => each);
  let [changed, after]: [number, Row | undefined] = [0, undefined];
  for (;;) {
    const last: Row | undefined = after;
    const isNext = last && sql`(${sql.join(ofKey, sql`, `)}) > ${key.map(([each]) => last[each])}`;
    const isSealed = and(isNotNull(column), which, isNext);
    const rows: readonly Row[] = await db
      .select()
      .from(table)
      .where(isSealed)
      .orderBy(...ofKey)
      .limit(PAGE);
    if (rows.length === 0) return changed;
    const changing = rows.map(async (row) => {
      const text = await resealed(placeOf(row), String(row[name]), keys);
      // Another run may have sealed another text since.
      const isRow = and(...key.map(([each, of]) => eq(of, row[each])), eq(column, row[name]));
      return text === undefined
        ? []
        : [
            db
              .update(table)
              .set({ [name]: text })
              .where(isRow),
          ];
    });
    const changes = (await Promise.all(changing)).flat();
    if (changes.length > 0) await runBatch(db, changes);
    [changed, after] = [changed + changes.length, rows.at(-1)];
  }
}

/** The one secret in clients' attestation policies. */
async function resealPolicies(db: Db, keys: Keys): Promise<number> {
  let changed = 0;
  for (const { id, attestationPolicy } of await db.select().from(clients)) {
    const { "play-integrity": play } = attestationPolicy as AttestationPolicyInput;
    const place = { field: "play-integrity-key", id } as const;
    const decryptionKeySealed = play && (await resealed(place, play.decryptionKeySealed, keys));
    if (decryptionKeySealed === undefined) continue;
    const policy = { ...attestationPolicy, "play-integrity": { ...play, decryptionKeySealed } };
    await db.update(clients).set({ attestationPolicy: policy }).where(eq(clients.id, id));
    changed += 1;
  }
  return changed;
}

export const resealCommands = {
  "data reseal": command({
    summary: "seal everything with DATA_KEY that DATA_KEY_BEFORE still opens",
    async run(_values, { db, secrets, print }) {
      const named = secrets();
      const secret = fromBase64Url(secretNamed(named, "DATA_KEY"));
      const keys = {
        current: await importDataKey(secret),
        both: await importDataKey(secret, fromBase64Url(secretNamed(named, "DATA_KEY_BEFORE"))),
      };
      const counts = [`attestationPolicy ${await resealPolicies(db, keys)}`];
      for (const column of SEALED) counts.push(`${column.name} ${await resealColumn(db, column, keys)}`);
      print(`resealed: ${counts.join(", ")}`);
    },
  }),
} satisfies Commands;
