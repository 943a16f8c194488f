import { and, eq, gt, inArray, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { IndexColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { limits } from "../../core/api/limits.ts";
import { foldLocator } from "../../core/bag/record-locator.ts";
import { importPepper, type Pepper, storedTokens } from "../../core/bag/surname.ts";
import { type Bytes, toBase64Url } from "../../core/encoding/bytes.ts";
import { p256Thumbprint } from "../../core/pki/certificate.ts";
import type { Db } from "../../worker/database/connect.ts";
import { b2bSecretHash, type Cost, hashPassword } from "../../worker/secrets/credentials.ts";
import {
  clientKeyHash,
  type DataKey,
  importDataKey,
  locatorHash,
  seal,
} from "../../worker/secrets/sealed.ts";
import * as schema from "../schema.ts";
import hostAirline from "./host-airline.jwk.json" with { type: "json" };
import demoTags from "./tags.json" with { type: "json" };
import { B2B, CLIENTS, FEDERATED_ISSUER, PLATE_RANGES, type SeedJourney, seedJourneys } from "./values.ts";

/** What seeding needs beside the database. */
export interface SeedInput {
  /** Milliseconds since 1970; the journeys move to the UTC day after. */
  readonly now: number;
  /** 32 bytes each: the vars PEPPER and DATA_KEY. */
  readonly pepper: Bytes;
  readonly dataKey: Bytes;
  /**
   * The result of {@link demoPasswordHash} under this pepper, if it is known: computing it is deliberately
   * slow.
   */
  readonly passwordHash?: string;
}

/** The staff password of the development data, hashed. */
export const demoPasswordHash = (pepper: Bytes, cost?: Cost): Promise<string> =>
  hashPassword(pepper, B2B.password, crypto.getRandomValues(new Uint8Array(16)), cost);

type Statement = BatchItem<"sqlite">;

/** A row that is inserted, or written over the one with its `target`. */
function put<T extends SQLiteTable>(
  db: Db,
  table: T,
  row: T["$inferInsert"],
  ...target: IndexColumn[]
): Statement {
  return db
    .insert(table)
    .values(row)
    .onConflictDoUpdate({ target, set: row as never });
}

interface Keys {
  readonly pepper: Pepper;
  readonly dataKey: DataKey;
}

/**
 * Puts the development data of rules §9 into `db`, or restores it: its rows are overwritten, while all others
 * and the locks stay. Never part of a deployment.
 */
export async function seed(db: Db, { now, pepper, dataKey, passwordHash }: SeedInput): Promise<void> {
  const keys = { pepper: await importPepper(pepper), dataKey: await importDataKey(dataKey) };
  const journeys = seedJourneys(now);
  const statements = [
    ...(await clientRows(db, pepper, passwordHash ?? (await demoPasswordHash(pepper)))),
    ...(await Promise.all(journeys.map((journey) => journeyRows(db, journey, keys)))).flat(),
    ...(await deviceRows(db, now)),
    rangeRows(db),
    moveLocks(db, journeys, now),
  ];
  await db.batch(statements as [Statement, ...Statement[]]);
}

async function clientRows(db: Db, pepper: Bytes, passwordHash: string): Promise<Statement[]> {
  const b2bHash = await b2bSecretHash(pepper, B2B.secret);
  const rows = CLIENTS.map(async ({ key, b2b, origins, ...client }) => {
    const secretHash = { b2bSecretHash: b2b ? b2bHash : null };
    const row = { ...client, keyHash: await clientKeyHash(key), enabled: true, flags: {}, ...secretHash };
    return [
      put(db, schema.clients, row, schema.clients.id),
      db.delete(schema.clientOrigins).where(eq(schema.clientOrigins.clientId, client.id)),
      db.insert(schema.clientOrigins).values(origins.map((origin) => ({ origin, clientId: client.id }))),
      ...(b2b ? [accountRow(db, client.id, passwordHash)] : []),
    ];
  });
  return [issuerRow(db), ...(await Promise.all(rows)).flat()];
}

function accountRow(db: Db, clientId: string, passwordHash: string): Statement {
  const { clientId: client, username } = schema.b2bAccounts;
  const row = { clientId, username: B2B.username, passwordHash, airlines: B2B.airlines, enabled: true };
  return put(db, schema.b2bAccounts, row, client, username);
}

function issuerRow(db: Db): Statement {
  const { d: _private, ...publicJwk } = hostAirline;
  const row = {
    ...FEDERATED_ISSUER,
    jwks: { keys: [publicJwk] },
    jwksUrl: null,
    algorithms: ["ES256"],
    loadsTravelPlans: true,
    enabled: true,
  };
  return put(db, schema.federatedIssuers, row, schema.federatedIssuers.issuer);
}

const planId = ({ number }: SeedJourney) => `demo-plan-${number}`;

async function journeyRows(db: Db, seeded: SeedJourney, keys: Keys): Promise<Statement[]> {
  const plan = await planRow(seeded, keys);
  const journey = await journeyRow(seeded, keys);
  return [
    put(db, schema.travelPlans, plan, schema.travelPlans.id),
    put(db, schema.journeys, journey, schema.journeys.id),
    ...flightRows(db, seeded, journey.id),
    ...bagRows(db, seeded, journey.id),
  ];
}

async function planRow(seeded: SeedJourney, { pepper, dataKey }: Keys) {
  const id = planId(seeded);
  return {
    id,
    airline: seeded.airline,
    locatorHash: await locatorHash(pepper, seeded.recordLocator),
    locatorSealed: await seal(dataKey, { field: "locator", id }, seeded.recordLocator),
    firstFlightDate: seeded.date,
    endsAt:
      Math.max(...seeded.flights.map(({ arrival }) => arrival)) + limits.lockAfterArrivalSeconds * 1_000,
    // A service that ran past its end has erased it.
    erasedAt: null,
  };
}

async function journeyRow(seeded: SeedJourney, { pepper, dataKey }: Keys) {
  const { surname, givenName, recordLocator, flights } = seeded;
  const id = `demo-journey-${seeded.number}`;
  const passenger = JSON.stringify({ givenName, surname });
  return {
    id,
    planId: planId(seeded),
    passengerSealed: await seal(dataKey, { field: "passenger", id }, passenger),
    surnameTokens: toBase64Url(await storedTokens(pepper, foldLocator(recordLocator), surname)),
    surnameInitial: surname.slice(0, 1),
    departureAirport: flights[0]?.from ?? "",
    destinationAirport: flights.at(-1)?.to ?? "",
    destinationCity: seeded.destinationCity,
    version: 1,
  };
}

function flightRows(db: Db, { flights, date }: SeedJourney, journeyId: string): Statement[] {
  const { journeyId: journey, position } = schema.flights;
  return flights.map(({ departure, arrival, ...flight }, index) => {
    const times = { scheduledDeparture: departure, scheduledArrival: arrival };
    const row = { journeyId, position: index, ...flight, date, ...times };
    return put(db, schema.flights, row, journey, position);
  });
}

function bagRows(db: Db, { bags, date }: SeedJourney, journeyId: string): Statement[] {
  return bags.map((bag) => put(db, schema.bags, { ...bag, journeyId, flightDate: date }, schema.bags.id));
}

/** The demo tags as an operator imports them: a tag that speaks v2.1 is registered as such, with its key. */
async function deviceRows(db: Db, now: number): Promise<Statement[]> {
  const rows = await Promise.all(
    demoTags.map(async ({ id, privateJwk }) => ({
      id,
      label: schema.storedLabel(id, id),
      gattVersion: privateJwk ? ("2.1" as const) : null,
      tagKey: null,
      tagSpkiHash: privateJwk ? toBase64Url(await p256Thumbprint(privateJwk)) : null,
      registeredAt: now,
      reviewAt: null,
    })),
  );
  return rows.map((row) => {
    const { registeredAt: _first, ...known } = row;
    return db
      .insert(schema.devices)
      .values(row)
      .onConflictDoUpdate({ target: schema.devices.id, set: known });
  });
}

/** Ranges keep their position: a restart does not give out a serial a second time. */
const rangeRows = (db: Db): Statement =>
  db
    .insert(schema.plateRanges)
    .values(PLATE_RANGES.map((range) => ({ ...range, nextSerial: range.firstSerial })))
    .onConflictDoNothing();

/** Live locks end with the journeys they are on. */
function moveLocks(db: Db, journeys: readonly SeedJourney[], now: number): Statement {
  const { planId: plan, endsAt } = schema.deviceTicketLocks;
  const end = sql`(select ${schema.travelPlans.endsAt} from ${schema.travelPlans} where ${schema.travelPlans.id} = ${plan})`;
  return db
    .update(schema.deviceTicketLocks)
    .set({ endsAt: end })
    .where(and(gt(endsAt, now), inArray(plan, journeys.map(planId))));
}
