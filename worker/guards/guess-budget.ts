import type { Limits } from "../../core/api/index.ts";
import type { Evidence } from "../../db/schema.ts";
import type { Principal, RequestContext } from "../context.ts";
import { type Budget, type Counted, HOUR } from "./counters.ts";

/**
 * The one budget for guessing at bookings (rules §2): custody proofs and journey look-ups draw on the same
 * counters, which are raised before anything is answered, and alike for what exists and what does not.
 */

/**
 * Groups of callers. Each has counters of its own, so none can spend another's. A passkey has no issuer that vouches for
 * it: software can make any number of them.
 */
type Group = "unvouched" | "vouched" | "staff";

const GROUP_OF: Readonly<Record<Evidence, Group>> = {
  none: "unvouched",
  webauthn: "unvouched",
  federated: "vouched",
  "apple-appattest": "vouched",
  "play-integrity": "vouched",
  demo: "vouched",
  b2b: "staff",
};

/** The caps of each group; what a row does not name is not counted. */
const CAPS: Readonly<Record<Group, Caps>> = {
  unvouched: {
    device: "guessesPerDeviceUnvouched",
    locator: "guessesPerLocatorUnvouched",
    subject: "guessesPerSubjectPerHour",
    network: "guessesPerNetworkUnvouchedPerHour",
    carrier: "guessesPerCarrierUnvouchedPerHour",
  },
  vouched: {
    device: "guessesPerDeviceVouched",
    locator: "guessesPerLocatorVouched",
    subject: "guessesPerSubjectPerHour",
    network: "guessesPerNetworkVouchedPerHour",
  },
  staff: {
    device: "guessesPerDeviceStaff",
    locator: "guessesPerLocatorStaff",
    subject: "guessesPerStaffPerHour",
  },
};

interface Caps {
  readonly device: keyof Limits;
  readonly locator: keyof Limits;
  readonly subject: keyof Limits;
  readonly network?: keyof Limits;
  readonly carrier?: keyof Limits;
}

/**
 * What is guessed at; `locators` are hashes, one for each guess. A boarding pass may have a locator per leg,
 * and a host may name several names under one: each costs as much as if it came alone.
 */
export interface Guess {
  /** Id of the tag's row, or the key of a tag that has none. */
  readonly device?: string;
  readonly locators: readonly string[];
}

/** The guessing caller; at a login, the future caller. */
export interface Guesser extends RequestContext {
  readonly principal: Pick<Principal, "sub" | "evidence">;
}

/** The counters that a guess of this caller draws on. */
export function budgetsOf(ctx: Guesser, { device, locators }: Guess): readonly Budget[] {
  const { limits } = ctx.settings;
  const { sub, evidence } = ctx.principal;
  const group = GROUP_OF[evidence];
  const caps = CAPS[group];
  const windowSeconds = limits.guessWindowSeconds;
  const ofDevice = (of: string): Budget => ({
    key: `device:${group}:${of}`,
    cap: limits[caps.device],
    windowSeconds,
    exempt: { where: "hasLoadedLock", of, sub },
  });
  const guessed = [...Map.groupBy(locators, (locator) => locator)];
  const ofLocators = guessed.map(
    ([of, { length }]): Budget => ({
      key: locatorKey(group, of),
      cap: limits[caps.locator],
      windowSeconds,
      cost: length,
      exempt: { where: "hasLoadedLocator", of, sub },
    }),
  );
  return [
    ...(device === undefined ? [] : [ofDevice(device)]),
    ...ofLocators,
    ...(ctx.settings.environment === "development" ? [] : hourly(ctx, group, locators.length)),
  ];
}

/** The counter of a delegation's code, also in development. Per person alone: no network can guess 128 bits. */
export const codeBudgets = (ctx: Guesser): readonly Budget[] => [
  ofSubject(ctx, GROUP_OF[ctx.principal.evidence], 1),
];

/** The counters that development does not have: the caller's, their network's, its provider's. */
function hourly(ctx: Guesser, group: Group, cost: number): Budget[] {
  const { settings, network, carrier } = ctx;
  const caps = CAPS[group];
  const budget = (key: string, cap: keyof Limits) => hourlyBudget(key, settings.limits[cap], cost);
  return [
    ofSubject(ctx, group, cost),
    ...(caps.network ? [budget(`network:${group}:${network}`, caps.network)] : []),
    ...(caps.carrier && carrier ? [budget(`carrier:${group}:${carrier}`, caps.carrier)] : []),
  ];
}

const ofSubject = ({ settings, principal }: Guesser, group: Group, cost: number): Budget =>
  hourlyBudget(`sub:${principal.sub}`, settings.limits[CAPS[group].subject], cost);

const hourlyBudget = (key: string, cap: number, cost: number): Budget => ({
  key,
  cap,
  windowSeconds: HOUR,
  cost,
});

const locatorKey = (group: Group, locator: string) => `locator:${group}:${locator}`;

/** The counters to which a right guess at `locator` is returned: not those of other locators in the request. */
export const isRightAt =
  (locator: string) =>
  ({ key }: Pick<Counted, "key">): boolean =>
    !key.startsWith("locator:") || key.endsWith(`:${locator}`);

/** The same counters for a guess that was right at `locator`, of which nothing is drawn. */
export const withoutRight = (budgets: readonly Budget[], locator: string): readonly Budget[] =>
  budgets.map((budget) =>
    isRightAt(locator)(budget) ? { ...budget, drawn: (budget.cost ?? 1) - 1 } : budget,
  );

/** The prefixes of the keys of a tag's counters, one for each group: its id follows. */
export const DEVICE_COUNTERS: readonly string[] = (Object.keys(CAPS) as Group[]).map(
  (group) => `device:${group}:`,
);
