import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import {
  type EndpointName,
  type ErrorCode,
  endpoints,
  errorStatus,
  HEADER,
  REASON_PHRASE,
} from "../../core/api/index.ts";
import { openApi } from "../../core/api/openapi/document.ts";
import { createApp } from "../app.ts";
import { createHostKeys, hostKeyRules } from "../auth/host-keys.ts";
import { rateLimitsOf, UNLIMITED } from "../auth/rate-limits.ts";
import { readSettings, type Settings } from "../config/env.ts";
import type { RateLimits } from "../context.ts";
import { connect, type Db } from "../database/connect.ts";
import type { Deps } from "../http/request.ts";
import worker from "../index.ts";
import { countCalls } from "./call-budget.ts";
import { requireContract } from "./contract.ts";
import { emptyTables } from "./database.ts";
import { beginningOfClock } from "./days.ts";
import { putDevelopmentRows } from "./development-rows.ts";
import { learnRequest, see, seeAnswer } from "./leaks.ts";
import { recorded } from "./query-plans.ts";

/** The service against this test file's own D1, with the development data, a clock to move and its log in hand. */

export const BASE = "https://taglatch.test";

/** The client keys of the development data. */
export const PASSENGER_KEY = "demo-passenger-key";
export const KIOSK_KEY = "demo-kiosk-key";
export const PARTNER_KEY = "demo-partner-key";
export const B2B_SECRET = "demo-b2b-secret";
/** What a login of the demo kiosks' staff carries. */
export const STAFF_LOGIN = { [HEADER.clientKey]: KIOSK_KEY, [HEADER.b2bSecret]: B2B_SECRET };

/** An answer, read. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; tests say what they expect of it. */
  // biome-ignore lint/suspicious/noExplicitAny: held against the contract already; a hundred tests assert what they read
  readonly body: any;
}

export interface TestService {
  readonly db: Db;
  readonly settings: Settings;
  readonly log: Readonly<Record<string, unknown>>[];
  now(): number;
  /** What the service does after its answers has ended. */
  settled(): Promise<unknown>;
  /** The access token of the last login or refresh, at whichever service. */
  lastAccessToken(): string;
  /** Moves the service's clock forward. */
  advance(seconds: number): void;
  fetch(path: string, init?: RequestInit): Promise<Answer>;
  /** POST of JSON; a string body goes as it is, without a body nothing is sent at all. */
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** POST to an endpoint of the table with a client key. */
  call(name: EndpointName, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

/** Parts of the world a test may put in the place of the usual ones. */
export interface World {
  readonly metrics?: AnalyticsEngineDataset;
  /** Files of the build. */
  readonly assets?: (request: Request) => Promise<Response>;
  /** Stands between the service and its database. */
  readonly database?: (binding: D1Database) => D1Database;
  /** The service's pauses; by default they take no time. */
  readonly wait?: (milliseconds: number) => Promise<void>;
}

let lastAccessToken = "";

/** {@link startService} where there is nothing but the development data, as on its first day. */
export async function startClean(...started: Parameters<typeof startService>): Promise<TestService> {
  await emptyTables(env.DB);
  return startService(...started);
}

/** Starts a service over what is in the database, and the development data as it is at first; `vars` go over the bindings, `fetcher` answers its outgoing requests. */
export async function startService(
  vars: Record<string, unknown> = {},
  fetcher?: typeof fetch,
  { metrics, assets = document, database = (binding) => binding, wait = async () => undefined }: World = {},
): Promise<TestService> {
  const settings = await readSettings({ ...env, ...vars });
  const db = connect(env.DB);
  let now = beginningOfClock();
  await putDevelopmentRows(settings.pepper, now);
  const log: Record<string, unknown>[] = [];
  const later: Promise<unknown>[] = [];
  const app = appOver({
    db: database(recorded(env.DB)),
    settings,
    clock: () => now,
    wait,
    ...(fetcher && { fetcher }),
    assets: { fetch: assets },
    rateLimits: countedApart(rateLimitsOf({ ...env, ...vars })),
    metrics,
    outcomeCounts: vars.OUTCOME_COUNTS as AnalyticsEngineDataset | undefined,
    log: watchedInto(log),
  });
  const service: TestService = {
    db,
    settings,
    log,
    now: () => now,
    settled: () => Promise.all(later),
    lastAccessToken: () => lastAccessToken,
    advance: (seconds) => {
      now += seconds * 1_000;
    },
    fetch: async (path, init) => {
      const request = new Request(BASE + path, init);
      learnRequest(init ?? {});
      const answer = await answerAndLine(app, request, later);
      seeAnswer(path, answer);
      lastAccessToken = answer.body?.accessToken ?? lastAccessToken;
      if (!isPreflight(request)) requireContract({ ...seen(request), ...answer });
      return answer;
    },
    post: (path, body, headers = {}) => service.fetch(path, postOf(body, headers)),
    call: (name, body, headers = {}) =>
      service.post(endpoints[name].path, body, { [HEADER.clientKey]: PASSENGER_KEY, ...headers }),
  };
  return service;
}

/** Adds to `later` what is done after the answer, the first of which writes the line of the request. */
async function answerAndLine(app: ReturnType<typeof createApp>, request: Request, later: Promise<unknown>[]) {
  const own: Promise<unknown>[] = [];
  const answer = await answerOf(await app.fetch(request, { waitUntil: (work) => own.push(work) }));
  later.push(...own);
  await own[0];
  return answer;
}

/** The application, with the usual in the place of what `deps` leaves out. */
function appOver(deps: Pick<Deps, "db" | "settings" | "clock"> & Partial<Deps>) {
  const { fetcher = () => Promise.reject(new TypeError("no network in tests")), settings } = deps;
  return createApp({
    fetcher,
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    wait: async () => undefined,
    hostKeys: createHostKeys({ fetcher, ...hostKeyRules(settings) }),
    rateLimits: UNLIMITED,
    ...{ assets: undefined, metrics: undefined, outcomeCounts: undefined, log: () => undefined },
    ...deps,
  });
}

export type Post = (path: string, body: object, headers: Record<string, string>) => Promise<Response>;

/**
 * The service without the checks that the other tests make of every answer: for tests that send a hundred thousand
 * requests or measure time. `db` may stand between the service and its database.
 */
export function barePost({ settings, now }: Pick<TestService, "settings" | "now">, db = env.DB): Post {
  const app = appOver({ db, settings, clock: now });
  return async (path, body, headers) =>
    app.fetch(new Request(BASE + path, postOf(body, headers)), { waitUntil: () => undefined });
}

const watchedInto = (log: Record<string, unknown>[]) => (line: Readonly<Record<string, unknown>>) => {
  log.push(line);
  countCalls(line);
  see("log", JSON.stringify(line));
};

/** The build's one file that is a part of the contract. */
const document = async ({ url }: Request) =>
  new URL(url).pathname === "/openapi.json"
    ? Response.json(openApi({}))
    : new Response(null, { status: 404 });

/** Counters of a service of its own: a runtime cannot reset what it counted for another. */
function countedApart(limits: RateLimits): RateLimits {
  const service = crypto.randomUUID();
  const apart = (counter: RateLimit | undefined): RateLimit | undefined =>
    counter && { limit: ({ key }) => counter.limit({ key: `${service}:${key}` }) };
  const counters = Object.entries(limits).map(([name, counter]) => [name, apart(counter)]);
  return Object.fromEntries(counters) as RateLimits;
}

/** A request that says nothing it need not: no body, no Content-Type. */
function postOf(body: unknown, headers: Record<string, string>): RequestInit {
  if (body === undefined) return { method: "POST", headers };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  // As bytes: fetch labels strings text/plain of its own accord.
  return { method: "POST", headers, body: new TextEncoder().encode(text) };
}

/** Answered by the service for every path alike; not part of the contract. */
const isPreflight = ({ method, headers }: Request) =>
  method === "OPTIONS" && headers.has("Access-Control-Request-Method");

const seen = ({ method, url }: Request) => ({ method, path: new URL(url).pathname });

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get("Content-Type")?.includes("json");
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== "" ? JSON.parse(text) : undefined,
  };
}

/** Asserts that `answer` is the ErrorResponse of `code`, whole. */
export function expectError(answer: Answer, code: ErrorCode): void {
  const status = errorStatus(code);
  expect({ status: answer.status, ...answer.body }).toEqual({
    status: `${status} ${REASON_PHRASE[status]}`,
    statusCode: status,
    message: expect.stringMatching(/\S/),
    errorCode: code,
    errors: expect.any(Array),
  });
  expect(answer.status).toBe(status);
  expect(answer.headers.get("X-Request-Id")).toMatch(/^[0-9a-f]{16}$/);
  expect(answer.headers.get("Cache-Control")).toBe("no-store");
}

/** The Worker's own `scheduled()`, once, with `vars` over the bindings; the one line it logs. */
export async function scheduledRun(
  scheduledTime: number,
  vars: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  try {
    const bindings = { ...env, DB: recorded(env.DB), ...vars };
    await worker.scheduled(createScheduledController({ scheduledTime, cron: "*/5 * * * *" }), bindings);
    expect(log).toHaveBeenCalledTimes(1);
    return JSON.parse(String(log.mock.calls[0]?.[0]));
  } finally {
    log.mockRestore();
  }
}

/** A counter of the platform that lets `most` through for each key, and the keys it was asked for. */
export function upTo(most: number) {
  const counted: string[] = [];
  const limit: RateLimit["limit"] = async ({ key }) => {
    counted.push(key);
    return { success: counted.filter((one) => one === key).length <= most };
  };
  return { limit, counted };
}
