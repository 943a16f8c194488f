/** The people, tags and bookings of the lock's model, what they do, and what there is at one moment (rules §5). */

/** The owner, a companion, a stranger without a booking, a squatter with one of their own; then who is vouched for. */
export const PASSENGERS = ["ada", "bob", "eve", "mallory", "attested", "host"] as const;
export const ACTORS = [...PASSENGERS, "staff"] as const;
export type Actor = (typeof ACTORS)[number];
export const TAGS = ["ebt-21-0001", "model-tag", "ebt-20-0006"] as const;
export type Tag = (typeof TAGS)[number];
export const BAGS = [1, 2, 3] as const;
export type Bag = (typeof BAGS)[number];
/** Bookings of the development data; the third has no bag here. */
export const PLANS = ["demo-plan-1", "demo-plan-2"] as const;
export type Plan = (typeof PLANS)[number];

export const DAY = 86_400_000;
export const PLAN_OF: Readonly<Record<Bag, Plan>> = { 1: "demo-plan-1", 2: "demo-plan-1", 3: "demo-plan-2" };
export const BAGS_OF: Readonly<Record<Plan, number>> = { "demo-plan-1": 2, "demo-plan-2": 1 };
/** Who may become the delegate of whom, for which booking. */
export const DELEGATE = { who: "eve", by: "ada", plan: "demo-plan-1" } as const;
/** The bookings of whose airlines somebody is vouched for. */
export const VOUCHED: Readonly<Partial<Record<Actor, readonly Plan[]>>> = {
  ...{ attested: PLANS, host: ["demo-plan-1"], staff: ["demo-plan-1"] },
};
/** The first tag signs what it says, and the service has its key. */
export const signs = (tag: Tag) => tag === TAGS[0];

/** What the tag says: who asked for its last commit, and when; nobody where it was never written. */
export interface Statement {
  readonly by: Actor | null;
  readonly cti: number;
  readonly operation: "write" | "clear";
  readonly commits: number;
  /** Who was given the challenge for which lock; `seen`: the one of the caller's last look. */
  readonly challenge?: Challenge | "seen";
}
export interface Challenge {
  readonly who: Actor;
  readonly tag: Tag;
  readonly lock: number;
  readonly slot: number;
}

export interface OfTag {
  readonly who: Actor;
  readonly tag: Tag;
}
export interface Telling extends OfTag {
  readonly statement?: Statement;
  /** The iat of the caller's own token that the tag took. */
  readonly cti?: number;
  readonly forBag?: Bag | undefined;
}
export type Action =
  | ({ readonly does: "attach"; readonly bag: Bag } & Telling)
  /** `knows`: the booking whose locator and surname are given. */
  | ({ readonly does: "prove"; readonly knows: Plan | "nothing" } & OfTag)
  | ({ readonly does: "unlock" } & Telling)
  | ({ readonly does: "release" } & Telling)
  | ({ readonly does: "token" } & Telling)
  | ({ readonly does: "look"; readonly forBag?: Bag | undefined } & OfTag)
  | ({ readonly does: "lose"; readonly lost: boolean } & OfTag)
  | { readonly does: "load"; readonly who: Actor; readonly knows: Plan | "nothing" }
  /** Eve confirms that she is Ada's delegate; somebody ends it. */
  | { readonly does: "appoint" | "dismiss"; readonly who: Actor };

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
/** What is kept of a tag, whatever becomes of its locks. */
export interface Device {
  readonly heard: number | null;
  readonly spent: number;
  readonly end: End | null;
}
/** A clear that found no lock. */
export interface Clear {
  readonly plan: Plan | null;
  readonly cti: number;
  readonly at: number;
}
/** Caps, small enough to be met. */
export interface Caps {
  readonly locks: number;
  readonly claims: number;
  readonly perBag: number;
}

/** What there is at one moment. Locks past their end are not. */
export interface State {
  readonly caps: Caps;
  readonly now: number;
  /** Ends of the bookings. */
  readonly ends: Readonly<Record<Plan, number>>;
  readonly locks: Readonly<Partial<Record<Tag, Lock>>>;
  readonly devices: Readonly<Partial<Record<Tag, Device>>>;
  /** By `tag actor`. */
  readonly clears: Readonly<Record<string, Clear>>;
  /** `actor plan`, sorted. */
  readonly loaded: readonly string[];
  /** Eve's, of Ada's booking. */
  readonly delegation: "waiting" | "active" | "gone";
  /** Whether Eve has loaded that booking by it, and not by knowing it. */
  readonly isGiven: boolean;
  /** By `actor tag`: the challenge that was given last. */
  readonly challenges: Readonly<Record<string, Challenge | undefined>>;
  /** `event tag actor`, in no particular order. */
  readonly audit: readonly string[];
  readonly serial: number;
}

export const emptyState = (given: Pick<State, "caps" | "now" | "ends">): State => ({
  ...{
    locks: {},
    devices: {},
    clears: {},
    delegation: "gone" as const,
    isGiven: false,
    loaded: [],
    challenges: {},
    audit: [],
    serial: 0,
  },
  ...given,
});

/** What a look shows. */
export interface Seen {
  readonly locked: boolean;
  readonly sameTravelPlan: boolean;
  readonly requiresCustodyProof: boolean;
  readonly lost?: true;
  readonly challenged?: true;
  readonly ended?: string;
}

export interface Step {
  readonly state: State;
  readonly answer: string;
}
