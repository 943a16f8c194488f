import fc from "fast-check";
import { beforeAll, it } from "vitest";
import { dailyOrFull } from "../../core/full.test-support.ts";
import {
  areSame,
  type DriverAction,
  driverOver,
  Fixture,
  linesOf,
  type Observed,
  REPORTS,
  type SignedIn,
  signInAll,
} from "../test-support/lock-driver.ts";
import {
  ACTORS,
  type Actor,
  apply,
  BAGS,
  type Bag,
  DAY,
  PLANS,
  passed,
  type State,
  TAGS,
} from "../test-support/lock-model.ts";
import { besideDatabase } from "../test-support/near-database.ts";

/**
 * The lock against its model (rules §5): sequences of rounds, in each of which up to three callers act at once on the real
 * service and its SQLite, some with the tag in their hands. Some order of what they did must explain every answer, every
 * lock, all that is stored of a tag and every audit row. A daily run has 60 sequences, the same each time; a full one more, and others. VITE_SEED repeats those of a seed.
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
  ..."unlock unlock token token release release look look lose prove load".split(" "),
] as DriverAction["kind"][];
const anything = { kind: fc.constantFrom(...DOES), who, tag, bag: fc.constantFrom(undefined, ...BAGS) };
const doing: fc.Arbitrary<DriverAction> = fc.record({ ...anything, knows, lost: fc.boolean(), report });

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
/** Eve, who has no booking, claims a tag when one booking is past, and `y` asks for it. */
const past = people.map(({ y, again }): (DriverAction | number)[] => [
  (8 * DAY) / 1_000,
  { kind: "attach", who: "eve", tag: "model-tag", bag: 1 },
  { kind: "token", who: y, tag: "model-tag", report: again },
  { kind: "unlock", who: y, tag: "model-tag" },
]);
const scenario = fc
  .oneof(comeback, comeback, later, later, late, late, past)
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
        state = after;
      }
    });
    await fc.assert(sequence, { numRuns: SEQUENCES });
  });
}, 7_200_000);
