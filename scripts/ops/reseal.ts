import { and, asc, eq, gt, isNotNull, isNull, ne } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { fromBase64Url } from "../../core/encoding/bytes.ts";
import {
  clients,
  foundReports,
  journeys,
  locationLinks,
  pushEndpoints,
  staffNames,
  travelPlans,
  webhooks,
} from "../../db/schema.ts";
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
import type { Command, Input } from "./command.ts";
import { secretNamed } from "./secret-file.ts";
import { placeOf } from "./staff.ts";

/** `data reseal`: names and locators of bookings to come, names of staff and keys of webhooks, resealed, so that the old DATA_KEY can go. */
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
    const reseal = (place: Place, sealed: string) => resealed({ current, both }, place, sealed);
    const bookings = await resealBookings(input, reseal);
    const passengers = await resealPassengers(input, reseal);
    const keys = await resealPlayKeys(input, reseal);
    const staff = await resealStaff(input, reseal);
    const hooks = await resealWebhooks(input, reseal);
    const traces = await resealTraces(input, reseal);
    input.print(
      `resealed: ${bookings} locators, ${passengers} passengers, ${keys} Play Integrity keys, ${staff} staff, ${hooks} webhooks, ${traces} found reports, links and push endpoints`,
    );
  },
};

const PAGE = 100;

type Reseal = (place: Place, sealed: string) => Promise<string | undefined>;

/** `sealed` under the current key; undefined if it is already. */
async function resealed(
  { current, both }: { readonly current: DataKey; readonly both: DataKey },
  place: Place,
  sealed: string,
): Promise<string | undefined> {
  const isCurrent = await open(current, place, sealed).then(
    () => true,
    () => false,
  );
  return isCurrent ? undefined : seal(current, place, await open(both, place, sealed));
}

async function resealBookings({ db }: Input, reseal: Reseal): Promise<number> {
  return inPages(db, async (after) => {
    const rows = await db
      .select({ id: travelPlans.id, sealed: travelPlans.locatorSealed })
      .from(travelPlans)
      .where(and(gt(travelPlans.id, after), isNull(travelPlans.erasedAt), ne(travelPlans.locatorSealed, "")))
      .orderBy(asc(travelPlans.id))
      .limit(PAGE);
    const changes = await Promise.all(
      rows.map(async ({ id, sealed }) => {
        const locatorSealed = await reseal({ field: "locator", id }, sealed);
        return locatorSealed === undefined
          ? []
          : [db.update(travelPlans).set({ locatorSealed }).where(eq(travelPlans.id, id))];
      }),
    );
    return { last: rows.at(-1)?.id, changes: changes.flat() };
  });
}

async function resealPassengers({ db }: Input, reseal: Reseal): Promise<number> {
  return inPages(db, async (after) => {
    const rows = await db
      .select({ id: journeys.id, sealed: journeys.passengerSealed })
      .from(journeys)
      .where(and(gt(journeys.id, after), isNotNull(journeys.passengerSealed)))
      .orderBy(asc(journeys.id))
      .limit(PAGE);
    const changes = await Promise.all(
      rows.map(async ({ id, sealed }) => {
        const passengerSealed = await reseal({ field: "passenger", id }, sealed ?? "");
        return passengerSealed === undefined
          ? []
          : [db.update(journeys).set({ passengerSealed }).where(eq(journeys.id, id))];
      }),
    );
    return { last: rows.at(-1)?.id, changes: changes.flat() };
  });
}

/** The one secret in clients' attestation policies; there are few clients. */
async function resealPlayKeys({ db }: Input, reseal: Reseal): Promise<number> {
  let changed = 0;
  for (const { id, attestationPolicy } of await db.select().from(clients)) {
    const { "play-integrity": play } = attestationPolicy as AttestationPolicyInput;
    if (play === undefined) continue;
    const decryptionKeySealed = await reseal({ field: "play-integrity-key", id }, play.decryptionKeySealed);
    if (decryptionKeySealed === undefined) continue;
    const policy = { ...attestationPolicy, "play-integrity": { ...play, decryptionKeySealed } };
    await db.update(clients).set({ attestationPolicy: policy }).where(eq(clients.id, id));
    changed += 1;
  }
  return changed;
}

/** The names of staff; a client has tens of them. */
async function resealStaff({ db }: Input, reseal: Reseal): Promise<number> {
  let changed = 0;
  for (const row of await db.select().from(staffNames)) {
    const nameSealed = await reseal(placeOf(row), row.nameSealed);
    if (nameSealed === undefined) continue;
    const isRow = and(eq(staffNames.clientId, row.clientId), eq(staffNames.staffId, row.staffId));
    await db.update(staffNames).set({ nameSealed }).where(isRow);
    changed += 1;
  }
  return changed;
}

/** The keys of webhooks' signatures; there are few. */
async function resealWebhooks({ db }: Input, reseal: Reseal): Promise<number> {
  let changed = 0;
  for (const row of await db.select().from(webhooks)) {
    const secretSealed = await reseal({ field: "webhook-secret", id: row.id }, row.secretSealed);
    if (secretSealed === undefined) continue;
    await db.update(webhooks).set({ secretSealed }).where(eq(webhooks.id, row.id));
    changed += 1;
  }
  return changed;
}

/** What finders said, holders' links and where they are notified; they are as many as lost bags. */
async function resealTraces({ db }: Input, reseal: Reseal): Promise<number> {
  let changed = 0;
  for (const { deviceId, requestId, saidSealed: sealed } of await db.select().from(foundReports)) {
    const saidSealed = await reseal(placeOfReport(deviceId, requestId), sealed);
    if (saidSealed === undefined) continue;
    const isRow = and(eq(foundReports.deviceId, deviceId), eq(foundReports.requestId, requestId));
    await db.update(foundReports).set({ saidSealed }).where(isRow);
    changed += 1;
  }
  for (const { deviceId, linkSealed: sealed } of await db.select().from(locationLinks)) {
    const linkSealed = await reseal(placeOfLink(deviceId), sealed);
    if (linkSealed === undefined) continue;
    await db.update(locationLinks).set({ linkSealed }).where(eq(locationLinks.deviceId, deviceId));
    changed += 1;
  }
  for (const { deviceId, holderSub, endpointSealed: sealed } of await db.select().from(pushEndpoints)) {
    const endpointSealed = await reseal(placeOfPush(deviceId, holderSub), sealed);
    if (endpointSealed === undefined) continue;
    const isRow = and(eq(pushEndpoints.deviceId, deviceId), eq(pushEndpoints.holderSub, holderSub));
    await db.update(pushEndpoints).set({ endpointSealed }).where(isRow);
    changed += 1;
  }
  return changed;
}

interface Page {
  /** Id of the last row read; undefined where there was none. */
  readonly last: string | undefined;
  readonly changes: readonly BatchItem<"sqlite">[];
}

/** Page by page in order of id; how many rows were changed. */
async function inPages(db: Input["db"], page: (after: string) => Promise<Page>): Promise<number> {
  let changed = 0;
  for (let after: string | undefined = ""; after !== undefined; ) {
    const { last, changes }: Page = await page(after);
    if (changes.length > 0) await db.batch(changes as [BatchItem<"sqlite">, ...BatchItem<"sqlite">[]]);
    changed += changes.length;
    after = last;
  }
  return changed;
}
