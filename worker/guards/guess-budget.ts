import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { Limits } from "../../core/api/index.ts";
import { deviceTicketLocks, type Evidence, loadedPlans, travelPlans } from "../../db/schema.ts";
import type { Principal, RequestContext } from "../context.ts";
import { deviceKey, knownDeviceId } from "../devices/identity.ts";
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
  readonly uniqueDeviceId?: string;
  readonly locators: readonly string[];
}

/** The guessing caller; at a login, the future caller. */
export interface Guesser extends RequestContext {
  readonly principal: Pick<Principal, "sub" | "evidence">;
}

/** The counters that a guess of this caller draws on. */
export function budgetsOf(ctx: Guesser, { uniqueDeviceId, locators }: Guess): readonly Budget[] {
  const { limits } = ctx.settings;
  const group = GROUP_OF[ctx.principal.evidence];
  const caps = CAPS[group];
  const windowSeconds = limits.guessWindowSeconds;
  const guessed = Map.groupBy(locators, (locator) => locator);
  const ofDevice = (name: string): Budget => {
    const device = sql<string>`coalesce(${knownDeviceId(name)}, ${deviceKey(name)})`;
    const key = sql`${`device:${group}:`} || ${device}`;
    return { key, cap: limits[caps.device], windowSeconds, exempt: isOfOwnPlan(ctx, device) };
  };
  return [
    ...(uniqueDeviceId === undefined ? [] : [ofDevice(uniqueDeviceId)]),
    ...[...guessed].map(([locator, { length }]) => ({
      key: locatorKey(group, locator),
      cap: limits[caps.locator],
      windowSeconds,
      cost: length,
      exempt: hasLoaded(ctx, locator),
    })),
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
  ({ key }: Counted): boolean =>
    !key.startsWith("locator:") || key.endsWith(`:${locator}`);

/** The same counters for a guess that was right at `locator`, which costs nothing. */
export const withoutRight = (budgets: readonly Budget[], locator: string): readonly Budget[] =>
  budgets.map((budget) => {
    const { key, cost = 1 } = budget;
    const isOther = typeof key !== "string" || (key.startsWith("locator:") && !key.endsWith(`:${locator}`));
    return isOther || typeof cost !== "number" ? budget : { ...budget, cost: cost - 1 };
  });

/** A row of `loaded_plans` that `sub` has by knowledge: a delegate has all of it left to guess. */
const isKnown = (sub: string) => and(eq(loadedPlans.sub, sub), isNull(loadedPlans.delegationId));

/** Whether the caller has loaded the plan that `device` is locked to: nothing of it is left to guess. */
const isOfOwnPlan = ({ db, now, principal }: Guesser, device: SQL): SQL =>
  sql`exists ${db
    .select({ planId: loadedPlans.planId })
    .from(deviceTicketLocks)
    .innerJoin(loadedPlans, and(eq(loadedPlans.planId, deviceTicketLocks.planId), isKnown(principal.sub)))
    .where(sql`${deviceTicketLocks.deviceId} = ${device} and ${deviceTicketLocks.endsAt} > ${now}`)}`;

/**
 * Whether the caller has loaded every plan under this locator that is not yet past. Several airlines may issue one locator:
 * a caller who has loaded one airline's booking has the others' left to guess.
 */
const hasLoaded = ({ db, now, principal }: Guesser, locator: string): SQL =>
  sql`coalesce(${db
    .select({ isLoaded: sql`min(${loadedPlans.planId} is not null)` })
    .from(travelPlans)
    .leftJoin(loadedPlans, and(eq(loadedPlans.planId, travelPlans.id), isKnown(principal.sub)))
    .where(sql`${travelPlans.locatorHash} = ${locator} and ${travelPlans.endsAt} > ${now}`)}, false)`;

/** The prefixes of the keys of a tag's counters, one for each group: its id follows. */
export const DEVICE_COUNTERS: readonly string[] = (Object.keys(CAPS) as Group[]).map(
  (group) => `device:${group}:`,
);
