import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { dailyOrFull } from "../../core/full.test-support.ts";
import {
  CAPS,
  type DriverAction,
  driverOver,
  Fixture,
  type Observed,
  REPORTS,
  type SignedIn,
  signInAll,
} from "../test-support/lock-driver.ts";
import { apply, isHolder, passed, writersOf } from "../test-support/lock-model.ts";
import {
  ACTORS,
  type Action,
  type Actor,
  areSame,
  BAGS,
  type Bag,
  DAY,
  firstState,
  linesOf,
  PLANS,
  type State,
  signs,
  TAGS,
} from "../test-support/lock-state.ts";
import { besideDatabase } from "../test-support/near-database.ts";

/**
 * The lock against its model (rules §5): sequences of rounds, in each of which up to three callers act at once on the real
 * service and its SQLite, some with the tag in their hands. Some order of what they did must explain every answer, every
 * lock, all that is stored of a tag and every audit row. After each round a lock must agree with the commits of the
 * tag. A daily run has 60 sequences, the same each time; a full one more, and others. VITE_SEED repeats those of a seed.
 */
const SEQUENCES = dailyOrFull(60, 10_000);

/** Callers who act at once, in the order in which they go on; or seconds that pass. */
type Step = { readonly doings: readonly DriverAction[]; readonly order: readonly number[] } | number;
const alone = (doing: DriverAction): Step => ({ doings: [doing], order: [] });

/** Mostly two who are after the same tag, and staff; mostly the tag that signs. */
const mostly = fc.constantFrom<Actor>("ada", "mallory", "staff");
const who = fc.oneof({ weight: 2, arbitrary: mostly }, fc.constantFrom(...ACTORS));
const [signing] = TAGS;
const tag = fc.oneof({ weight: 9, arbitrary: fc.constant(signing) }, fc.constantFrom(...TAGS));
const bag = fc.constantFrom<Bag>(...BAGS);
const knows = fc.constantFrom(...PLANS, ...PLANS, "nothing" as const);
const report = fc.constantFrom(...REPORTS, "receipt" as const, "presence" as const);
/** By how often each is done. */
const DOES = [
  ..."attach attach attach attach attach attach write write write write wipe wipe".split(" "),
  ..."unlock unlock token token release release look look lose prove load dismiss appoint".split(" "),
] as DriverAction["kind"][];
const anything = { kind: fc.constantFrom(...DOES), who, tag, bag: fc.constantFrom(undefined, ...BAGS) };
const doing = fc.record({ ...anything, knows, lost: fc.boolean(), report }).map((one): DriverAction => {
  if (one.kind === "appoint") return { ...one, who: "eve" };
  return one.kind === "dismiss" && one.who === "staff" ? { ...one, who: "ada" } : one;
});

/** Seconds: within one connection, past a token's life, past staff's quarter of an hour, a claim's day, a week. */
const pause = fc.constantFrom(1, 150, 901, 86_400, 8 * 86_400);
const bags = { first: bag, second: bag };
const people = fc.record({
  x: who,
  y: who,
  ...bags,
  ends: fc.nat(3),
  again: report,
  last: report,
  knows,
  pause,
});
const onSigning = (name: DriverAction["kind"], actor: Actor, more: Partial<DriverAction>): DriverAction => ({
  ...{ kind: name, who: actor, tag: signing },
  ...more,
});
/** `x` writes the tag, the lock ends or not, `x` comes back with what was, and `y` has the tag in hand. */
const comeback = people.map(({ x, y, first, second, ends, again, last, ...known }) => [
  onSigning("write", x, { bag: first, report: "receipt" }),
  ...[
    onSigning("release", "staff", { report: "presence" }),
    onSigning("prove", y, known),
    onSigning("unlock", x, {}),
  ].slice(ends, ends + 1),
  onSigning("attach", x, { bag: second, report: again }),
  onSigning("token", y, { report: "presence" }),
  onSigning("attach", y, { bag: second, report: last }),
]);
/** `x` writes and reports it more than a week later; `y` has the tag in hand. */
const late = people.map(({ x, y, first, again }) => [
  onSigning("write", x, { bag: first, report: "dies" }),
  (8 * DAY) / 1_000,
  onSigning("attach", x, { bag: first, report: again }),
  onSigning("token", y, { report: "presence" }),
]);
/** `x` attaches, time passes, and `x` goes on. */
const later = people.map(({ x, first, second, again, last, pause: seconds }) => [
  onSigning("attach", x, { bag: first, report: again }),
  seconds,
  onSigning("attach", x, { bag: second, report: last }),
  onSigning("unlock", x, {}),
]);
/** `x` takes every tag there is. */
const greed = people.map(({ x, first, second }) =>
  TAGS.map((one, at): DriverAction => ({ kind: "attach", who: x, tag: one, bag: at === 0 ? first : second })),
);
/** Eve, who has no booking, claims a tag when one booking is past, and `y` asks for it. */
const past = people.map(({ y, again }): (DriverAction | number)[] => [
  (8 * DAY) / 1_000,
  { kind: "attach", who: "eve", tag: "model-tag", bag: 1 },
  { kind: "token", who: y, tag: "model-tag", report: again },
  { kind: "unlock", who: y, tag: "model-tag" },
]);
/** Eve writes as Ada's delegate, is dismissed or not, and comes back; `y` has the tag in hand. */
const delegated = people.map(({ y, first, second, ends, again, last }) => [
  onSigning("appoint", "eve", {}),
  onSigning("write", "eve", { bag: first, report: again }),
  ...[onSigning("dismiss", ends === 0 ? "eve" : "ada", {})].slice(ends > 1 ? 1 : 0),
  onSigning("attach", "eve", { bag: second, report: last }),
  onSigning("unlock", ends === 3 ? "eve" : y, { report: "presence" }),
  onSigning("token", y, { report: "presence" }),
]);
const scenario = fc
  .oneof(comeback, comeback, delegated, delegated, later, later, late, late, greed, past)
  .map((steps) => steps.map((step): Step => (typeof step === "number" ? step : alone(step))));

const atOnce = fc.record({
  doings: fc.array(doing, { minLength: 2, maxLength: 3 }),
  order: fc.array(fc.nat(2), { maxLength: 24, size: "max" }),
});
const part = fc.oneof(scenario, scenario, fc.tuple(doing.map(alone)), fc.tuple(atOnce), fc.tuple(pause));
const steps = fc.array(part, { maxLength: 10, size: "max" }).map((parts) => parts.flat());

/** The state after an order of the concurrent actions that explains all answers and what was found. */
function explain(state: State, observed: readonly Observed[], found: readonly string[]): State | undefined {
  const all = observed.flat();
  const search = (before: State, left: readonly Observed[]): State | undefined => {
    const open = left.filter((actions) => actions.length > 0);
    if (open.length === 0) return areSame(linesOf(before), found) ? before : undefined;
    for (const actions of open) {
      const [first, ...rest] = actions as [Observed[number], ...Observed];
      const others = open.map((one) => (one === actions ? rest : one));
      for (const next of outcomes(before, first)) {
        const after = search(next, others);
        if (after !== undefined) return after;
      }
    }
    return undefined;
  };
  const outcomes = (before: State, { action, answer }: Observed[number]): readonly State[] => {
    const step = apply(before, action);
    // A proof does not remove a lock that came after the one it was compared with.
    const mayHaveGone =
      action.kind === "prove" &&
      answer === "custody_proof_invalid" &&
      all.some(
        ({ action: one }) => one !== action && one.tag === action.tag && !["look", "lose"].includes(one.kind),
      );
    return [...(step.answer === answer ? [step.state] : []), ...(mayHaveGone ? [before] : [])];
  };
  return search(state, observed);
}

/** The evidence of a lock, compared with the commits of the tag (rules §5). */
function broken(state: State, fixture: Fixture): readonly string[] {
  return TAGS.flatMap((one) => {
    const lock = state.locks[one];
    if (lock === undefined) return [];
    const writers = writersOf(state, lock);
    const last = fixture.statementOf(one);
    const isOfPeople = last.by !== null && (writers.includes(last.by) || lock.commits === last.commits);
    const isWritten = isOfPeople && last.operation === "write" && last.cti * 1_000 >= lock.lockedAt - 7 * DAY;
    const inHand = { tag: one, statement: fixture.statementOf(one, true) };
    const frees = (actor: Actor) => {
      const looked = apply(state, { kind: "look", who: actor, tag: one }).state;
      return apply(looked, { kind: "token", who: actor, ...inHand }).answer === "ok";
    };
    const keeps = ACTORS.some((actor) => !isHolder(state, lock, actor) && !frees(actor));
    const proof = fixture.commits[one]?.[(lock.commits ?? 0) - 1];
    // Eve may have been a writer when it was proven.
    const isProof = proof?.operation === "write" && [...writers, "eve"].includes(proof.by);
    return [
      ...(signs(one) && !isWritten && keeps ? [`${one}: live, although none of its people wrote it`] : []),
      ...(lock.commits !== null && !isProof ? [`${one}: proven by another's write`] : []),
    ];
  });
}

let signedIn: SignedIn;
beforeAll(async () => {
  signedIn = await signInAll();
});

it(`the lock does what its model does, with concurrent callers (${SEQUENCES} sequences)`, async () => {
  await besideDatabase(async (database) => {
    const driver = driverOver(database, signedIn);
    const sequence = fc.asyncProperty(steps, async (all) => {
      let state = await driver.begin();
      const fixture = new Fixture();
      for (const step of all) {
        if (typeof step === "number") {
          driver.advance(step);
          state = passed(state, driver.now());
        }
        const observed = typeof step === "number" ? [] : await driver.act(fixture, step.doings, step.order);
        const found = await driver.lines();
        const after = explain(state, observed, found);
        if (after === undefined)
          throw new Error(`no order explains ${JSON.stringify({ before: state, observed, found }, null, 1)}`);
        expect(broken(after, fixture), JSON.stringify(after)).toEqual([]);
        state = after;
      }
    });
    await fc.assert(sequence, { numRuns: SEQUENCES });
  });
}, 7_200_000);

it("explains no lock without its winner, nor the other way round", () => {
  const loaded = { "ada demo-plan-1": "known", "mallory demo-plan-2": "known" } as const;
  const free = { ...firstState(CAPS, 0, { "demo-plan-1": DAY, "demo-plan-2": DAY }), loaded };
  const attach = (who: Actor, one: Bag): Action => ({ kind: "attach", who, tag: "model-tag", bag: one });
  const said = (action: Action, answer = "ok"): Observed => [{ action, answer }];
  const ada = said(attach("ada", 1));
  const after = explain(free, [ada], linesOf(apply(free, attach("ada", 1)).state));
  expect(after?.locks).toMatchObject({ "model-tag": { holder: "ada" } });
  const lines = linesOf(after as State);
  const refused = said(attach("mallory", 3), "device_locked");
  expect(explain(free, [ada, refused], lines)).toEqual(explain(free, [refused, ada], lines));
  for (const another of [said(attach("mallory", 3)), said(attach("eve", 1))])
    expect(explain(free, [ada, another], lines)).toBeUndefined();
  for (const missing of [linesOf(free), linesOf({ ...(after as State), audit: [] })])
    expect(explain(free, [ada], missing)).toBeUndefined();
});
