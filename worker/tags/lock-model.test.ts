import { env } from "cloudflare:workers";
import { eq, inArray } from "drizzle-orm";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { encodePayload, payloadDigest } from "../../core/bag/payload.ts";
import { clearPayload } from "../../core/bag/ticket-payload.ts";
import { toBase64Url } from "../../core/encoding/bytes.ts";
import { auditLog, deviceTicketLocks, loadedPlans, sessions, travelPlans } from "../../db/schema.ts";
import { bareApp } from "../test-support/bare-app.ts";
import { subOf } from "../test-support/bookings.ts";
import { startWithCleanTags } from "../test-support/clean-tags.ts";
import {
  ACTORS,
  type Action,
  type Actor,
  apply,
  BAGS,
  type Bag,
  expired,
  explain,
  type Observed,
  PLANS,
  type Plan,
  type State,
  TAGS,
  type Tag,
} from "../test-support/lock-model.ts";
import { lookAt, requestOf } from "../test-support/lock-world.ts";
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
 * the real service and its real D1. Some order of what they did must explain every answer, every lock, every loaded
 * booking and every audit row. More sequences by night: VITE_SEQUENCES.
 */
const SEQUENCES = Number(import.meta.env.VITE_SEQUENCES ?? 100);

/** Bookings end an hour after one another; a pause is a bit less. */
const HOUR = 3_600;
const PAUSE = 2_000;

/** What a caller does in one round: an action, or the clear flow, which is a token and then an unlock. */
type Doing = Action | { readonly does: "clear"; readonly who: Actor; readonly tag: Tag };

const who = fc.constantFrom(...ACTORS);
const tag = fc.constantFrom(...TAGS);
const knows = fc.constantFrom<Plan | "nothing">(...PLANS, ...PLANS, "nothing");
const doing: fc.Arbitrary<Doing> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ does: fc.constant("attach" as const), who, tag, bag: fc.constantFrom(...BAGS) }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant("prove" as const), who, tag, knows }) },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constantFrom("unlock" as const, "token" as const), who, tag }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant("release" as const),
      who: fc.constantFrom("staff" as const, "ada" as const),
      tag,
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("lose" as const), who, tag, lost: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("clear" as const), who, tag }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("load" as const), who, knows }) },
);

interface Real {
  readonly service: TestService;
  readonly act: (doing: Doing) => Promise<Observed>;
  /** What there is, with the audit rows of this sequence. */
  readonly look: () => Promise<State>;
}
/** fast-check changes its model in place. */
interface Model {
  state: State;
  /** Seconds since the sequence began. */
  elapsed: number;
}

/** Several callers at once. */
class Round implements fc.AsyncCommand<Model, Real> {
  readonly doings: readonly Doing[];
  constructor(doings: readonly Doing[]) {
    this.doings = doings;
  }
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    const observed = await Promise.all(this.doings.map(real.act));
    const left = await real.look();
    const after = explain(model.state, observed, left);
    if (after === undefined) {
      throw new Error(
        `no order explains ${JSON.stringify({ before: model.state, observed, left }, null, 1)}`,
      );
    }
    model.state = after;
  }
  toString = () => `at once: ${this.doings.map((one) => JSON.stringify(one)).join(" ")}`;
}

/** Time passes, and with it bookings and their locks. */
class Pause implements fc.AsyncCommand<Model, Real> {
  check = () => true;
  async run(model: Model, { service, look }: Real): Promise<void> {
    service.advance(PAUSE);
    model.elapsed += PAUSE;
    model.state = expired(
      model.state,
      PLANS.filter((_, i) => model.elapsed >= (i + 1) * HOUR),
    );
    expect(explain(model.state, [], await look()), "the locks of bookings that are past").toBeDefined();
  }
  toString = () => "pause";
}

const commands = fc.commands(
  [
    fc.array(doing, { minLength: 1, maxLength: 3 }).map((doings) => new Round(doings)),
    fc.array(doing, { minLength: 2, maxLength: 3 }).map((doings) => new Round(doings)),
    fc.constant(new Pause()),
  ],
  { maxCommands: 8 },
);

let service: TestService;
let people: Readonly<Record<Actor, TestSession>>;
let actors: ReadonlyMap<string, Actor>;
beforeAll(async () => {
  const endless = "2e9";
  service = await startWithCleanTags({
    ACCESS_TOKEN_SECONDS: endless,
    REFRESH_TOKEN_SECONDS: endless,
    REFRESH_FAMILY_SECONDS: endless,
    GUESSES_PER_DEVICE_UNVOUCHED: endless,
    GUESSES_PER_DEVICE_VOUCHED: endless,
    GUESSES_PER_LOCATOR_UNVOUCHED: endless,
    GUESSES_PER_LOCATOR_VOUCHED: endless,
    GUESSES_PER_DEVICE_STAFF: endless,
    GUESSES_PER_LOCATOR_STAFF: endless,
  });
  const found: [string, Actor][] = [];
  const meet = async (actor: Actor, login: Promise<TestSession>) => {
    const session = await login;
    found.push([subOf(session), actor]);
    return session;
  };
  people = {
    ada: await meet("ada", guestSession(service)),
    eve: await meet("eve", guestSession(service)),
    attested: await meet("attested", attestedSession(service)),
    host: await meet("host", federatedSession(service, { clientKey: PARTNER_KEY })),
    staff: await meet("staff", staffSession(service)),
  };
  actors = new Map(found);
  expect(await service.db.$count(sessions, inArray(sessions.sub, [...actors.keys()]))).toBe(ACTORS.length);
});

/** Nothing locked, nothing loaded, bookings that end an hour after one another. */
async function begin(): Promise<{ model: Model; real: Real }> {
  const { db } = service;
  const ends = PLANS.map((plan, i) =>
    db
      .update(travelPlans)
      .set({ endsAt: service.now() + (i + 1) * HOUR * 1_000 })
      .where(eq(travelPlans.id, plan)),
  );
  await db.batch([
    db.delete(deviceTicketLocks),
    db.delete(loadedPlans),
    db.delete(auditLog).where(inArray(auditLog.deviceId, [...TAGS])),
    ...ends,
  ]);
  const call = bareApp(service);
  const act = async (one: Doing): Promise<Observed> => {
    if (one.does !== "clear")
      return [{ action: one, answer: await call(people[one.who], ...requestOf(one)) }];
    const { who: actor, tag: uniqueDeviceId } = one;
    const digest = toBase64Url(await payloadDigest(encodePayload(clearPayload())));
    const body = { uniqueDeviceId, nonce: "n", operation: "clear", payloadDigest: digest };
    const token = await call(people[actor], "ebtAuthorization", body);
    const first = { action: { ...one, does: "token" as const }, answer: token };
    if (token !== "ok") return [first];
    const answer = await call(people[actor], "ebtUnlock", { uniqueDeviceId });
    return [first, { action: { ...one, does: "unlock" as const }, answer }];
  };
  const state: State = { locks: {}, loaded: [], live: [...PLANS], audit: [] };
  return { model: { state, elapsed: 0 }, real: { service, act, look } };
}

const look = () => lookAt(service, actors);

describe("the lock", () => {
  it(`does what its model does, whoever acts at once (${SEQUENCES} sequences)`, async () => {
    const sequence = fc.asyncProperty(commands, (round) => fc.asyncModelRun(begin, round));
    await fc.assert(sequence, { numRuns: SEQUENCES });
    expect(await env.DB.prepare("select count(*) as n from device_ticket_locks").first("n")).toBeLessThan(3);
  }, 7_200_000);

  it("goes to the first of two passengers who both have tokens; the second is told", async () => {
    const { real } = await begin();
    const token = (actor: Actor) => real.act({ does: "token", who: actor, tag: "model-tag" });
    const attach = (actor: Actor, bag: Bag) =>
      real.act({ does: "attach", who: actor, tag: "model-tag", bag });
    const answers = async (...runs: Promise<Observed>[]) =>
      (await Promise.all(runs)).flat().map(({ answer }) => answer);
    expect(await answers(token("ada"), token("eve"), token("attested"))).toEqual(["ok", "ok", "ok"]);
    expect((await answers(attach("ada", 1), attach("eve", 3))).sort()).toEqual(["device_locked", "ok"]);
    const [loser] =
      (await look()).locks["model-tag"]?.holder === "ada" ? (["eve", "ada"] as const) : (["ada"] as const);
    expect(await answers(attach(loser, 2), token(loser))).toEqual([
      "device_locked",
      "custody_proof_required",
    ]);
  });
});

describe("the model", () => {
  const free: State = { locks: {}, loaded: [], live: [...PLANS], audit: [] };
  const attach = (actor: Actor, bag: Bag): Action => ({ does: "attach", who: actor, tag: "model-tag", bag });
  const said = (action: Action, answer: string): Observed => [{ action, answer }];
  const byAda = apply(free, attach("ada", 1)).state;

  it("explains that one of two wins, in either order", () => {
    const both = [said(attach("ada", 1), "ok"), said(attach("eve", 3), "device_locked")];
    expect(explain(free, both, byAda)).toEqual(byAda);
    expect(explain(free, both.toReversed(), byAda)).toEqual(byAda);
  });

  it.each<[string, readonly Observed[], State]>([
    ["two winners", [said(attach("ada", 1), "ok"), said(attach("eve", 3), "ok")], byAda],
    ["a winner without a lock", [said(attach("ada", 1), "ok")], free],
    ["a lock without its audit row", [said(attach("ada", 1), "ok")], { ...byAda, audit: [] }],
    ["an audit row too many", [], { ...free, audit: ["tag_attached model-tag ada"] }],
    ["a token while a proof is due", [], { ...byAda, locks: {} }],
    [
      "a wrong proof that is taken",
      [said({ does: "prove", who: "eve", tag: "model-tag", knows: "nothing" }, "ok")],
      free,
    ],
  ])("does not explain %s", (_, observed, left) => {
    expect(explain(left === free ? free : { ...free }, observed, left)).toBeUndefined();
  });

  it("does not explain a token given while a proof is due, nor an unlock by nobody's holder", () => {
    const eve = { who: "eve", tag: "model-tag" } as const;
    expect(explain(byAda, [said({ does: "token", ...eve }, "ok")], byAda)).toBeUndefined();
    expect(explain(byAda, [said({ does: "unlock", ...eve }, "ok")], byAda)).toBeUndefined();
    expect(explain(byAda, [said({ does: "unlock", ...eve }, "not_lock_holder")], byAda)).toEqual(byAda);
  });
});
