import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { type EndpointName, endpoints, HEADER } from "../../core/api/index.ts";
import { dailyOrFull } from "../../core/full.test-support.ts";
import * as schema from "../../db/schema.ts";
import { sweep as runSweep } from "../scheduled/sweeper.ts";
import {
  type AppInstance,
  attestationObject,
  demoEvidence,
  dpopProof,
  hostToken,
  newAppInstance,
} from "../test-support/app-instance.ts";
import { startWithCleanTags } from "../test-support/clean-tags.ts";
import { requireContract } from "../test-support/contract.ts";
import {
  B2B_SECRET,
  barePost,
  KIOSK_KEY,
  PARTNER_KEY,
  PASSENGER_KEY,
  type Post,
  type TestService,
} from "../test-support/service.ts";
import type { Call, Caller, Login, Model, Refresh } from "../test-support/session-model.ts";
import * as model from "../test-support/session-model.ts";

/**
 * Sessions against their model: a guest, an attested and a federated passenger and staff, under three client keys, log in,
 * refresh, call and log out in any order, rightly, wrongly and again, while time passes and the sweeper comes by. The model
 * predicts each answer. A daily run has 20 sequences, the same each time.
 */
const SEQUENCES = dailyOrFull(20, 10_000);

type Step =
  | Call
  | Login
  | Refresh
  | { readonly kind: "wait"; readonly seconds: number }
  /** `again`: the last call once more, as it was. */
  | { readonly kind: "sweep" | "again" };

/** Mostly one of those who have been there from the beginning. */
const by = fc.oneof({ weight: 3, arbitrary: fc.nat({ max: 3 }) }, fc.nat({ max: 11 }));
const call = fc.record({
  ...{ kind: fc.constant("call" as const), by },
  as: fc.oneof({ weight: 6, arbitrary: fc.constant("own" as const) }, fc.constantFrom(...model.CREDENTIALS)),
  endpoint: fc.constantFrom("journeys", "journeys", "ebtUnlock", "ebtUnlock", "logout"),
}) as fc.Arbitrary<Call>;
const login = fc.record({
  kind: fc.constant("login" as const),
  // A password takes longer than all the rest of a sequence.
  who: fc.oneof({ weight: 20, arbitrary: fc.constantFrom("ada", "attested", "host") }, fc.constant("staff")),
  isDpop: fc.boolean(),
  isKeyless: fc.oneof({ weight: 8, arbitrary: fc.constant(false) }, fc.constant(true)),
}) as fc.Arbitrary<Login>;
const refresh = fc.record({
  ...{ kind: fc.constant("refresh" as const), by },
  token: fc.constantFrom("newest", "newest", "newest", "previous", "first", "made up"),
  key: fc.constantFrom("own", "own", "none", "foreign", "unknown"),
  proof: fc.constantFrom("own", "own", "own", "none", "another's", "again"),
}) as fc.Arbitrary<Refresh>;
/** Mostly so little that access tokens live. */
const seconds = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(1, 10, 11, 60) },
  fc.constantFrom(300, 301, 600, 900, 2_000, 86_400),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: call },
  { weight: 2, arbitrary: login },
  { weight: 4, arbitrary: refresh },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("wait" as const), seconds }) },
  { weight: 1, arbitrary: fc.constant({ kind: "sweep" as const }) },
  { weight: 5, arbitrary: fc.constant({ kind: "again" as const }) },
);

/** The tokens and the proofs of one session, in the order of the model. */
interface Tokens {
  readonly access: string[];
  readonly refresh: string[];
  proof?: string;
  refreshProof?: string;
}

const OWN = { ada: PASSENGER_KEY, attested: PASSENGER_KEY, host: PARTNER_KEY, staff: KIOSK_KEY };
/** Clients that refuse this login. */
const FOREIGN = { ada: PARTNER_KEY, attested: KIOSK_KEY, host: KIOSK_KEY, staff: PASSENGER_KEY };
const LOGIN = {
  ada: "guestSession",
  attested: "attestationSession",
  host: "federatedSession",
  staff: "b2bSession",
} as const;

let service: TestService;
let post: Post;
let apps: Readonly<Record<Caller | "stranger", AppInstance>>;

/** Sends one request, and checks its answer against the OpenAPI document. */
async function send(name: EndpointName, body: object, headers: Record<string, string>) {
  const { path } = endpoints[name];
  const response = await post(path, body, headers);
  const answer = JSON.parse(await response.text());
  requireContract({ method: "POST", path, status: response.status, body: answer });
  return { code: response.ok ? "ok" : String(answer.errorCode), body: answer };
}

const keyHeader = (who: Caller, which: string): Record<string, string> => {
  if (/^no/.test(which)) return {};
  if (/^unknown/.test(which)) return { [HEADER.clientKey]: "?" };
  return { [HEADER.clientKey]: (/^foreign/.test(which) ? FOREIGN : OWN)[who] };
};

async function loginBody({ who, isDpop }: Login): Promise<object> {
  const [app, now] = [apps[who], service.now()];
  if (who === "staff") return { username: "kiosk-osl-1", password: "correct horse battery staple" };
  // A key in the host's token must be proven.
  if (who === "host") return { token: await hostToken(now, isDpop ? { cnf: { jwk: app.jwk } } : {}) };
  const { nonce } = (await send("nonce", {}, {})).body;
  const email = "ada@example.org";
  const more = who === "ada" ? {} : { email, evidence: await demoEvidence(app, { nonce, email }) };
  return { nonce, attestationObject: await attestationObject(app, { nonce, now, ...more }) };
}

async function logIn(tokens: Tokens[], one: Login): Promise<string> {
  const { who, isDpop, isKeyless } = one;
  const { path } = endpoints[LOGIN[who]];
  const { code, body } = await send(LOGIN[who], await loginBody(one), {
    ...keyHeader(who, isKeyless && model.isAttestation(who) ? "none" : "own"),
    ...(who === "staff" && { [HEADER.b2bSecret]: B2B_SECRET }),
    ...(isDpop && { DPoP: await dpopProof(apps[who], { path, now: service.now() }) }),
  });
  if (code === "ok") tokens.push({ access: [body.accessToken], refresh: [body.refreshToken] });
  return code;
}

/** Makes a call as `state` has it before the call; both answers. */
async function takeCall(state: Model, tokens: Tokens[], one: Call) {
  const session = model.sessionAt(state, one.by);
  const own = tokens[state.sessions.indexOf(session)] as Tokens;
  const accessToken = own.access[model.tokenOf(session, one)] ?? "";
  const prover = apps[one.as === "another's proof" ? "stranger" : session.who];
  const claims = one.as === "stale proof" ? { iat: 1 } : {};
  const { path } = endpoints[one.endpoint];
  const proof = model.isProofAgain(session, one)
    ? (own.proof ?? "")
    : await dpopProof(prover, { path, now: service.now(), accessToken, claims });
  const token = `${one.as === "garbled token" ? "x" : ""}${accessToken}`;
  const { code } = await send(
    one.endpoint,
    { uniqueDeviceId: "ebt-21-0001" },
    {
      ...keyHeader(session.who, one.as.endsWith("key") ? one.as : "own"),
      ...(one.as !== "no token" && { Authorization: `Bearer ${token}` }),
      ...(session.isDpop && one.as !== "no proof" && { DPoP: proof }),
    },
  );
  const before = session.proof;
  const predicted = model.predictCall(state, one);
  if (session.proof !== before) own.proof = proof;
  return [predicted, code];
}

/** Refreshes; the same token again within seconds must give the same successor. */
async function takeRefresh(state: Model, tokens: Tokens[], one: Refresh) {
  const session = model.sessionAt(state, one.by);
  const own = tokens[state.sessions.indexOf(session)] as Tokens;
  const { path } = endpoints.refresh;
  const generation = model.generationOf(session, one.token);
  const refreshToken = generation === undefined ? "A".repeat(43) : (own.refresh[generation] ?? "");
  const prover = apps[one.proof === "another's" ? "stranger" : session.who];
  const proof = model.isRefreshProofAgain(session, one)
    ? (own.refreshProof ?? "")
    : await dpopProof(prover, { path, now: service.now() });
  const { code, body } = await send(
    "refresh",
    { refreshToken },
    {
      ...keyHeader(session.who, one.key),
      ...(session.isDpop && one.proof !== "none" && { DPoP: proof }),
    },
  );
  if (code === "ok" && generation !== undefined) {
    own.access.push(body.accessToken);
    own.refreshProof = proof;
    own.refresh[generation + 1] ??= body.refreshToken;
    expect(body.refreshToken).toBe(own.refresh[generation + 1]);
  }
  return [model.predictRefresh(state, one), code];
}

async function take(state: Model, tokens: Tokens[], one: Step): Promise<readonly string[]> {
  switch (one.kind) {
    case "wait":
      service.advance(one.seconds);
      state.now += one.seconds;
      return [];
    case "sweep":
      await runSweep({ ...service, now: service.now(), requestId: "sweep", elapsed: () => 0 });
      model.sweep(state);
      return [];
    case "login":
      return [model.predictLogin(state, one), await logIn(tokens, one)];
    case "refresh":
      return takeRefresh(state, tokens, one);
    case "call":
      state.last = one;
      return takeCall(state, tokens, one);
    case "again":
      return state.last === undefined ? [] : takeCall(state, tokens, state.last);
  }
}

class Taken implements fc.AsyncCommand<Model, Tokens[]> {
  readonly step: Step;
  constructor(one: Step) {
    this.step = one;
  }
  check = () => true;
  async run(state: Model, tokens: Tokens[]): Promise<void> {
    const [predicted, answer] = await take(state, tokens, this.step);
    expect(answer).toBe(predicted);
  }
  toString = () => JSON.stringify(this.step);
}

let start: number;
const first: Tokens[] = [];
let rows: (typeof schema.sessions.$inferSelect)[];
beforeAll(async () => {
  service = await startWithCleanTags();
  // On a full second: a proof's date has no milliseconds, and the model counts in seconds.
  service.advance(1 - (service.now() % 1_000) / 1_000);
  start = service.now();
  post = barePost(service);
  const names = [...model.CALLERS, "stranger"] as const;
  const made = names.map(async (name) => [name, await newAppInstance()] as const);
  apps = Object.fromEntries(await Promise.all(made)) as typeof apps;
  await service.db.delete(schema.sessions);
  for (const who of model.CALLERS)
    await logIn(first, { kind: "login", who, isDpop: who === "attested", isKeyless: false });
  rows = await service.db.select().from(schema.sessions);
});

/** Every caller has one session, and nothing else is left of an earlier sequence. */
async function begin(): Promise<{ model: Model; real: Tokens[] }> {
  service.advance((start - service.now()) / 1_000);
  const { db } = service;
  const { sessions, usedOnce, auditLog, guessCounters } = schema;
  await db.batch([
    db.delete(sessions),
    ...[usedOnce, auditLog, guessCounters].map((table) => db.delete(table)),
    ...rows.map((row) => db.insert(sessions).values(row)),
  ]);
  const state = {
    now: 0,
    sessions: model.CALLERS.map((who) => model.opened(who, 0, { isDpop: who === "attested" })),
  };
  return {
    model: state,
    real: first.map(({ access, refresh: own }) => ({ access: [...access], refresh: [...own] })),
  };
}

it(`every answer is the one that the model predicts, in any order (${SEQUENCES} sequences)`, async () => {
  const steps = fc.commands([step.map((one) => new Taken(one))], { maxCommands: 30, size: "max" });
  const sequence = fc.asyncProperty(steps, async (commands) => {
    const both = await begin();
    await fc.asyncModelRun(() => both, commands);
  });
  await fc.assert(sequence, { numRuns: SEQUENCES });
}, 7_200_000);
