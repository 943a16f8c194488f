import { count, inArray, sql } from "drizzle-orm";
import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { EbtConfiguration, HealthResponse } from "../../core/api/index.ts";
import { LOCALES } from "../../core/api/locales.ts";
import { PROFILE } from "../../core/gatt/profile.ts";
import { toPem } from "../../core/pki/pem.ts";
import tags from "../../db/demo/tags.json" with { type: "json" };
import journal from "../../db/migrations/meta/_journal.json" with { type: "json" };
import type { Settings } from "../config/env.ts";
import type { RequestContext } from "../context.ts";
import { inList } from "../database/batch.ts";
import { trustedTagRootIds, trustedTagRoots } from "../devices/identity.ts";
import { ApiError } from "../errors.ts";
import type { Assets } from "../http/assets.ts";
import { latenessOf, waiting } from "../lateness.ts";

/** The configuration that a page loads first (rules §8). */
function configuration(settings: Settings): EbtConfiguration {
  const { environment, issuer, pageClientKeys, ca, transactionTokenKeys, limits } = settings;
  const tagRootIds = trustedTagRootIds(settings);
  return {
    issuer,
    environment,
    clientKeys: pageClientKeys,
    clientRoots: [toPem(ca.root)],
    tagRoots: trustedTagRoots(settings).map(toPem),
    ...(tagRootIds && { tagRootIds: tagRootIds.map((list) => [...list]) }),
    tokenKeys: { keys: [...transactionTokenKeys.published] },
    gatt: uuids(),
    locales: [...LOCALES],
    handOverOrigins: [...settings.handOverOrigins],
    ...(settings.theme === undefined ? {} : { theme: settings.theme }),
    ...(settings.kiosks.length === 0 ? {} : { kiosks: [...settings.kiosks] }),
    ...(settings.iosBrowser === undefined ? {} : { iosBrowser: settings.iosBrowser }),
    ...(settings.iosApp === undefined ? {} : { iosApp: settings.iosApp }),
    ...(settings.push === undefined ? {} : { pushKey: settings.push.publicKey }),
    ...(settings.outcomes === undefined ? {} : { outcomes: settings.outcomes }),
    limits: {
      maxCustodyProofAttempts: limits.maxCustodyProofAttempts,
      transactionTokenSeconds: limits.transactionTokenSeconds,
      certificateRenewSeconds: limits.certificateRenewSeconds,
      maxBagsPerJourney: limits.maxBagsPerJourney,
    },
  };
}

/** The tag service and its characteristics by name. */
function uuids(): Record<string, string> {
  const characteristics = Object.entries(PROFILE.characteristics).map(([name, { uuid }]) => [name, uuid]);
  return { service: PROFILE.service, ...Object.fromEntries(characteristics) };
}

/** Where wrangler, `npm start` and the tests note which files of db/migrations they have applied. */
const ledger = sqliteTable("d1_migrations", { name: text().primaryKey() });

const NEEDED = journal.entries.map(({ tag }) => `${tag}.sql`);

/**
 * Whether the service can answer: one read, of the migrations that this build needs. A build that runs before
 * them would fail at its first statement. A service whose scheduled work is late
 * still answers, and reports it. Throws `service_unavailable`.
 */
async function health({ db, now, settings }: RequestContext): Promise<HealthResponse> {
  const { erasure, seals } = waiting(now);
  const [row] = await db
    .select({
      applied: count(),
      erasure: sql<number | null>`${erasure}`,
      seals: sql<number | null>`${seals}`,
    })
    .from(ledger)
    .where(inArray(ledger.name, inList(NEEDED)))
    .catch((cause: unknown) => {
      throw new ApiError("service_unavailable", { reason: "no list of migrations", cause });
    });
  if (row === undefined || row.applied < NEEDED.length)
    throw new ApiError("service_unavailable", { reason: "migrations missing" });
  const { late } = latenessOf(row, now, settings);
  return late.length === 0 ? { status: "ok" } : { status: "late", late: [...late] };
}

/** The airline's own apps, as the phones' systems look them up before an app opens a tag's link, `/t/…`. */

/**
 * GET /.well-known/apple-app-site-association (Apple, Supporting associated domains): no other link of the page opens an app,
 * because some carry a token. Throws `not_found` where no app is configured.
 */
function appleAppSiteAssociation({ settings: { appleApps } }: RequestContext): object {
  if (appleApps.length === 0) throw new ApiError("not_found");
  const isClip = (id: string) => id.endsWith(".Clip");
  return {
    applinks: {
      details: [{ appIDs: appleApps.filter((id) => !isClip(id)), components: [{ "/": "/t/*" }] }],
    },
    appclips: { apps: appleApps.filter(isClip) },
  };
}

/**
 * GET /.well-known/assetlinks.json (Google, Digital Asset Links); the app's manifest names the paths. Throws `not_found`
 * where no app is configured.
 */
function assetLinks({ settings: { androidApps } }: RequestContext): object {
  if (androidApps.length === 0) throw new ApiError("not_found");
  return androidApps.map(([package_name, ...sha256_cert_fingerprints]) => ({
    relation: ["delegate_permission/common.handle_all_urls"],
    target: { namespace: "android_app", package_name, sha256_cert_fingerprints },
  }));
}

/** The virtual tags of the development data with their private keys. Throws `not_found` outside development. */
function demoTags({ environment }: Settings): object {
  if (environment !== "development") throw new ApiError("not_found");
  return tags;
}

/** GET /openapi.json: the document as the build made it. Throws `not_found` where there is none. */
export async function openApi(request: Request, assets: Assets | undefined): Promise<Response> {
  const file = await assets?.fetch(request);
  if (file === undefined || file.status >= 400) throw new ApiError("not_found");
  return new Response(file.body, { headers: { "Content-Type": "application/json" } });
}

/** 90 days: a reader fetches it again after that. */
const LIFE_MILLISECONDS = 90 * 86_400_000;

/**
 * GET /.well-known/security.txt (RFC 9116): where to report a vulnerability, from the configuration. It is current as long
 * as the deployment answers, so each answer has a new expiry. Throws `not_found` where no contact is configured.
 */
export function securityText({ settings, now }: RequestContext): Response {
  const { securityContacts, publicOrigin } = settings;
  if (securityContacts.length === 0) throw new ApiError("not_found");
  const lines = [
    ...securityContacts.map((contact) => `Contact: ${contact}`),
    // By the day, so that two answers of a day are the same.
    `Expires: ${new Date(now + LIFE_MILLISECONDS).toISOString().slice(0, 10)}T00:00:00Z`,
    "Preferred-Languages: en",
    ...(publicOrigin === undefined ? [] : [`Canonical: ${publicOrigin}/.well-known/security.txt`]),
  ];
  return new Response(`${lines.join("\n")}\n`, { headers: { "Content-Type": "text/plain; charset=utf-8" } });
}

/** Documents in which the service describes itself, by GET. */
export const documents: Readonly<Record<string, (ctx: RequestContext) => object | Promise<object>>> = {
  "/.well-known/jwks.json": ({ settings }) => ({ keys: settings.accessTokenKeys.published }),
  "/.well-known/ebt-configuration": ({ settings }) => configuration(settings),
  "/.well-known/apple-app-site-association": appleAppSiteAssociation,
  "/.well-known/assetlinks.json": assetLinks,
  "/healthz": health,
  "/demo/tags.json": ({ settings }) => demoTags(settings),
};
