import { eq, inArray } from "drizzle-orm";
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { toBase64Url } from "../../core/encoding/bytes.ts";
import { dailyOrFull } from "../../core/full.test-support.ts";
import { p256Thumbprint } from "../../core/pki/certificate.ts";
import * as schema from "../../db/schema.ts";
import { sweep as runSweep } from "../scheduled/sweeper.ts";
import {
  logIn,
  makeCall,
  makeRefresh,
  type SessionTokens,
  summaryOf,
  type World,
} from "../test-support/api-caller.ts";
import {
  type Call,
  LIMITS,
  type Model,
  type Operation,
  predictCall,
  revoke,
  sweep,
  unlocked,
  wait,
} from "../test-support/api-model.ts";
import {
  type Answer,
  CALLERS,
  type Caller,
  CREDENTIALS,
  type Login,
  opened,
  predictLogin,
  predictRefresh,
  type Refresh,
} from "../test-support/api-model-sessions.ts";
import { type AppInstance, newAppInstance } from "../test-support/app-instance.ts";
import { barePost } from "../test-support/bare-app.ts";
import { subOf } from "../test-support/bookings.ts";
import { FRESH_TAG, startWithCleanTags } from "../test-support/clean-tags.ts";
import { linesIn } from "../test-support/lock-driver.ts";
import { type Actor, areSame, BAGS, linesOf, PLANS, TAGS } from "../test-support/lock-state.ts";
import { revokeKeys } from "../test-support/rows.ts";
import type { TestService } from "../test-support/service.ts";

/**
 * The interface against its model: a guest, an attested and a federated passenger and staff, under three client keys, log
 * in, refresh, load, attach, look, authorize, prove, unlock, lose, release and log out in any order, rightly, wrongly and
 * again, while time passes and the sweeper comes by. The model foretells each answer, and what is left in the end. Concurrent
 * callers are lock-model.test.ts's.
 */
const SEQUENCES = dailyOrFull(20, 10_000);

type Step =
  | Call
  | Login
  | Refresh
  | { readonly kind: "wait"; readonly seconds: number }
  | { readonly kind: "sweep" }
  /** The last call once more, as it was. */
  | { readonly kind: "again" }
  | { readonly kind: "revoke"; readonly who: Caller };

/** Mostly one of those who have been there from the beginning. */
const by = fc.oneof({ weight: 3, arbitrary: fc.nat({ max: 3 }) }, fc.nat({ max: 11 }));
const tag = fc.constantFrom(...TAGS);
const knows = fc.constantFrom(...PLANS, ...PLANS, "nothing" as const);
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("attach" as const), tag, bag: fc.constantFrom(...BAGS) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("prove" as const), tag, knows }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom("unlock" as const, "token" as const, "look" as const),
      tag,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("release" as const), tag }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("lose" as const), tag, lost: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("load" as const), knows }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("journeys" as const, "certificate" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("logout" as const) }) },
);
const call: fc.Arbitrary<Call> = fc.record({
  kind: fc.constant("call" as const),
  by,
  as: fc.oneof({ weight: 6, arbitrary: fc.constant("own" as const) }, fc.constantFrom(...CREDENTIALS)),
  operation,
  key: fc.constantFrom(undefined, "k1" as const, "k2" as const),
  isBare: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
});
const login: fc.Arbitrary<Login> = fc.record({
  kind: fc.constant("login" as const),
  // A password takes longer than all the rest of a sequence.
  who: fc.oneof({ weight: 20, arbitrary: fc.constantFrom("ada", "attested", "host") }, fc.constant("staff")),
  isDpop: fc.boolean(),
  isKeyless: fc.oneof({ weight: 8, arbitrary: fc.constant(false) }, fc.constant(true)),
}) as fc.Arbitrary<Login>;
const refresh: fc.Arbitrary<Refresh> = fc.record({
  kind: fc.constant("refresh" as const),
  by,
  token: fc.constantFrom("newest", "newest", "newest", "previous", "first", "made up"),
  key: fc.constantFrom("own", "own", "none", "foreign", "unknown"),
  proof: fc.constantFrom("own", "own", "own", "none", "another's", "again"),
}) as fc.Arbitrary<Refresh>;
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: call },
  { weight: 2, arbitrary: login },
  { weight: 4, arbitrary: refresh },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("wait" as const),
      // Mostly so little that access tokens live.
      seconds: fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(1, 10, 11, 60) },
        fc.constantFrom(300, 301, 600, 900, 2_000, 86_400),
      ),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "sweep" as const }) },
  { weight: 5, arbitrary: fc.constant({ kind: "again" as const }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("revoke" as const), who: fc.constantFrom(...CALLERS) }),
  },
);

/** What `one` is predicted to answer, and what it answered; nothing where no request is sent. */
async function take(world: World, model: Model, one: Step): Promise<readonly [Answer?, Answer?]> {
  switch (one.kind) {
    case "wait":
      service.advance(one.seconds);
      wait(model, one.seconds);
      return [];
    case "sweep":
      await runSweep({ ...service, now: service.now(), requestId: "sweep", elapsed: () => 0 });
      sweep(model);
      return [];
    case "revoke":
      await revokeKeys(service, eq(schema.certificates.spkiHash, await keyHashOf(world.apps[one.who])));
      revoke(model, one.who);
      return [];
    case "login":
      return [predictLogin(model, one), await logIn(world, one)];
    case "refresh":
      return takeRefresh(world, model, one);
    case "call":
      model.last = one;
      return takeCall(world, model, one);
    case "again":
      return model.last === undefined ? [] : takeCall(world, model, model.last);
  }
}

async function takeCall(world: World, model: Model, one: Call): Promise<readonly [Answer, Answer]> {
  const { proof, body, ...answer } = await makeCall(world, model, one);
  const at = one.by % model.sessions.length;
  const [session, sessionTokens] = [model.sessions[at], world.sessionTokens[at]];
  const before = session?.proof;
  const predicted = predictCall(model, one);
  if (sessionTokens && proof !== undefined && session?.proof !== before) sessionTokens.proof = proof;
  const said = answer.code === "ok" ? summaryOf(one.operation, body) : undefined;
  return [predicted, { ...answer, ...(said && { body: said }) }];
}

async function takeRefresh(world: World, model: Model, one: Refresh): Promise<readonly [Answer, Answer]> {
  const { proof, ...answer } = await makeRefresh(world, model, one);
  const predicted = predictRefresh(model, one);
  const sessionTokens = world.sessionTokens[one.by % model.sessions.length];
  if (sessionTokens && proof !== undefined) sessionTokens.refreshProof = proof;
  return [predicted, answer];
}

class Taken implements fc.AsyncCommand<Model, World> {
  readonly step: Step;
  constructor(step: Step) {
    this.step = step;
  }
  check = () => true;
  async run(model: Model, world: World): Promise<void> {
    const [predicted, answer] = await take(world, model, this.step);
    expect(answer).toEqual(predicted);
  }
  toString = () => JSON.stringify(this.step);
}

let service: TestService;
let world: Omit<World, "sessionTokens">;
let sessionTokens: readonly SessionTokens[];
let restore: () => Promise<unknown>;
let start: number;
const keyHashOf = async ({ jwk }: AppInstance) => toBase64Url(await p256Thumbprint(jwk));

const subs = new Map<Actor, string>();

beforeAll(async () => {
  service = await startWithCleanTags({
    GUESSES_PER_DEVICE_UNVOUCHED: `${LIMITS.unvouched.device}`,
    GUESSES_PER_DEVICE_VOUCHED: `${LIMITS.vouched.device}`,
    GUESSES_PER_DEVICE_STAFF: `${LIMITS.staff.device}`,
    GUESSES_PER_LOCATOR_UNVOUCHED: `${LIMITS.unvouched.locator}`,
    GUESSES_PER_LOCATOR_VOUCHED: `${LIMITS.vouched.locator}`,
    GUESSES_PER_LOCATOR_STAFF: `${LIMITS.staff.locator}`,
  });
  // On a full second: a proof's date has no milliseconds, and the model counts in seconds.
  service.advance(1 - (service.now() % 1_000) / 1_000);
  start = service.now();
  const names = [...CALLERS, "stranger"] as const;
  const apps = await Promise.all(names.map(async (name) => [name, await newAppInstance()] as const));
  world = {
    ...{ post: barePost(service), now: () => service.now() },
    apps: Object.fromEntries(apps) as Record<(typeof names)[number], AppInstance>,
  };
  const first: World = { ...world, sessionTokens: [] };
  await service.db.delete(schema.sessions);
  for (const who of CALLERS) {
    await logIn(first, { kind: "login", who, isDpop: who === "attested", isKeyless: false });
    subs.set(who, subOf({ accessToken: first.sessionTokens.at(-1)?.access[0] ?? "" }));
  }
  sessionTokens = first.sessionTokens;
  restore = await snapshot();
});

/** Puts sessions and bookings back to what they are now, and forgets everything else that a sequence leaves. */
async function snapshot(): Promise<() => Promise<unknown>> {
  const { db } = service;
  const { sessions, travelPlans, journeys } = schema;
  const [people, plans, passengers] = await db.batch([
    db.select().from(sessions),
    db
      .select()
      .from(travelPlans)
      .where(inArray(travelPlans.id, [...PLANS])),
    db
      .select()
      .from(journeys)
      .where(inArray(journeys.planId, [...PLANS])),
  ]);
  const endsAt = (i: number) => start + (i + 1) * 3_600_000;
  return () =>
    db.batch([
      ...[sessions, schema.usedOnce, schema.revokedKeys, schema.guessCounters, schema.failedProofs].map(
        (table) => db.delete(table),
      ),
      ...[
        schema.idempotencyRecords,
        schema.certificates,
        schema.deviceTicketLocks,
        schema.loadedPlans,
        schema.auditLog,
      ].map((table) => db.delete(table)),
      db
        .update(schema.devices)
        .set(FRESH_TAG)
        .where(inArray(schema.devices.id, [...TAGS])),
      ...people.map((row) => db.insert(sessions).values(row)),
      ...plans.map((row, i) =>
        db
          .update(travelPlans)
          .set({ ...row, endsAt: endsAt(i) })
          .where(eq(travelPlans.id, row.id)),
      ),
      ...passengers.map((row) => db.update(journeys).set(row).where(eq(journeys.id, row.id))),
    ] as never);
}

/** Every actor has one session, nothing is locked, and bookings end an hour after one another. */
async function begin(): Promise<{ model: Model; real: World }> {
  service.advance((start - service.now()) / 1_000);
  await restore();
  const model: Model = {
    ...{ state: unlocked(), now: 0 },
    sessions: CALLERS.map((who) => opened(who, 0, { isDpop: who === "attested" })),
    ...{ counters: new Map(), records: new Map(), certified: new Set(), revoked: new Set() },
  };
  const own = sessionTokens.map(({ access, refresh: tokens }) => ({
    access: [...access],
    refresh: [...tokens],
  }));
  return { model, real: { ...world, sessionTokens: own } };
}

it(`every answer is the one the model foretells, in any order (${SEQUENCES} sequences)`, async () => {
  const steps = fc.commands([step.map((one) => new Taken(one))], { maxCommands: 30, size: "max" });
  const actors = new Map([...subs].map(([who, sub]) => [sub, who]));
  const sequence = fc.asyncProperty(steps, async (commands) => {
    const { model, real } = await begin();
    await fc.asyncModelRun(() => ({ model, real }), commands);
    const found = await linesIn(service, actors);
    expect(areSame(linesOf(model.state), found), "locks, loaded bookings and audit rows").toBe(true);
  });
  await fc.assert(sequence, { numRuns: SEQUENCES });
}, 7_200_000);
