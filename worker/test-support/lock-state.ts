/** The people, tags and bookings of the lock's model, what they do, and what there is at one moment (rules §5). */

/** The owner, a companion, a stranger, a squatter with a booking of their own; then two who are vouched for, and staff. */
export const ACTORS = ["ada", "bob", "eve", "mallory", "attested", "host", "staff"] as const;
export type Actor = (typeof ACTORS)[number];
export const TAGS = ["ebt-21-0001", "model-tag", "ebt-20-0006"] as const;
export type Tag = (typeof TAGS)[number];
export const BAGS = [1, 2, 3] as const;
export type Bag = (typeof BAGS)[number];
export const PLANS = ["demo-plan-1", "demo-plan-2"] as const;
export type Plan = (typeof PLANS)[number];

export const DAY = 86_400_000;
export const planOf = (bag: Bag): Plan => (bag === 3 ? "demo-plan-2" : "demo-plan-1");
export const BAGS_OF: Readonly<Record<Plan, number>> = { "demo-plan-1": 2, "demo-plan-2": 1 };
/** Eve may become Ada's delegate. */
export const DELEGATE = { who: "eve", by: "ada", plan: "demo-plan-1" } as const;
export const GIVEN = `${DELEGATE.who} ${DELEGATE.plan}`;
/** The bookings of the airlines for which the actor is vouched. */
export const vouchedPlans = (who: Actor): readonly Plan[] =>
  who === "attested" ? PLANS : who === "host" || who === "staff" ? ["demo-plan-1"] : [];
/** The first tag signs, and the service has its key. */
export const signs = (tag: Tag) => tag === TAGS[0];

/** The tag's statement: who asked for its last commit, and when; null where it was never written. */
export interface Statement {
  readonly by: Actor | null;
  readonly cti: number;
  readonly operation: "write" | "clear";
  readonly commits: number;
  /** Over the challenge of its sender's last look. */
  readonly isPresence: boolean;
}
type LockAct = "attach" | "unlock" | "release" | "token" | "look" | "prove" | "lose";
export interface Action {
  readonly kind: LockAct | "load" | "appoint" | "dismiss";
  readonly who: Actor;
  readonly tag: Tag;
  /** The bag to attach, or for which the tag is wanted. */
  readonly bag?: Bag | undefined;
  /** The booking whose locator and surname are given. */
  readonly knows?: Plan | "nothing";
  readonly lost?: boolean;
  readonly statement?: Statement;
  /** The iat of the caller's own token that the tag took. */
  readonly cti?: number;
}

export interface Lock {
  readonly plan: Plan;
  readonly bag: Bag;
  readonly entitled: boolean;
  readonly holder: Actor;
  readonly writer: Actor;
  readonly commits: number | null;
  readonly cti: number | null;
  readonly lost: boolean;
  readonly lockedAt: number;
  readonly endsAt: number;
  /** Which writing of a lock it is. */
  readonly id: number;
}
export interface End {
  readonly holder: Actor;
  readonly plan: Plan;
  readonly reason: string;
  readonly at: number;
  readonly cti: number | null;
}
/** A tag, whatever becomes of its locks. */
export interface Device {
  readonly commits: number | null;
  readonly spent: number;
  readonly end: End | null;
}
/** A clear that found no lock. */
export interface Clear {
  readonly plan: Plan | null;
  readonly cti: number;
  readonly at: number;
}

/** What there is at one moment. Locks past their end are not. */
export interface State {
  readonly caps: { readonly locks: number; readonly claims: number; readonly perBag: number };
  now: number;
  readonly ends: Readonly<Record<Plan, number>>;
  locks: Partial<Record<Tag, Lock>>;
  readonly devices: Record<Tag, Device>;
  /** By `tag actor`. */
  clears: Record<string, Clear>;
  /** By `actor plan`: known, or given by the delegation. */
  readonly loaded: Record<string, "known" | "given">;
  delegation: "waiting" | "active" | "gone";
  /** By `actor tag`: the lock whose challenge was shown last. */
  readonly challenges: Record<string, number | undefined>;
  /** `event tag actor`, in no particular order. */
  readonly audit: string[];
  serial: number;
}

const FREE: Device = { commits: null, spent: 0, end: null };
export const firstState = (caps: State["caps"], now: number, ends: State["ends"]): State => ({
  ...{ caps, now, ends, locks: {}, clears: {}, loaded: {}, delegation: "gone" },
  ...{ challenges: {}, audit: [], serial: 0 },
  devices: { [TAGS[0]]: FREE, [TAGS[1]]: FREE, [TAGS[2]]: FREE },
});

export const isLivePlan = ({ ends, now }: State, plan: Plan) => ends[plan] > now;

const hex = (cti: number | null) => cti?.toString(16).padStart(8, "0");
/** A line for each row that the service has in this state, without times but the tokens'. */
export function linesOf(state: State): readonly string[] {
  const lockLine = (tag: string, { plan, bag, entitled, holder, writer, commits, cti, lost }: Lock) => [
    ...["lock", tag, plan, bag, Number(entitled), holder, writer, commits, hex(cti), Number(lost)],
  ];
  const endOf = ({ end }: Device) =>
    end && isLivePlan(state, end.plan) ? [end.holder, end.plan, end.reason, hex(end.cti)] : null;
  const lines = [
    ...Object.entries(state.locks).map(([tag, lock]) => lockLine(tag, lock)),
    ...Object.entries(state.devices).map(([tag, one]) => ["tag", tag, one.commits, one.spent, endOf(one)]),
    ...Object.entries(state.clears).map(([key, one]) => ["clear", ...key.split(" "), one.plan, hex(one.cti)]),
    ...Object.keys(state.loaded).map((key) => ["loaded", ...key.split(" ")]),
    ...state.audit.map((row) => ["audit", ...row.split(" ")]),
  ];
  return lines.map((line) => JSON.stringify(line));
}
/** Whether they say the same, in any order; a tag of which nothing is known may have no row. */
export function areSame(own: readonly string[], found: readonly string[]): boolean {
  const [a, b] = [own, found].map((lines) =>
    lines.filter((line) => !/^\["tag",[^,]*,null,0,null\]$/.test(line)),
  );
  return JSON.stringify(a?.toSorted()) === JSON.stringify(b?.toSorted());
}
