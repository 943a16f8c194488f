import { eq, inArray, sql } from "drizzle-orm";
import { concat, equalBytes, fromBase64, fromBase64Url } from "../../core/encoding/bytes.ts";
import { readCertificate } from "../../core/pki/certificate.ts";
import { fromPem } from "../../core/pki/pem.ts";
import demoTagCa from "../../db/demo/tag-ca.json" with { type: "json" };
import { CLIENTS, FEDERATED_ISSUER } from "../../db/demo/values.ts";
import journal from "../../db/migrations/meta/_journal.json" with { type: "json" };
import * as schema from "../../db/schema.ts";
import { UsageError } from "../../kit/command-line.ts";
import { type Bindings, readSettings, SettingsError } from "../../worker/config/env.ts";
import type { Db } from "../../worker/database/connect.ts";
import { clientKeyHash } from "../../worker/secrets/sealed.ts";
import type { Environment } from "../deploy/environment-names.ts";
import { leftOpen } from "../documents/statements.ts";
import { developmentSecrets } from "../serve/keys.ts";
import { type Commands, type Context, command, SERVICE } from "./command.ts";
import { archiveIn, configured, jurisdictionOf, PLACEHOLDER } from "./database.ts";
import type { DeploymentSecrets } from "./files.ts";

/** `doctor`: what must be right before anybody's bag depends on it, each with what to do. It changes nothing. */

export interface Finding {
  readonly check: string;
  readonly state: "ok" | "warn" | "FAIL";
  readonly detail: string;
}

const ok = (check: string, detail: string): Finding => ({ check, state: "ok", detail });
const warn = (check: string, detail: string): Finding => ({ check, state: "warn", detail });
const fail = (check: string, detail: string): Finding => ({ check, state: "FAIL", detail });

/** A sentence for each check that fails. */
export const wrongIn = (findings: readonly Finding[]): readonly string[] =>
  findings.filter(({ state }) => state === "FAIL").map(({ check, detail }) => `${check}: ${detail}`);

/** How many checks there were. Throws UsageError where one fails. */
export function allRight(findings: readonly Finding[]): string {
  const wrong = wrongIn(findings);
  if (wrong.length > 0) throw new UsageError(wrong.join("\n"));
  return `${findings.length} checks`;
}

export const doctorCommands = {
  doctor: command({
    summary:
      "check secrets, certificates, configuration, migrations, scheduled runs and clock; fails where one is wrong",
    options: { url: { ...SERVICE, help: "a deployment: whether it answers, and what its clock says" } },
    async run({ url }, context) {
      const { db, isRemote, environment } = context;
      const bound = isRemote ? await configurationOf(environment) : [];
      const hasDatabase = !bound.some(({ check, state }) => check === "wrangler.toml" && state === "FAIL");
      const findings = [
        ...(await secretsOf(context)),
        ...bound,
        ...(hasDatabase ? await migrations(db) : []),
        ...(hasDatabase && isRemote ? [...(await demoRows(db)), ...(await regions(environment))] : []),
        ...(hasDatabase ? [...(await scheduledRuns(db)), ...(await listeners(db))] : []),
        ...(url === undefined ? [] : await deployment(url)),
      ];
      context.show(findings.map(({ state, check, detail }) => ({ state, check, detail })));
      const wrong = wrongIn(findings).length;
      if (wrong > 0) throw new UsageError(`${wrong} of ${findings.length} checks failed`);
    },
  }),
} satisfies Commands;

const DAY = 86_400_000;

async function secretsOf({ secrets }: Context): Promise<readonly Finding[]> {
  try {
    return await secretsIn(secrets());
  } catch {
    return [warn("secrets", "not looked at: name the file by --secrets")];
  }
}

/** What the Worker would not start with, by its own reading of `values`. No detail: what it holds may be a secret. */
async function unreadableIn(values: Readonly<Record<string, unknown>>): Promise<readonly Finding[]> {
  const good: Readonly<Record<string, unknown>> = await developmentSecrets();
  const wrong: string[] = [];
  for (;;) {
    try {
      // It stops at the first: the others are found with a good one in its place.
      const mended = Object.fromEntries(wrong.map((name) => [name, good[name]]));
      await readSettings({ ...values, ...mended } as unknown as Bindings);
      return wrong.map((name) => fail(name, "is missing or malformed: the Worker answers 503"));
    } catch (error) {
      if (!(error instanceof SettingsError) || wrong.includes(error.variable)) throw error;
      wrong.push(error.variable);
    }
  }
}

/** Vars of a deployment, where only its secrets are looked at. */
const VARS = {
  ENVIRONMENT: "production",
  DEFAULT_CLIENT_ID: "none",
  SECURITY_CONTACT: "mailto:operator@example.com",
};

/** What is right and wrong with the secrets of a deployment. */
export async function secretsIn(secrets: DeploymentSecrets): Promise<readonly Finding[]> {
  const unreadable = await unreadableIn({ ...VARS, ...secrets });
  if (unreadable.length > 0) return unreadable;
  const {
    CA_ROOT_CERT: root = "",
    CA_INTERMEDIATE_CERT: issuer = "",
    CA_INTERMEDIATE_KEY: key = "",
  } = secrets;
  try {
    return [
      ok("secrets", "can be read"),
      certificate("CA_ROOT_CERT", root),
      certificate("CA_INTERMEDIATE_CERT", issuer),
      privateKey(key, issuer),
    ];
  } catch {
    return [fail("CA_ROOT_CERT, CA_INTERMEDIATE_CERT", "are no certificates")];
  }
}

/** A key whose certificate is another's signs client certificates that no tag takes. */
function privateKey(text: string, certificate: string): Finding {
  const { x, y, d } = JSON.parse(text) as Readonly<Record<string, string>>;
  const point = concat(fromBase64Url(x ?? ""), fromBase64Url(y ?? ""));
  const isOfCertificate = equalBytes(readCertificate(fromBase64(certificate)).spki.slice(-64), point);
  return d !== undefined && isOfCertificate
    ? ok("CA_INTERMEDIATE_KEY", "that of the certificate")
    : fail("CA_INTERMEDIATE_KEY", "is not that of CA_INTERMEDIATE_CERT");
}

function certificate(name: string, text: string): Finding {
  const { notBefore, notAfter } = readCertificate(fromBase64(text));
  const left = Math.floor((notAfter.getTime() - Date.now()) / DAY);
  if (notBefore.getTime() > Date.now()) return fail(name, `is valid from ${notBefore.toISOString()} on only`);
  if (left < 0)
    return fail(name, `has ended on ${notAfter.toISOString()}: \`ca intermediate\` makes another`);
  const say = `${left} days left`;
  return left < 60 ? warn(name, `${say}: renew it in time (operations.md, Changing keys)`) : ok(name, say);
}

/** What wrangler.toml says of an environment. */
export async function configurationOf(environment: Environment | undefined): Promise<Finding[]> {
  const { vars, ratelimits, d1_databases, ...config } = await configured(environment);
  const id = d1_databases[0]?.database_id;
  const routes = (config.routes ?? []).map(({ pattern }) => pattern);
  const crons = config.triggers.crons ?? [];
  return [
    id === undefined || id === PLACEHOLDER
      ? fail("wrangler.toml", "database_id is the placeholder: put in that of `wrangler d1 create`")
      : ok("wrangler.toml", "has a database"),
    environment !== undefined && routes.every((route) => route.endsWith("tags.example.com"))
      ? fail("domain", `${routes.join(", ")} is the example: put in your own`)
      : ok("domain", routes.join(", ") || "workers.dev"),
    environment !== undefined && leftOpen().length > 0
      ? warn("statements", `docs/operator.json leaves open: ${leftOpen().join(", ")}`)
      : ok("statements", "say who runs the deployment"),
    environment !== undefined && vars.SECURITY_CONTACT === undefined
      ? warn("SECURITY_CONTACT", "is not set: /.well-known/security.txt is 404")
      : ok("SECURITY_CONTACT", String(vars.SECURITY_CONTACT ?? "none")),
    ...(await varsIn({ ...vars, OUTCOME_COUNTS: config.analytics_engine_datasets })),
    crons.length > 0
      ? ok("cron", crons.join(", "))
      : fail("cron", "no trigger: nothing that has ended is deleted"),
    ratelimits.length > 0
      ? ok("rate limits", `${ratelimits.length} bindings`)
      : fail("rate limits", "no bindings: no caller is slowed down"),
  ];
}

async function migrations(db: Db): Promise<Finding[]> {
  const needed = journal.entries.map(({ tag }) => `${tag}.sql`);
  const applied = await db
    .all<{ name: string }>(sql`select name from d1_migrations`)
    .catch((): { name: string }[] => []);
  const missing = needed.filter((file) => !applied.some(({ name }) => name === file));
  if (missing.length === 0) return [ok("migrations", `${needed.length} applied`)];
  return [fail("migrations", `${missing.length} missing, first ${missing[0]}: wrangler d1 migrations apply`)];
}

/** What is right and wrong with the vars of a deployment. */
export async function varsIn(vars: Readonly<Record<string, unknown>>): Promise<readonly Finding[]> {
  const { DEFAULT_CLIENT_ID: _, ...secrets } = await developmentSecrets();
  const unreadable = await unreadableIn({ ...secrets, ...vars });
  if (unreadable.length > 0) return unreadable;
  const roots = fromPem(String(vars.TAG_ROOTS ?? "").replaceAll("\\n", "\n"));
  if (roots.some((root) => equalBytes(root, fromBase64(demoTagCa.certificate))))
    return [fail("TAG_ROOTS", "has the demo's tag CA, whose key is public: take it out")];
  if (roots.length === 0) return [warn("TAG_ROOTS", "names no tag CA: the page refuses to write")];
  return [ok("vars", `can be read, ${roots.length} tag CAs`)];
}

/** Rows of the development data, whose keys are public: with them anybody is a deployment's kiosk or host. */
export async function demoRows(db: Db): Promise<Finding[]> {
  const hashes = await Promise.all(CLIENTS.map(({ key }) => clientKeyHash(key)));
  const clients = await db
    .select({ id: schema.clients.id })
    .from(schema.clients)
    .where(inArray(schema.clients.keyHash, hashes));
  const issuers = await db
    .select({ id: schema.federatedIssuers.issuer })
    .from(schema.federatedIssuers)
    .where(eq(schema.federatedIssuers.issuer, FEDERATED_ISSUER.issuer));
  const found = [...clients.map(({ id }) => `client ${id}`), ...issuers.map(({ id }) => `issuer ${id}`)];
  return found.length === 0
    ? [ok("demo data", "none")]
    : [fail("demo data", `${found.join(", ")}: their keys are public, delete them`)];
}

/** Where the platform keeps the data. */
async function regions(environment: Environment | undefined): Promise<Finding[]> {
  const archive = archiveIn(await configured(environment));
  const database = await jurisdictionOf(environment).catch(() => "");
  return regionsOf({ database, ...(archive && { archive: archive.jurisdiction }) });
}

/** By the jurisdiction of each: none where it may be anywhere, empty where wrangler cannot say it. */
export const regionsOf = (jurisdictions: Readonly<Record<string, string | null | undefined>>): Finding[] =>
  Object.entries(jurisdictions).map(([what, jurisdiction]) => {
    const check = `region: ${what}`;
    if (jurisdiction) return ok(check, `within ${jurisdiction}`);
    if (jurisdiction === "") return warn(check, "not looked at: `wrangler d1 info DB` fails");
    return warn(check, "may be anywhere: only a new one can be bound (operations.md, From zero)");
  });

/** Minutes. A run comes every five; three that did not come are no accident. */
const LATE = 15;

async function scheduledRuns(db: Db): Promise<Finding[]> {
  const now = Date.now();
  const waiting = await db.get<Readonly<Record<string, number | null>>>(sql`select
    (select min(ends_at) from device_ticket_locks where ends_at <= ${now}) as "ended locks",
    (select min(ends_at) from travel_plans where ends_at <= ${now} and erased_at is null)
      as "names of past bookings"`);
  return Object.entries(waiting ?? {}).map(([what, since]) => {
    const minutes = Math.round((now - (since ?? now)) / 60_000);
    return minutes > LATE
      ? fail(`sweeper: ${what}`, `waiting for ${minutes} minutes: does the cron trigger run?`)
      : ok(`sweeper: ${what}`, `${minutes} minutes behind`);
  });
}

/** Webhooks: a listener does not notice missing messages, and none waits for long that does not fail. */
async function listeners(db: Db): Promise<Finding[]> {
  const { id, dueAt, failures, lastError, placeId, stoppedAt } = schema.webhooks;
  const before = Date.now() - LATE * 60_000;
  const isLate = sql`${dueAt} <= ${before} and exists (select 1 from ${schema.auditLog}
    where ${schema.auditLog.id} > ${placeId} and ${schema.auditLog.at} <= ${before})`;
  const rows = await db
    .select({ id, failures, lastError, stoppedAt })
    .from(schema.webhooks)
    .where(sql`${stoppedAt} is not null or ${failures} > 0 or (${isLate})`)
    .orderBy(id);
  if (rows.length === 0) return [ok("webhooks", "none is waiting or failing")];
  return rows.map((row) => {
    const [check, failed] = [`webhook: ${row.id}`, `${row.failures} attempts have failed (${row.lastError})`];
    if (row.stoppedAt !== null) return fail(check, `given up, ${failed}: mend it, then \`webhook replay\``);
    if (row.failures > 0) return warn(check, `${failed}; it is tried again`);
    return fail(check, "waits for its turn: does the cron trigger run?");
  });
}

/** Client certificates are backdated by five minutes, and proofs may be as far off. */
const CLOCK = 60_000;

const clockOf = (off: number) =>
  Math.abs(off) <= CLOCK
    ? ok("clock", "this machine and the deployment agree")
    : fail("clock", `this machine is ${Math.round(-off / 1_000)} s ahead of the deployment`);

/** Whether the deployment at `url` answers, and what its clock says. */
export async function deployment(url: string): Promise<Finding[]> {
  const asked = Date.now();
  let answer: Response;
  try {
    answer = await fetch(new URL("/healthz", url), { signal: AbortSignal.timeout(10_000) });
  } catch {
    return [fail("healthz", `${url} does not answer`)];
  }
  const off = Date.parse(answer.headers.get("Date") ?? "") - (asked + Date.now()) / 2;
  const { status } = (await answer.json().catch(() => ({}))) as { readonly status?: string };
  return [
    answer.ok
      ? (status === "ok" ? ok : warn)("healthz", `${answer.status} ${status}, in ${Date.now() - asked} ms`)
      : fail("healthz", `${answer.status}: its log line says why`),
    // Only the platform's own front gives a time; the header counts whole seconds.
    ...(Number.isNaN(off) ? [] : [clockOf(off)]),
  ];
}
