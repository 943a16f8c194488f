import { and, asc, eq, gt, isNotNull, isNull, ne } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
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
import type { Command } from "./command.ts";
import { secretNamed } from "./files.ts";
import { placeOf } from "./staff.ts";

/** `data reseal`: names and locators of bookings to come, names of staff and keys of webhooks and hosts, resealed, so that the old DATA_KEY can go. */
export const resealData: Command = {
  name: "data reseal",
  summary: "seal everything with DATA_KEY that DATA_KEY_BEFORE still opens",
  database: "read",
  options: {},
  async run(input) {
    const secrets = input.secrets();
    const secret = fromBase64Url(secretNamed(secrets, "DATA_KEY"));
    const current = await importDataKey(secret);
    const both = await importDataKey(secret, fromBase64Url(secretNamed(secrets, "DATA_KEY_BEFORE")));
    const counts: string[] = [];
    for (const [what, read] of Object.entries(SEALED))
      counts.push(`${await resealAll(input.db, read, { current, both })} ${what}`);
    input.print(`resealed: ${counts.join(", ")}`);
  },
};

const PAGE = 100;

/** A sealed text: by what it opens, and the statement that puts another in its place. */
interface Sealed {
  /** Of its row; rows come in the order of it. */
  readonly id: string;
  readonly place: Place;
  readonly sealed: string;
  put(text: string): BatchItem<"sqlite">;
}

/** The next rows after the one of this id: a page of them, or all at once. */
type Read = (db: Db, after: string) => Promise<readonly Sealed[]>;

/** Reads all rows of a table that has few. */
const all =
  (read: (db: Db) => Promise<readonly Sealed[]>): Read =>
  async (db, after) =>
    after === "" ? read(db) : [];

const bookings: Read = async (db, after) => {
  const { id, locatorSealed, erasedAt } = travelPlans;
  const rows = await db
    .select({ id, sealed: locatorSealed })
    .from(travelPlans)
    .where(and(gt(id, after), isNull(erasedAt), ne(locatorSealed, "")))
    .orderBy(asc(id))
    .limit(PAGE);
  return rows.map((row) => ({
    ...row,
    place: { field: "locator", id: row.id },
    put: (text) => db.update(travelPlans).set({ locatorSealed: text }).where(eq(id, row.id)),
  }));
};

const passengers: Read = async (db, after) => {
  const { id, passengerSealed } = journeys;
  const rows = await db
    .select({ id, sealed: passengerSealed })
    .from(journeys)
    .where(and(gt(id, after), isNotNull(passengerSealed)))
    .orderBy(asc(id))
    .limit(PAGE);
  return rows.map((row) => ({
    id: row.id,
    sealed: row.sealed ?? "",
    place: { field: "passenger", id: row.id },
    // A feed may have sealed another text since.
    put: (text) =>
      db
        .update(journeys)
        .set({ passengerSealed: text })
        .where(and(eq(id, row.id), eq(passengerSealed, row.sealed ?? ""))),
  }));
};

/** The one secret in clients' attestation policies. */
const playKeys = all(async (db) =>
  (await db.select().from(clients)).flatMap(({ id, attestationPolicy }) => {
    const { "play-integrity": play } = attestationPolicy as AttestationPolicyInput;
    if (play === undefined) return [];
    const put = (decryptionKeySealed: string) => {
      const policy = { ...attestationPolicy, "play-integrity": { ...play, decryptionKeySealed } };
      return db.update(clients).set({ attestationPolicy: policy }).where(eq(clients.id, id));
    };
    return { id, place: { field: "play-integrity-key", id }, sealed: play.decryptionKeySealed, put };
  }),
);

const staff = all(async (db) =>
  (await db.select().from(staffNames)).map((row) => {
    const isRow = and(eq(staffNames.clientId, row.clientId), eq(staffNames.staffId, row.staffId));
    const put = (nameSealed: string) => db.update(staffNames).set({ nameSealed }).where(isRow);
    return { id: row.staffId, place: placeOf(row), sealed: row.nameSealed, put };
  }),
);

/** The keys of webhooks' signatures. */
const webhookKeys = all(async (db) =>
  (await db.select().from(webhooks)).map(({ id, secretSealed: sealed }) => ({
    ...{ id, place: { field: "webhook-secret", id }, sealed },
    put: (secretSealed) => db.update(webhooks).set({ secretSealed }).where(eq(webhooks.id, id)),
  })),
);

/** The keys of questions to airlines' hosts. */
const hostKeys = all(async (db) =>
  (await db.select().from(acceptanceHosts)).map(({ airline, secretSealed: sealed }) => ({
    ...{ id: airline, place: { field: "acceptance-secret", id: airline }, sealed },
    put: (secretSealed) =>
      db.update(acceptanceHosts).set({ secretSealed }).where(eq(acceptanceHosts.airline, airline)),
  })),
);

/** What finders said, holders' links and where they are notified; they are as many as lost bags. */
const traces = all(async (db) => {
  const [reports, links, pushes] = await db.batch([
    db.select().from(foundReports),
    db.select().from(locationLinks),
    db.select().from(pushEndpoints),
  ]);
  return [
    ...reports.map(({ deviceId, requestId, saidSealed: sealed }): Sealed => {
      const isRow = and(eq(foundReports.deviceId, deviceId), eq(foundReports.requestId, requestId));
      const put = (saidSealed: string) => db.update(foundReports).set({ saidSealed }).where(isRow);
      return { id: deviceId, place: placeOfReport(deviceId, requestId), sealed, put };
    }),
    ...links.map(({ deviceId, linkSealed: sealed }): Sealed => {
      const isRow = eq(locationLinks.deviceId, deviceId);
      const put = (linkSealed: string) => db.update(locationLinks).set({ linkSealed }).where(isRow);
      return { id: deviceId, place: placeOfLink(deviceId), sealed, put };
    }),
    ...pushes.map(({ deviceId, holderSub, endpointSealed: sealed }): Sealed => {
      const isRow = and(eq(pushEndpoints.deviceId, deviceId), eq(pushEndpoints.holderSub, holderSub));
      const put = (endpointSealed: string) => db.update(pushEndpoints).set({ endpointSealed }).where(isRow);
      return { id: deviceId, place: placeOfPush(deviceId, holderSub), sealed, put };
    }),
  ];
});

/** What is sealed with DATA_KEY, as it is counted. */
const SEALED: Readonly<Record<string, Read>> = {
  locators: bookings,
  passengers,
  "Play Integrity keys": playKeys,
  staff,
  webhooks: webhookKeys,
  hosts: hostKeys,
  "found reports, links and push endpoints": traces,
};

interface Keys {
  readonly current: DataKey;
  readonly both: DataKey;
}

/** How many texts were not sealed by the current key. */
async function resealAll(db: Db, read: Read, keys: Keys): Promise<number> {
  let changed = 0;
  for (let rows = await read(db, ""); rows.length > 0; rows = await read(db, rows.at(-1)?.id ?? "")) {
    const changes = (await Promise.all(rows.map((row) => resealing(row, keys)))).flat();
    for (let from = 0; from < changes.length; from += PAGE)
      await db.batch(changes.slice(from, from + PAGE) as [BatchItem<"sqlite">, ...BatchItem<"sqlite">[]]);
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
