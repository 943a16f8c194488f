import { and, asc, eq, getTableColumns, isNotNull, isNull, ne, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from "drizzle-orm/sqlite-core";
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
import type { Row } from "./show.ts";
import { placeOf } from "./staff.ts";

/** `data reseal`: everything that DATA_KEY seals, resealed, so that the old key can go. */

const PAGE = 100;

/** A sealed text: by what it opens, and the statement that puts another in its place. */
interface Sealed {
  /** Rows come in the order of their keys. */
  readonly row: Row;
  readonly place: Place;
  readonly sealed: string;
  put(text: string): BatchItem<"sqlite">;
}

/** The next rows after this one. */
type Read = (db: Db, after: Row | undefined) => Promise<readonly Sealed[]>;

/** The texts in the column `name` of `table`. */
function sealedIn<Table extends SQLiteTable>(
  table: Table,
  name: keyof Table["$inferSelect"] & string,
  placeOf: (row: Table["$inferSelect"]) => Place,
  condition?: SQL,
): Read {
  const columns: Readonly<Record<string, SQLiteColumn>> = getTableColumns(table);
  const column = columns[name] as SQLiteColumn;
  const [composite] = getTableConfig(table).primaryKeys;
  const isKey = (each: SQLiteColumn) => each.primary || composite?.columns.includes(each);
  const key = Object.entries(columns).filter(([, each]) => isKey(each));
  const ofKey = key.map(([, each]) => each);
  return async (db, after) => {
    const isNext = after && sql`(${sql.join(ofKey, sql`, `)}) > ${key.map(([each]) => after[each])}`;
    const rows = await db
      .select()
      .from(table as SQLiteTable)
      .where(and(isNotNull(column), condition, isNext))
      .orderBy(...ofKey.map((each) => asc(each)))
      .limit(PAGE);
    return rows.map((row) => {
      const sealed = String(row[name]);
      // Another run may have sealed another text since.
      const isRow = and(...key.map(([each, of]) => eq(of, row[each])), eq(column, sealed));
      const put = (text: string) =>
        db
          .update(table as SQLiteTable)
          .set({ [name]: text })
          .where(isRow);
      return { row, place: placeOf(row), sealed, put };
    });
  };
}

/** The one secret in clients' attestation policies. */
const playKeys: Read = async (db, after) => {
  if (after) return [];
  return (await db.select().from(clients)).flatMap(({ id, attestationPolicy }) => {
    const { "play-integrity": play } = attestationPolicy as AttestationPolicyInput;
    if (play === undefined) return [];
    const put = (decryptionKeySealed: string) => {
      const policy = { ...attestationPolicy, "play-integrity": { ...play, decryptionKeySealed } };
      return db.update(clients).set({ attestationPolicy: policy }).where(eq(clients.id, id));
    };
    return { row: { id }, place: { field: "play-integrity-key", id }, sealed: play.decryptionKeySealed, put };
  });
};

const isToCome = and(isNull(travelPlans.erasedAt), ne(travelPlans.locatorSealed, ""));

/** What is sealed with DATA_KEY, as it is counted. */
const SEALED: Readonly<Record<string, readonly Read[]>> = {
  locators: [sealedIn(travelPlans, "locatorSealed", ({ id }) => ({ field: "locator", id }), isToCome)],
  passengers: [sealedIn(journeys, "passengerSealed", ({ id }) => ({ field: "passenger", id }))],
  "Play Integrity keys": [playKeys],
  staff: [sealedIn(staffNames, "nameSealed", placeOf)],
  webhooks: [sealedIn(webhooks, "secretSealed", ({ id }) => ({ field: "webhook-secret", id }))],
  hosts: [
    sealedIn(acceptanceHosts, "secretSealed", ({ airline: id }) => ({ field: "acceptance-secret", id })),
  ],
  "found reports, links and push endpoints": [
    sealedIn(foundReports, "saidSealed", ({ deviceId, requestId }) => placeOfReport(deviceId, requestId)),
    sealedIn(locationLinks, "linkSealed", ({ deviceId }) => placeOfLink(deviceId)),
    sealedIn(pushEndpoints, "endpointSealed", ({ deviceId, holderSub }) => placeOfPush(deviceId, holderSub)),
  ],
};

interface Keys {
  readonly current: DataKey;
  readonly both: DataKey;
}

/** How many texts were not sealed by the current key. */
async function resealAll(db: Db, read: Read, keys: Keys): Promise<number> {
  let changed = 0;
  for (let rows = await read(db, undefined); rows.length > 0; rows = await read(db, rows.at(-1)?.row)) {
    const changes = (await Promise.all(rows.map((row) => resealing(row, keys)))).flat();
    for (let from = 0; from < changes.length; from += PAGE)
      await runBatch(db, changes.slice(from, from + PAGE));
    changed += changes.length;
  }
  return changed;
}

/** The statement that seals it with the current key; none if it is already. */
async function resealing({ place, sealed, put }: Sealed, { current, both }: Keys) {
  const isCurrent = await open(current, place, sealed).then(
    () => true,
    () => false,
  );
  return isCurrent ? [] : [put(await seal(current, place, await open(both, place, sealed)))];
}

export const resealCommands = {
  "data reseal": command({
    summary: "seal everything with DATA_KEY that DATA_KEY_BEFORE still opens",
    async run(_values, { db, secrets, print }) {
      const named = secrets();
      const secret = fromBase64Url(secretNamed(named, "DATA_KEY"));
      const current = await importDataKey(secret);
      const both = await importDataKey(secret, fromBase64Url(secretNamed(named, "DATA_KEY_BEFORE")));
      const counts: string[] = [];
      for (const [what, reads] of Object.entries(SEALED)) {
        let count = 0;
        for (const read of reads) count += await resealAll(db, read, { current, both });
        counts.push(`${count} ${what}`);
      }
      print(`resealed: ${counts.join(", ")}`);
    },
  }),
} satisfies Commands;
