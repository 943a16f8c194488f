// A database in memory takes the place of the browser's.
import "fake-indexeddb/auto";
import { and, eq, gt, inArray, or, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { decodeJwt, decodeProtectedHeader, type JWK } from "jose";
import { toBase64, toHex } from "../../core/encoding/bytes.ts";
import { jwkThumbprintText } from "../../core/pki/certificate.ts";
import { createTagCa, issueTagLeaf } from "../../core/pki/issue.ts";
import { toPem } from "../../core/pki/pem.ts";
import { foldDeviceId } from "../../core/pki/tag-roots.ts";
import {
  auditLog,
  certificates,
  devices,
  deviceTicketLocks,
  guessCounters,
  idempotencyRecords,
  loadedPlans,
  sessions,
  usedOnce,
} from "../../db/schema.ts";
import { UsageError } from "../../kit/command-line.ts";
import type { Taglatch } from "../../sdk/api.ts";
import { createTaglatch } from "../../sdk/client.ts";
import type { Journey } from "../../sdk/records.ts";
import { webBluetoothRadio } from "../../sdk/tag/web-bluetooth-link.ts";
import type { Result } from "../../sdk/types.ts";
import { makeTags } from "../../sim/install.ts";
import { fakeBluetooth } from "../../sim/radio/fake-bluetooth.ts";
import type { Db } from "../../worker/database/connect.ts";
import { sha256Text } from "../../worker/secrets/sealed.ts";
import { generateKeys, privateJwk, subjectAndValidity, systemRandom } from "../serve/keys.ts";
import { type Context, runBatch } from "./command.ts";
import { endingLocks, newDeed } from "./tags.ts";

/** What a smoke test writes into the deployment's database, and how its rows are deleted again. */

/** What its requests show, by which its rows are found. */
export interface Traces {
  /** Pseudonym of its passenger; absent until it has signed in. */
  sub?: string;
  /** DPoP proofs. */
  readonly proofs: string[];
  /** Ids of its requests. */
  readonly requests: string[];
}

/** `fetcher`, whose requests are noted in `traces`. */
export const tracing =
  (traces: Traces, fetcher: typeof fetch): typeof fetch =>
  async (input, init) => {
    const headers = new Headers(init?.headers);
    const proof = headers.get("DPoP");
    if (proof !== null) traces.proofs.push(proof);
    const [, token] = (headers.get("Authorization") ?? "").split(" ");
    if (token !== undefined) traces.sub = String(decodeJwt(token).sub);
    const answer = await fetcher(input, init);
    const requestId = answer.headers.get("X-Request-Id");
    if (requestId !== null) traces.requests.push(requestId);
    return answer;
  };

/** Throws UsageError where `db` is not the database that the service at the other end writes to. */
export async function requireDatabase(db: Db, { sub = "" }: Traces): Promise<void> {
  const found = await db.select({ id: sessions.id }).from(sessions).where(eq(sessions.sub, sub)).limit(1);
  if (found.length === 0)
    throw new UsageError(
      "the service does not write to this database: name its own, by --remote --env or --state",
    );
}

/** Deletes every row of the run. The audit log keeps its rows: nothing deletes those. Their number. */
export async function deleteRows(db: Db, traces: Traces, deviceId: string): Promise<number> {
  const { sub = "", requests } = traces;
  const [device, now] = [foldDeviceId(deviceId), Date.now()];
  const hashes = await Promise.all(traces.proofs.map(hashOf));
  const ofRun = or(...requests.map((id) => sql`${guessCounters.requestId} like ${`${id}%`}`));
  const which = sql`${eq(deviceTicketLocks.deviceId, device)}`;
  const ofPerson = db.select({ id: sessions.id }).from(sessions).where(eq(sessions.sub, sub));
  const statements: BatchItem<"sqlite">[] = [
    ...endingLocks(db, newDeed(), { which, reason: "operator: smoke test", isForgotten: true }),
    db.delete(devices).where(eq(devices.id, device)),
    db.delete(loadedPlans).where(eq(loadedPlans.sub, sub)),
    db
      .delete(idempotencyRecords)
      .where(and(gt(idempotencyRecords.day, Math.floor(now / DAY) - 2), eq(idempotencyRecords.sub, sub))),
    // A counter that others share stays, unless they have counted nothing.
    db
      .delete(guessCounters)
      .where(and(ofRun, or(sql`${guessCounters.key} like ${`%:${sub}`}`, sql`${guessCounters.count} <= 1`))),
    db.delete(usedOnce).where(and(gt(usedOnce.endsAt, now - DAY), inArray(usedOnce.hash, hashes))),
    db.delete(certificates).where(inArray(certificates.sessionId, ofPerson)),
    db.delete(sessions).where(eq(sessions.sub, sub)),
  ];
  await runBatch(db, statements);
  return db.$count(auditLog, eq(auditLog.deviceId, device));
}

const DAY = 86_400_000;

/** As the service remembers a proof (worker/auth/dpop.ts). */
async function hashOf(proof: string): Promise<string> {
  const { x = "", y = "" } = decodeProtectedHeader(proof).jwk as JWK;
  const jkt = await jwkThumbprintText({ kty: "EC", crv: "P-256", x, y });
  return sha256Text(JSON.stringify([jkt, decodeJwt(proof).jti]));
}

/** One passenger's way, step by step. */

type Test = Readonly<
  Record<"url" | "locator" | "surname", string> & Record<"client-key", string | undefined>
>;

/** Runs every step until one fails. Throws UsageError where one did. */
export async function runSmoke(test: Test, { db, show }: Pick<Context, "db" | "show">): Promise<void> {
  const steps: { state: "ok" | "FAIL"; step: string; detail: string }[] = [];
  const step: Step = async (name, doing) => {
    const started = performance.now();
    try {
      const value = await doing();
      const took = `${Math.round(performance.now() - started)} ms`;
      const detail = typeof value === "string" ? `${took}, ${value}` : took;
      steps.push({ state: "ok", step: name, detail });
      return value;
    } catch (error) {
      steps.push({ state: "FAIL", step: name, detail: whyOf(error) });
      throw new UsageError("the deployment failed the smoke test");
    }
  };
  await wholeWay(test, db, step).finally(() => show(steps));
}

/** Throws where it fails: the steps after it need it. A text that it returns is shown. */
type Step = <Value>(name: string, doing: () => Promise<Value>) => Promise<Value>;

/** What to do about codes that are the deployment's rules, and no fault. */
const CURES: Readonly<Record<string, string>> = {
  no_client_key: "the deployment has no PAGE_CLIENT_KEY: put it into the vars, or say --client-key",
  device_not_found: "only imported tags exist here (DEVICE_REGISTRY): all before it works; try a real tag",
};

function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return "failed";
  const { code } = error as { readonly code?: unknown };
  if (typeof code === "string" && CURES[code] !== undefined) return `${code}: ${CURES[code]}`;
  if (code !== undefined) return String(code);
  // Of fetch, which says no more than "fetch failed" itself.
  return error.cause instanceof Error ? `${error.message}: ${causeOf(error.cause)}` : error.message;
}

const causeOf = (cause: NodeJS.ErrnoException) => cause.message || cause.code || cause.name;

interface Configuration {
  readonly clientRoots: readonly string[];
  readonly tagRoots: readonly string[];
  readonly tokenKeys: Parameters<typeof makeTags>[1]["tokenKeys"];
}

const CONFIGURATION = "/.well-known/ebt-configuration";

async function wholeWay({ locator, surname, ...test }: Test, db: Db, step: Step): Promise<void> {
  const url = test.url.replace(/\/$/, "");
  await step("healthz", () => read(`${url}/healthz`));
  const configuration = await step("configuration", () => read<Configuration>(`${url}${CONFIGURATION}`));
  await step("openapi.json", () => read(`${url}/openapi.json`));
  const { ca, row } = await madeUpTag();
  const traces: Traces = { proofs: [], requests: [] };
  const tags = await makeTags([row], configuration);
  const bluetooth = fakeBluetooth(tags, async ([first]) => first);
  const clientKey = test["client-key"];
  const client = createTaglatch({
    baseUrl: url,
    ...(clientKey === undefined ? {} : { clientKey }),
    radio: webBluetoothRadio(() => bluetooth),
    fetch: tracing(traces, trusting(ca)),
  });
  try {
    const journey = await step("sign in, load a booking", async () =>
      unwrap(await client.journeys.fromRecordLocator(locator, surname)),
    );
    // Before a tag is written: its rows could not be deleted.
    await step("database", () => requireDatabase(db, traces));
    await transferAndClear(client, journey, step);
  } finally {
    await step("delete its rows", async () => {
      const kept = await deleteRows(db, traces, row.id);
      return `${kept} rows stay in the audit log, which only grows`;
    });
  }
}

async function transferAndClear(
  client: Taglatch,
  { journeyId, baggage: [bag] }: Journey,
  step: Step,
): Promise<void> {
  const tag = await step("connect a virtual tag", async () => unwrap(await client.pickTag()));
  await step("transfer", async () => {
    if (bag === undefined) throw new Error("the booking has no bag");
    requireReported(await client.transferTag({ ...tag, journeyId, baggageId: bag.baggageId }));
  });
  await step("clear", async () => requireReported(await client.clearTag(tag)));
  await client.disconnect(tag.deviceId);
}

function unwrap<Value>(result: Result<Value>): Value {
  if (!result.ok) throw result.error;
  return result.value;
}

/** A change that only the tag knows is none. */
function requireReported(result: Result<{ readonly pendingRetry: boolean }>): void {
  if (unwrap(result).pendingRetry) throw new Error("the tag was changed, and the service does not know");
}

async function read<Answer>(url: string): Promise<Answer> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(30_000) });
  if (!answer.ok) throw new Error(`${answer.status}`);
  return answer.json();
}

/** An unknown tag, of an unknown maker. */
async function madeUpTag() {
  const caKeys = await generateKeys();
  const certificate = await createTagCa({ ...subjectAndValidity("Smoke test", DAY), keys: caKeys });
  const id = `smoke-${toHex(systemRandom(6))}`;
  const keys = await generateKeys();
  const leaf = await issueTagLeaf({
    ...subjectAndValidity(id, DAY),
    issuer: { certificate, privateKey: caKeys.privateKey },
    deviceId: id,
    publicKey: keys.publicKey,
  });
  const privateKey = (await privateJwk(keys.privateKey)) as JsonWebKey;
  const certificateChain = [toBase64(leaf)];
  return {
    ca: toPem(certificate),
    row: { id, generation: "2.1" as const, privateJwk: privateKey, certificateChain },
  };
}

/** The platform's fetch, whose configuration also trusts `ca`. */
const trusting =
  (ca: string): typeof fetch =>
  async (input, init) => {
    const answer = await fetch(input, init);
    const url = input instanceof Request ? input.url : String(input);
    if (!answer.ok || !url.endsWith(CONFIGURATION)) return answer;
    const configuration = (await answer.json()) as Configuration;
    return Response.json({ ...configuration, tagRoots: [...configuration.tagRoots, ca] });
  };
