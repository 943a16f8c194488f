import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { type Doing, newScene, type Scene, TOLD } from "../test-support/lock-driver.ts";
import { explain, type Left, type Observed } from "../test-support/lock-explain.ts";
import { apply, passed } from "../test-support/lock-model.ts";
import { broken } from "../test-support/lock-properties.ts";
import { CAPS, type Cast, meet, type Stage, stageOn } from "../test-support/lock-stage.ts";
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
import { besideDatabase } from "../test-support/near-database.ts";

/**
 * The lock against its model (rules §5): sequences of rounds, in each of which up to three callers act at once on
 * the real service and its real D1, some with the tag in their hands. Some order of what they did must explain every
 * answer, every lock, all that is kept of a tag, every loaded booking and every audit row; and after each round
 * nobody is kept from a tag longer than the rules say. By day 60 sequences, the same each time; by night more,
 * and others (VITE_SEQUENCES, VITE_NIGHT). VITE_SEED repeats those of a seed.
 */
const SEQUENCES = Number(import.meta.env.VITE_SEQUENCES ?? 60);

const DAY = 86_400;
/** Seconds: within one connection, past a token's life, past staff's quarter of an hour, a claim's day, a week. */
const PAUSES = [1, 150, 901, DAY, 8 * DAY] as const;

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
  {
    weight: 1,
    arbitrary: fc.record({ does: does("dismiss"), who: fc.constantFrom("ada", "eve", "mallory") }),
  },
  { weight: 1, arbitrary: fc.constant<Doing>({ does: "appoint", who: "eve" }) },
);

interface Real {
  readonly stage: Stage;
  readonly scene: Scene;
}
/** fast-check changes its model in place. */
interface Model {
  state: State;
}

/** Several callers at once. */
class Round implements fc.AsyncCommand<Model, Real> {
  readonly doings: readonly Doing[];
  readonly order: readonly number[];
  constructor(doings: readonly Doing[], order: readonly number[] = []) {
    this.doings = doings;
    this.order = order;
  }
  check = () => true;
  async run(model: Model, { stage, scene }: Real): Promise<void> {
    const observed = await stage.act(scene, this.doings, this.order);
    const left = await stage.look();
    const after = explain(model.state, observed, left);
    if (after === undefined) {
      throw new Error(
        `no order explains ${JSON.stringify({ before: model.state, observed, left }, null, 1)}`,
      );
    }
    expect(broken(after, scene.tags), JSON.stringify(after)).toEqual([]);
    model.state = after;
  }
  toString = () => `at once (${this.order}): ${this.doings.map((one) => JSON.stringify(one)).join(" ")}`;
}

/** Time passes, and with it claims, locks and bookings; nobody sweeps. */
class Pause implements fc.AsyncCommand<Model, Real> {
  readonly seconds: number;
  constructor(seconds: number) {
    this.seconds = seconds;
  }
  check = () => true;
  async run(model: Model, { stage, scene }: Real): Promise<void> {
    stage.advance(this.seconds);
    model.state = passed(model.state, stage.now());
    expect(explain(model.state, [], await stage.look()), "what is over").toBeDefined();
    expect(broken(model.state, scene.tags)).toEqual([]);
  }
  toString = () => `${this.seconds} s pass`;
}

/** What happens one after the other: what somebody does, or seconds that pass. Chance alone tells it too seldom. */
class Story implements fc.AsyncCommand<Model, Real> {
  readonly steps: readonly (Doing | number)[];
  constructor(steps: readonly (Doing | number)[]) {
    this.steps = steps;
  }
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    for (const step of this.steps)
      await (typeof step === "number" ? new Pause(step) : new Round([step])).run(model, real);
  }
  toString = () => `one by one: ${this.steps.map((one) => JSON.stringify(one)).join(" ")}`;
}

const people = fc.record({
  x: who,
  y: who,
  bags: fc.tuple(bag, bag),
  ends: fc.nat({ max: 3 }),
  told,
  last: told,
  knows,
});
const [signing] = TAGS;

/** `x` writes the tag that signs, the lock ends or not, `x` comes back with what was, and `y` has the tag in hand. */
const comeback = people.map(({ x, y, bags: [first, second], ends, told: again, last, knows: known }) => {
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

/** `x` writes and tells of it more than a week later; `y` has the tag in hand. */
const late = people.map(
  ({ x, y, bags: [first], told: again }) =>
    new Story([
      { does: "write", who: x, tag: signing, bag: first, after: "dies" },
      8 * DAY,
      { does: "attach", who: x, tag: signing, bag: first, told: again },
      { does: "token", who: y, tag: signing, told: "presence" },
    ]),
);

/** `x` takes every tag there is. */
const greed = people.map(
  ({ x, bags: [first, second] }) =>
    new Story(
      TAGS.map((one, at) => ({
        does: "attach",
        who: x,
        tag: one,
        bag: at === 0 ? first : second,
        told: "nothing",
      })),
    ),
);

/** Eve, who has no booking, claims a tag when one booking is past, and `y` asks for it. */
const past = people.map(
  ({ y, told: again }) =>
    new Story([
      8 * DAY,
      { does: "attach", who: "eve", tag: "model-tag", bag: 1, told: "nothing" },
      { does: "token", who: y, tag: "model-tag", told: again },
      { does: "unlock", who: y, tag: "model-tag", told: "nothing" },
    ]),
);

/** Eve writes as Ada's delegate, is dismissed or not, and comes back with what she has; `y` has the tag in hand. */
const delegated = people.map(({ y, bags: [first, second], ends, told: again, last }) => {
  const dismissed: readonly Doing[] = [{ does: "dismiss", who: ends === 0 ? "eve" : "ada" }];
  return new Story([
    { does: "appoint", who: "eve" },
    { does: "write", who: "eve", tag: signing, bag: first, after: again },
    ...dismissed.slice(0, ends),
    { does: "attach", who: "eve", tag: signing, bag: second, told: last },
    { does: "unlock", who: ends === 3 ? "eve" : y, tag: signing, told: "presence" },
    { does: "token", who: y, tag: signing, told: "presence" },
  ]);
});

const story = fc.oneof({ weight: 3, arbitrary: comeback }, late, greed, past, delegated);

const commands = fc.commands(
  [
    story,
    doing.map((one) => new Round([one])),
    fc
      .tuple(
        fc.array(doing, { minLength: 2, maxLength: 3 }),
        fc.array(fc.nat({ max: 2 }), { maxLength: 24, size: "max" }),
      )
      .map(([doings, order]) => new Round(doings, order)),
    fc.constantFrom(...PAUSES).map((seconds) => new Pause(seconds)),
  ],
  { maxCommands: 10, size: "max" },
);

let cast: Cast;

beforeAll(async () => {
  cast = await meet();
});

describe("the lock", () => {
  it(`does what its model does, whoever acts at once (${SEQUENCES} sequences)`, async () => {
    await besideDatabase(async (database) => {
      const stage = stageOn(database, cast);
      const begin = async () => {
        const { state, scene } = await stage.begin();
        return { model: { state }, real: { stage, scene } };
      };
      const sequence = fc.asyncProperty(commands, (round) => fc.asyncModelRun(begin, round));
      await fc.assert(sequence, { numRuns: SEQUENCES });
    });
  }, 7_200_000);

  it("goes to the first of two passengers who both have tokens, over D1 itself; the second is told", async () => {
    const stage = stageOn(env.DB, cast);
    const { scene } = await stage.begin();
    const token = (who: Actor): Doing => ({ does: "token", who, tag: "model-tag", told: "nothing" });
    const attach = (who: Actor, one: Bag): Doing => ({
      ...{ does: "attach", who, tag: "model-tag", bag: one, told: "nothing" },
    });
    const answers = async (...doings: Doing[]) =>
      (await stage.act(scene, doings, [])).flat().map(({ answer }) => answer);
    expect(await answers(token("ada"), token("mallory"), token("host"))).toEqual(["ok", "ok", "ok"]);
    expect((await answers(attach("ada", 1), attach("mallory", 3))).sort()).toEqual(["device_locked", "ok"]);
    const isAdas = (await stage.look()).locks["model-tag"]?.holder === "ada";
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
    ["an audit row too many", [], { ...free, audit: ["attached model-tag ada"] }],
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

  it("explains a right proof that is refused because the lock goes meanwhile, not beside a look or a refusal", () => {
    const ofTag = { tag: "model-tag" } as const;
    const proof = saidOf(
      { does: "prove", who: "eve", ...ofTag, knows: "demo-plan-1" },
      "custody_proof_invalid",
    );
    const unlock: Action = { does: "unlock", who: "ada", ...ofTag };
    const gone = apply(byAda, unlock).state;
    expect(explain(byAda, [proof, saidOf(unlock, "ok")], gone)).toEqual(gone);
    for (const beside of [
      saidOf({ does: "look", who: "ada", ...ofTag }, "ok"),
      saidOf(unlock, "any refusal"),
    ])
      expect(explain(byAda, [proof, beside], byAda)).toBeUndefined();
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
