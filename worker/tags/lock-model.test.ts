import { env } from "cloudflare:workers";
import { eq, inArray } from "drizzle-orm";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { auditLog, devices, deviceTicketLocks, loadedPlans, sessions, travelPlans } from "../../db/schema.ts";
import { subOf } from "../test-support/bookings.ts";
import { startWithCleanTags, UNHEARD } from "../test-support/clean-tags.ts";
import { tagCertificateOf } from "../test-support/demo-tags.ts";
import { type Doing, driver, newScene, type Scene, TOLD } from "../test-support/lock-driver.ts";
import { explain, type Left, type Observed } from "../test-support/lock-explain.ts";
import { apply, passed } from "../test-support/lock-model.ts";
import { broken } from "../test-support/lock-properties.ts";
import {
  ACTORS,
  type Action,
  type Actor,
  BAGS,
  type Bag,
  emptyState,
  PLANS,
  type Plan,
  type State,
  TAGS,
} from "../test-support/lock-state.ts";
import { lookAt } from "../test-support/lock-world.ts";
import {
  attestedSession,
  federatedSession,
  guestSession,
  staffSession,
  type TestSession,
} from "../test-support/logins.ts";
import { PARTNER_KEY, type TestService } from "../test-support/service.ts";

/**
 * The lock against its model (rules §5): sequences of rounds, in each of which up to three callers act at once on
 * the real service and its real D1, some with the tag in their hands. Some order of what they did must explain every
 * answer, every lock, all that is kept of a tag, every loaded booking and every audit row; and after each round
 * nobody is kept from a tag longer than the rules say. Sixty long sequences take 20 s of CPU; more by night:
 * VITE_SEQUENCES.
 */
const SEQUENCES = Number(import.meta.env.VITE_SEQUENCES ?? 60);

const DAY = 86_400;
/** Seconds: within one connection, past a token's life, past staff's quarter of an hour, a claim's day, a week. */
const PAUSES = [1, 150, 901, DAY, 8 * DAY] as const;
/** The bookings end after so many days. */
const ENDS: Readonly<Record<Plan, number>> = { "demo-plan-1": 20, "demo-plan-2": 9 };
const CAPS = { locks: 2, claims: 1, perBag: 1 } as const;

/** Mostly two who are after the same tag, and staff. */
const who = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom<Actor>("ada", "mallory", "staff") },
  fc.constantFrom(...ACTORS),
);
/** Mostly the tag that signs. */
const tag = fc.oneof({ weight: 9, arbitrary: fc.constant(TAGS[0]) }, fc.constantFrom(...TAGS));
const bag = fc.constantFrom(...BAGS);
const forBag = fc.constantFrom<Bag | undefined>(undefined, undefined, ...BAGS);
const knows = fc.constantFrom<Plan | "nothing">(...PLANS, ...PLANS, "nothing");
const told = fc.constantFrom(...TOLD, "nothing" as const, "receipt" as const, "presence" as const);
const does = <T extends string>(...names: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...names);
const doing: fc.Arbitrary<Doing> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: does("attach"), who, tag, bag, told }) },
  {
    weight: 6,
    arbitrary: fc.record({
      does: does("write", "write", "wipe"),
      ...{ who, tag, bag, after: fc.oneof({ weight: 8, arbitrary: told }, fc.constant("dies" as const)) },
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: does("prove"), who, tag, knows }) },
  { weight: 4, arbitrary: fc.record({ does: does("unlock", "token"), who, tag, told, forBag }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: does("release"),
      who: fc.constantFrom("staff" as const, "ada" as const),
      tag,
      told,
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: does("look"), who, tag, forBag }) },
  { weight: 1, arbitrary: fc.record({ does: does("lose"), who, tag, lost: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ does: does("load"), who, knows }) },
);

interface Real {
  readonly scene: Scene;
}
/** fast-check changes its model in place. */
interface Model {
  state: State;
}

/** Several callers at once. */
class Round implements fc.AsyncCommand<Model, Real> {
  readonly doings: readonly Doing[];
  constructor(doings: readonly Doing[]) {
    this.doings = doings;
  }
  check = () => true;
  async run(model: Model, { scene }: Real): Promise<void> {
    const observed = await Promise.all(this.doings.map((one) => act(scene, one)));
    const left = await look();
    const after = explain(model.state, observed, left);
    if (after === undefined) {
      throw new Error(
        `no order explains ${JSON.stringify({ before: model.state, observed, left }, null, 1)}`,
      );
    }
    expect(broken(after, scene.tags), JSON.stringify(after)).toEqual([]);
    model.state = after;
  }
  toString = () => `at once: ${this.doings.map((one) => JSON.stringify(one)).join(" ")}`;
}

/**
 * A story of two about the tag that signs, step by step: `x` writes it, the lock ends or not, `x` comes back with
 * what was, and `y` has the tag in hand. Chance alone tells such a story too seldom.
 */
class Story implements fc.AsyncCommand<Model, Real> {
  readonly steps: readonly Doing[];
  constructor(steps: readonly Doing[]) {
    this.steps = steps;
  }
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    for (const step of this.steps) await new Round([step]).run(model, real);
  }
  toString = () => `one by one: ${this.steps.map((one) => JSON.stringify(one)).join(" ")}`;
}

const story = fc
  .record({ x: who, y: who, bags: fc.tuple(bag, bag), ends: fc.nat({ max: 3 }), told, last: told, knows })
  .map(({ x, y, bags: [first, second], ends, told: again, last, knows: known }) => {
    const [signing] = TAGS;
    const endings: readonly Doing[] = [
      { does: "release", who: "staff", tag: signing, told: "presence" },
      { does: "prove", who: y, tag: signing, knows: known },
      { does: "unlock", who: x, tag: signing, told: "nothing" },
    ];
    return new Story([
      { does: "write", who: x, tag: signing, bag: first, after: "receipt" },
      ...endings.slice(ends, ends + 1),
      { does: "attach", who: x, tag: signing, bag: second, told: again },
      { does: "token", who: y, tag: signing, told: "presence" },
      { does: "attach", who: y, tag: signing, bag: second, told: last },
    ]);
  });

/** Time passes, and with it claims, locks and bookings; nobody sweeps. */
class Pause implements fc.AsyncCommand<Model, Real> {
  readonly seconds: number;
  constructor(seconds: number) {
    this.seconds = seconds;
  }
  check = () => true;
  async run(model: Model, { scene }: Real): Promise<void> {
    service.advance(this.seconds);
    model.state = passed(model.state, service.now());
    expect(explain(model.state, [], await look()), "what is over").toBeDefined();
    expect(broken(model.state, scene.tags)).toEqual([]);
  }
  toString = () => `${this.seconds} s pass`;
}

const commands = fc.commands(
  [
    story,
    doing.map((one) => new Round([one])),
    fc.array(doing, { minLength: 1, maxLength: 3 }).map((doings) => new Round(doings)),
    fc.constantFrom(...PAUSES).map((seconds) => new Pause(seconds)),
  ],
  { maxCommands: 10, size: "max" },
);

let service: TestService;
let act: ReturnType<typeof driver>;
let actors: ReadonlyMap<string, Actor>;
let tagSpki: string | null;
let start: number;
const look = () => lookAt(service, actors);

beforeAll(async () => {
  const endless = "2e9";
  const vars = {
    ...{ ACCESS_TOKEN_SECONDS: endless, REFRESH_TOKEN_SECONDS: endless, REFRESH_FAMILY_SECONDS: endless },
    ...{ GUESSES_PER_DEVICE_UNVOUCHED: endless, GUESSES_PER_LOCATOR_UNVOUCHED: endless },
    ...{ GUESSES_PER_DEVICE_VOUCHED: endless, GUESSES_PER_LOCATOR_VOUCHED: endless },
    ...{ GUESSES_PER_DEVICE_STAFF: endless, GUESSES_PER_LOCATOR_STAFF: endless },
    ...{ GUESSES_PER_SUBJECT_PER_HOUR: endless, GUESSES_PER_STAFF_PER_HOUR: endless },
    ...{ GUESSES_PER_NETWORK_UNVOUCHED_PER_HOUR: endless, GUESSES_PER_NETWORK_VOUCHED_PER_HOUR: endless },
    ...{ GUESSES_PER_CARRIER_UNVOUCHED_PER_HOUR: endless, CLAIMS_PER_NETWORK_PER_HOUR: endless },
    ...{ ATTACHMENTS_PER_SUBJECT_PER_HOUR: endless, FOREIGN_RELEASES_PER_DAY: endless },
    ...{ LIVE_LOCKS_PER_SUBJECT: `${CAPS.locks}`, LIVE_CLAIMS_PER_SUBJECT: `${CAPS.claims}` },
    ...{ LOCKS_PER_BAG: `${CAPS.perBag}` },
  };
  const development = await startWithCleanTags(vars);
  const people = await meet(development);
  tagSpki = await keyOf(development, people.ada);
  // Only a production has limits for passengers.
  service = await startWithCleanTags({ ...vars, ENVIRONMENT: "production" });
  start = service.now();
  const subs = await vouchFor(people);
  actors = new Map(ACTORS.map((actor) => [subs[actor], actor]));
  act = driver(service, people);
});

async function meet(development: TestService): Promise<Readonly<Record<Actor, TestSession>>> {
  const guest = () => guestSession(development);
  return {
    ...{ ada: await guest(), bob: await guest(), eve: await guest(), mallory: await guest() },
    attested: await attestedSession(development),
    host: await federatedSession(development, { clientKey: PARTNER_KEY }),
    staff: await staffSession(development),
  };
}

/** The key of the tag that signs, as its certificate has it. */
async function keyOf({ db }: TestService, session: TestSession): Promise<string | null> {
  const [signing] = TAGS;
  const device = { uniqueID: signing };
  await session.call("deviceAttachment", { device, baggageId: 1, tagCertificate: tagCertificateOf(signing) });
  const [row] = await db.select().from(devices).where(eq(devices.id, signing));
  return row?.tagSpki ?? null;
}

/** The attested phone is vouched for by its maker, as nobody is by the development's attester in production. */
async function vouchFor(people: Readonly<Record<Actor, TestSession>>) {
  const subs = Object.fromEntries(ACTORS.map((actor) => [actor, subOf(people[actor])])) as Record<
    Actor,
    string
  >;
  await service.db
    .update(sessions)
    .set({ evidence: "apple-appattest" })
    .where(eq(sessions.sub, subs.attested));
  expect(await service.db.$count(sessions, inArray(sessions.sub, Object.values(subs)))).toBe(ACTORS.length);
  return subs;
}

/** Who has loaded what before anything happens. */
const LOADED: readonly (readonly [Actor, Plan])[] = [
  ["ada", "demo-plan-1"],
  ["attested", "demo-plan-1"],
  ["bob", "demo-plan-1"],
  ["mallory", "demo-plan-2"],
];

/** Nothing locked, tags that nobody wrote. */
async function begin(): Promise<{ model: Model; real: Real }> {
  const { db } = service;
  service.advance((start - service.now()) / 1_000);
  const ends = (plan: Plan) => start + ENDS[plan] * DAY * 1_000;
  const subs = new Map([...actors].map(([sub, actor]) => [actor, sub]));
  const loaded = LOADED.map(([actor, planId]) => ({ sub: subs.get(actor) ?? "", planId, loadedAt: start }));
  await db.batch([
    db.delete(deviceTicketLocks),
    db.delete(loadedPlans),
    db.delete(auditLog).where(inArray(auditLog.deviceId, [...TAGS])),
    db.update(devices).set(UNHEARD),
    db.update(devices).set({ tagSpki }).where(eq(devices.id, TAGS[0])),
    db.insert(loadedPlans).values(loaded),
    ...PLANS.map((plan) =>
      db
        .update(travelPlans)
        .set({ endsAt: ends(plan) })
        .where(eq(travelPlans.id, plan)),
    ),
  ]);
  const state: State = {
    ...emptyState({
      caps: CAPS,
      now: start,
      ends: { "demo-plan-1": ends(PLANS[0]), "demo-plan-2": ends(PLANS[1]) },
    }),
    loaded: LOADED.map(([actor, plan]) => `${actor} ${plan}`).sort(),
  };
  return { model: { state }, real: { scene: newScene() } };
}

describe("the lock", () => {
  it(`does what its model does, whoever acts at once (${SEQUENCES} sequences)`, async () => {
    const sequence = fc.asyncProperty(commands, (round) => fc.asyncModelRun(begin, round));
    await fc.assert(sequence, { numRuns: SEQUENCES });
    expect(await env.DB.prepare("select count(*) as n from device_ticket_locks").first("n")).toBeLessThan(4);
  }, 7_200_000);

  it("goes to the first of two passengers who both have tokens; the second is told", async () => {
    const { real } = await begin();
    const token = (actor: Actor) =>
      act(real.scene, { does: "token", who: actor, tag: "model-tag", told: "nothing" });
    const attach = (actor: Actor, one: Bag) =>
      act(real.scene, { does: "attach", who: actor, tag: "model-tag", bag: one, told: "nothing" });
    const answers = async (...runs: Promise<Observed>[]) =>
      (await Promise.all(runs)).flat().map(({ answer }) => answer);
    expect(await answers(token("ada"), token("mallory"), token("host"))).toEqual(["ok", "ok", "ok"]);
    expect((await answers(attach("ada", 1), attach("mallory", 3))).sort()).toEqual(["device_locked", "ok"]);
    const isAdas = (await look()).locks["model-tag"]?.holder === "ada";
    const [loser, own] = isAdas ? (["mallory", 3] as const) : (["ada", 1] as const);
    expect(await answers(attach(loser, own), token(loser))).toEqual([
      "device_locked",
      "custody_proof_required",
    ]);
  });
});

describe("the model", () => {
  const ends = { "demo-plan-1": DAY * 1_000, "demo-plan-2": DAY * 1_000 };
  const loaded = ["ada demo-plan-1", "mallory demo-plan-2"];
  const free: State = { ...emptyState({ caps: CAPS, now: 0, ends }), loaded };
  const attach = (actor: Actor, one: Bag): Action => ({
    does: "attach",
    who: actor,
    tag: "model-tag",
    bag: one,
  });
  const saidOf = (action: Action, answer: string): Observed => [{ action, answer }];
  const byAda = apply(free, attach("ada", 1)).state;

  it("explains that one of two wins, in either order", () => {
    const both = [saidOf(attach("ada", 1), "ok"), saidOf(attach("mallory", 3), "device_locked")];
    expect(explain(free, both, byAda)).toEqual(byAda);
    expect(explain(free, both.toReversed(), byAda)).toEqual(byAda);
  });

  it.each<[string, readonly Observed[], Left]>([
    ["two winners", [saidOf(attach("ada", 1), "ok"), saidOf(attach("mallory", 3), "ok")], byAda],
    ["a winner without a lock", [saidOf(attach("ada", 1), "ok")], free],
    ["a lock without its audit row", [saidOf(attach("ada", 1), "ok")], { ...byAda, audit: [] }],
    ["an audit row too many", [], { ...free, audit: ["tag_attached model-tag ada"] }],
    ["a lock of another's", [saidOf(attach("eve", 1), "ok")], byAda],
    [
      "a wrong proof that is taken",
      [saidOf({ does: "prove", who: "eve", tag: "model-tag", knows: "nothing" }, "ok")],
      free,
    ],
  ])("does not explain %s", (_, observed, left) => {
    expect(explain(free, observed, left)).toBeUndefined();
  });

  it("does not explain a token given while a proof is due, nor an unlock by nobody's holder", () => {
    const mallory = { who: "mallory", tag: "model-tag" } as const;
    expect(explain(byAda, [saidOf({ does: "token", ...mallory }, "ok")], byAda)).toBeUndefined();
    expect(explain(byAda, [saidOf({ does: "unlock", ...mallory }, "ok")], byAda)).toBeUndefined();
    expect(explain(byAda, [saidOf({ does: "unlock", ...mallory }, "not_lock_holder")], byAda)).toEqual(byAda);
  });

  it("says of each rule that it is broken where it is", () => {
    const lock = { ...byAda.locks["model-tag"], id: 0 } as NonNullable<State["locks"]["model-tag"]>;
    const wrong = (change: object) => {
      const state = { ...byAda, locks: { [TAGS[0]]: { ...lock, ...change } } };
      return broken(state, newScene().tags).map((text) => text.split(": ")[1]?.slice(0, 30));
    };
    expect(wrong({})).toEqual([]);
    expect(wrong({ endsAt: 99 * DAY * 1_000 })).toEqual(["who really wrote keeps it a da"]);
    expect(wrong({ commits: 1 })).toContain("a lock is proven only by a wri");
  });
});
