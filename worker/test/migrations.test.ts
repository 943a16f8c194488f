import { applyD1Migrations, type D1Migration } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, describe, expect, it } from "vitest";
import { endpoints, HEADER } from "../../core/api/index.ts";
import { auditReader } from "../audit/seals/reader.ts";
import { verifyAudit } from "../audit/seals/verification.ts";
import { readSettings } from "../config/env.ts";
import { importVerifyKey } from "../config/keys.ts";
import { connect } from "../database/connect.ts";
import { dropTables, rowsIn } from "../test-support/database.ts";
import { barePost } from "../test-support/service.ts";

/**
 * An older database comes through every later migration whole, and the service goes on with it. Each file of `db/older` is
 * one, named as the migration that was its newest: a later migration is tried on all of them by being there.
 */

/** What the older databases were written with, and when. */
const OLDER = {
  PEPPER: "T2xkZXIgZGF0YWJhc2VzOiB0aGUgcGVwcGVyLCAzMmI",
  DATA_KEY: "T2xkZXIgZGF0YWJhc2VzOiBkYXRhIGtleSwgMzIgYnk",
  REFRESH_KEY: "T2xkZXIgZGF0YWJhc2VzOiB0aGUgcmVmcmVzaCBrZXk",
};
const SEAL_KEY = {
  x: "f3cOIF0yrdunAD4Qr4b47F2x8hYlG9kXIvKTmKjtdNE",
  y: "0kwNroJVFuWf-Be15gpe1YvD1_14_1QxrPeDtqpk2kc",
};
/** Made with that key for the sessions that are in it. */
const REFRESH_TOKENS = {
  passenger: "6b002830AAAAAAAAAAAAAAAA.P0.v4FoCaTYqpjtCf6Ei8MbCDE7Dqfhl5Lc-8lrx8nRHDQ.ponIrxyCbPeHtJ1sN8GiNA",
  staff: "6b002830BBBBBBBBBBBBBBBB.S0.FWIgZUPadkEjwhvVJGdPCoqvSciol0TJc1L-Z39-QAY.oY_yXORvYBll4HewnlGxGQ",
};
const NOW = Date.UTC(2026, 10, 20, 12, 1);

const MIGRATIONS: readonly D1Migration[] = env.TEST_MIGRATIONS;
const olderDatabases = env.TEST_OLDER_ROWS.map(({ name }) => name);

/** A database as it was: the migrations up to `newest`, and what was in it. */
async function restore(newest: string): Promise<void> {
  const age = MIGRATIONS.findIndex(({ name }) => name === newest) + 1;
  const rows = env.TEST_OLDER_ROWS.find(({ name }) => name === newest)?.queries ?? [];
  await dropTables(env.DB);
  await applyD1Migrations(env.DB, MIGRATIONS.slice(0, age));
  await env.DB.batch(rows.map((row) => env.DB.prepare(row)));
}

const migrate = () => applyD1Migrations(env.DB, [...MIGRATIONS]);

/** Every row there was, without the migrations' own ledger. */
async function contents() {
  const { d1_migrations: _, ...tables } = await rowsIn(env.DB);
  return tables;
}
type Contents = Awaited<ReturnType<typeof contents>>;

/** Columns that later migrations drop, with what was in them. */
const DROPPED: readonly string[] = [];

/** Of `after` what there was `before`: its tables, and of their rows its columns. */
const still = (before: Contents, after: Contents): Contents =>
  Object.fromEntries(
    Object.entries(before).map(([table, [first = {}]]) => {
      const columns = Object.keys(first).filter((column) => !DROPPED.includes(`${table}.${column}`));
      const rows = (after[table] ?? []).map((row) =>
        Object.fromEntries(columns.map((column) => [column, row[column]])),
      );
      return [table, rows];
    }),
  );

/** The service as it is today, over that database. */
async function service() {
  const settings = await readSettings({ ...env, ...OLDER });
  const post = barePost({ settings, now: () => NOW });
  const ask = async (path: string, body: object, headers: Record<string, string>) => {
    const answer = await post(path, body, headers);
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  };
  return {
    /** The calls of the client with `refreshToken`. */
    as: async (refreshToken: string, clientKey: string) => {
      const key = { [HEADER.clientKey]: clientKey };
      const { body } = await ask(endpoints.refresh.path, { refreshToken }, key);
      const { accessToken } = body as { accessToken: string };
      return (path: string, body: object, headers: Record<string, string> = {}) =>
        ask(path, body, { ...key, Authorization: `Bearer ${accessToken}`, ...headers });
    },
  };
}

afterAll(async () => {
  await dropTables(env.DB);
  await migrate();
});

it.each(olderDatabases)("%s has a row in every table it had", async (newest) => {
  await restore(newest);
  const empty = Object.entries(await contents()).filter(([, rows]) => rows.length === 0);
  expect(empty).toEqual([]);
});

describe.each(olderDatabases)("a database of %s", (newest) => {
  it("keeps every row and value through all migrations since", async () => {
    await restore(newest);
    const before = await contents();
    await migrate();
    const after = await contents();
    expect(still(before, after)).toEqual(still(before, before));
    // As where a table is rebuilt that others reference: the cascade deletes their rows.
    expect(still(before, { ...after, bags: [] })).not.toEqual(still(before, before));
  });

  it("serves the service: session, journey, lock, names, audit log", async () => {
    await restore(newest);
    await migrate();
    const keys = new Map([["older", await importVerifyKey(SEAL_KEY)]]);
    expect(await verifyAudit(auditReader(connect(env.DB)), keys)).toMatchObject({ rows: 3, faults: [] });

    const { as } = await service();
    const passenger = await as(REFRESH_TOKENS.passenger, "older-key");
    const { body } = await passenger(endpoints.journeys.path, {});
    expect(body).toMatchObject({
      journeys: [
        {
          recordLocator: "OLD123",
          passenger: { givenName: "GRACE", surname: "HOPPER" },
          flights: [{ carrier: "SK", number: "1234", date: "2026-11-21" }],
          baggage: [{ baggageId: 7, attachedDevice: "EBT-21-0001" }, { baggageId: 9 }],
        },
      ],
    });
    const device = { uniqueDeviceId: "EBT-21-0001" };
    expect((await passenger(endpoints.ebtLookup.path, device)).body).toMatchObject({
      locked: true,
      sameTravelPlan: true,
      failedCustodyProofs: { count: 2 },
    });
    const attachment = { device: { uniqueID: "EBT-21-0001" }, baggageId: 7 };
    const again = await passenger(endpoints.deviceAttachment.path, attachment, {
      [HEADER.idempotencyKey]: "older-idempotency-key",
    });
    expect([again.status, again.headers.get("Idempotent-Replayed")]).toEqual([200, "true"]);
    expect((await passenger(endpoints.ebtUnlock.path, device)).status).toBe(200);

    const staff = await as(REFRESH_TOKENS.staff, "older-staff-key");
    const log = (await staff(endpoints.auditEvents.path, {})).body as { events: { event: string }[] };
    expect(log.events.map(({ event }) => event)).toEqual([
      "cleared",
      "invalid_nonce",
      "tag_attached",
      "bag_added",
    ]);
  });
});

it("keeps the tables that every journey writes without rowids: one row for each, not two", async () => {
  const { results } = await env.DB.prepare(
    "select name from sqlite_master where type = 'table' and sql like '%without rowid' order by name",
  ).all<{ name: string }>();
  expect(results.map(({ name }) => name)).toEqual([
    ...["attestation_credentials", "certificates", "device_aliases", "device_ticket_locks", "devices"],
    ...["failed_proofs", "flights", "guess_counters", "idempotency_records", "loaded_plans"],
    ...["revoked_keys", "sessions", "used_once"],
  ]);
});
