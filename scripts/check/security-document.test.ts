import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { expect, it } from "vitest";
import { limits } from "../../core/api/limits.ts";
import { VALIDITY } from "../../core/pki/profiles.ts";
import * as schema from "../../db/schema.ts";
import { tablesOf, tableWith } from "../documents/read-markdown.ts";
import { projectFiles, projectText } from "../project-files.ts";

const DOCUMENT = projectText("docs/security.md");

it("docs/security.md states the lifetimes of core/api/limits.ts", () => {
  const { rows } = tableWith(tablesOf(DOCUMENT), "what", "form", "counts until");
  const until = (what: string) => rows.find(([first]) => first?.startsWith(what))?.[2];
  const hours = (seconds: number) => `${seconds / 3600} h`;
  const days = (seconds: number) => `${seconds / 86_400} days`;
  expect(until("record locator")).toBe(
    `${hours(limits.lockAfterArrivalSeconds)} after the last scheduled arrival, or ${hours(limits.lockAfterFlightDateSeconds)} after the last flight's date`,
  );
  expect(until("session")).toBe(
    `${hours(limits.refreshTokenSeconds)} without refresh, at most ${days(limits.refreshFamilySeconds)}`,
  );
  expect(until("client certificate")).toBe(days(limits.certificateSeconds));
  expect(limits.certificateSeconds * 1000).toBe(VALIDITY.clientLeaf);
  expect(until("attestation nonce")).toBe(`${limits.attestationNonceSeconds / 60} minutes`);
  expect(until("idempotency")).toBe(hours(limits.idempotencySeconds));
  expect(until("guess")).toBe(`${limits.guessWindowSeconds / 60} minutes to one hour`);
});

it("docs/security.md names tests that exist", () => {
  const named = tablesOf(DOCUMENT)
    .filter(({ header }) => header.at(-1)?.startsWith("test"))
    .flatMap(({ rows }) => rows.flatMap((row) => row.at(-1)?.split(", ") ?? []));
  const known = projectFiles("**/*.{test,spec}.{ts,tsx}").map((path) =>
    path.replace(/\.(?:test|spec)\.tsx?$/, ""),
  );
  const isThere = (name: string) =>
    [name, `worker/${name}`].some((path) => known.some((test) => matches(test, path)));
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((name) => !isThere(name))).toEqual([]);
});

/** Whether `path` names a test, with `*` for the rest of a name. */
const matches = (test: string, path: string) =>
  path.endsWith("*") ? test.startsWith(path.slice(0, -1)) : test === path;

/**
 * How many rows the anonymous callers of one network (a /24, or a /48 of IPv6) can have written after an hour at
 * every limit, by the numbers of the limits table.
 * docs/security.md has it.
 */

type Row = readonly [table: string, atMost: number, kept: string];

/** Names that one attachment may give a tag beside its first. */
const ALIASES = 2;

const MINUTES = 60;
const sessions = limits.loginsPerNetworkPerMinute * MINUTES;
/** Callers who hold something, be it a claim, have a counter of their own; of either, as many may be refused. */
const accepted = 2 * limits.writesPerNetworkPerMinute;
const writes = 2 * accepted;
const attachments = limits.attachmentsPerSubjectPerHour * sessions;
const guesses = limits.guessesPerNetworkUnvouchedPerHour;
const found = limits.foundReportsPerNetworkPerHour;
/** Of writes and refreshes; and nonces of failed logins. */
const proofs = writes + limits.lookupsPerSubjectPerMinute * sessions + limits.noncesPerNetworkPerMinute;
const proofMinutes = (2 * limits.dpopProofSeconds) / 60;

/** The most rows of each table. */
const ROWS_OF_A_NETWORK: readonly Row[] = [
  ["sessions", sessions, "24 h without refresh"],
  ["attestation_credentials", sessions, "30 days"],
  ["used_once", proofs * proofMinutes, "10 minutes"],
  ["certificates", Math.min(accepted * MINUTES, limits.liveCertificatesPerSession * sessions), "7 days"],
  ["idempotency_records", writes * MINUTES, "48 h"],
  // Device, locator and person of each guess, the network, its provider; two counters of each who attaches.
  ["guess_counters", 3 * guesses + 2 + 2 * sessions, "1 h"],
  // Two counters of each report by tag, one by network; tags that take none count apart.
  ["guess_counters, of found reports", 2 * (2 * found + 1), "24 h"],
  ["found_reports", found, "the lock"],
  ["failed_proofs", guesses, "15 minutes, or the lock"],
  ["device_ticket_locks", limits.claimsPerNetworkPerHour, "24 h"],
  ["devices, device_aliases", limits.claimsPerNetworkPerHour * (1 + ALIASES), "7 days"],
  // Clears that found no lock: accepted writes, which count as attachments of their caller.
  ["clear_marks", Math.min(accepted * MINUTES, attachments), "7 days"],
  ["audit_log, of changes", 2 * limits.claimsPerNetworkPerHour + found, "7 days, then in R2"],
];
/** Tables with fewer rows share a sentence. */
const MANY = 100;

it("docs/security.md says how many rows the anonymous callers of one network can write in an hour", () => {
  const [, said = ""] = /^\*\*What writing costs\.\*\* ([^#]*)$/m.exec(DOCUMENT) ?? [];
  const text = said.replaceAll(/\s+/g, " ");
  const counts = Map.groupBy(ROWS_OF_A_NETWORK, ([, atMost]) => atMost);
  for (const [count, rows] of counts) {
    if (count < MANY) continue;
    const tables = rows.map(([table, , kept]) => `\`${table}\` (${kept})`);
    expect(text).toContain(`${count.toLocaleString("en")} of ${tables.join(" and ")}`);
  }
  const few = [...counts.keys()].filter((count) => count < MANY);
  expect(text).toContain(`at most ${Math.max(...few)} of each other table`);
  expect(text).toContain(`refusals are ${MINUTES} rows of \`audit_log\` a cause`);
});

const SCHEMA = projectText("docs/storage-schema.md");

/** Table → columns, sorted. */
type Columns = Readonly<Record<string, readonly string[]>>;

/** Each table has a heading, and its columns come in lists before a colon. */
const documented = (): Columns =>
  Object.fromEntries(
    SCHEMA.split(/^### /m)
      .slice(1)
      .map((section) => {
        const lists = [...section.matchAll(/((?:`\w+`,\s+)*`\w+`):/g)];
        const names = lists.flatMap(([, list = ""]) => list.match(/\w+/g) ?? []);
        return [/^`(\w+)`/.exec(section)?.[1] ?? section, names.toSorted()];
      }),
  );

const defined = (): Columns =>
  Object.fromEntries(
    Object.values(schema)
      .filter((value) => is(value, SQLiteTable))
      .map((table) => getTableConfig(table))
      .map(({ name, columns }) => [name, columns.map((column) => column.name).toSorted()]),
  );

it("docs/storage-schema.md names every table and column of db/schema, and no other", () => {
  expect(Object.keys(defined()).length).toBeGreaterThan(30);
  expect(documented()).toEqual(defined());
});
