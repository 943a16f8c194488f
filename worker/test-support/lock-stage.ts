import { eq, inArray } from "drizzle-orm";
import {
  auditLog,
  clearMarks,
  delegations,
  devices,
  deviceTicketLocks,
  failedProofs,
  guessCounters,
  loadedPlans,
  sessions,
  travelPlans,
} from "../../db/schema.ts";
import { connect } from "../database/connect.ts";
import { barePost } from "./bare-app.ts";
import { subOf } from "./bookings.ts";
import { startWithCleanTags, UNHEARD } from "./clean-tags.ts";
import { tagCertificateOf } from "./demo-tags.ts";
import { guardedDatabase } from "./guarded-database.ts";
import { type Doing, driver, newScene, type Scene } from "./lock-driver.ts";
import type { Left, Observed } from "./lock-explain.ts";
import {
  ACTORS,
  type Actor,
  DELEGATE,
  emptyState,
  PLANS,
  type Plan,
  type State,
  TAGS,
} from "./lock-state.ts";
import { lookAt, MODEL_DELEGATION } from "./lock-world.ts";
import { attestedSession, federatedSession, guestSession, staffSession, type TestSession } from "./logins.ts";
import { PARTNER_KEY, type TestService } from "./service.ts";
import { turns } from "./turns.ts";

/** Where the lock's model is held against the service: its people, and a world that begins anew for each sequence. */

const DAY = 86_400_000;
/** The bookings end after so many days: the second in the longest pause of a sequence. */
const ENDS: Readonly<Record<Plan, number>> = { "demo-plan-1": 20, "demo-plan-2": 8 };
/** Small enough to be met. */
export const CAPS = { locks: 2, claims: 1, perBag: 1 } as const;
/** Who has loaded what before anything happens. */
const LOADED: readonly (readonly [Actor, Plan])[] = [
  ["ada", "demo-plan-1"],
  ["attested", "demo-plan-1"],
  ["bob", "demo-plan-1"],
  ["mallory", "demo-plan-2"],
];

/** The service, and everybody signed in. */
export interface Cast {
  readonly service: TestService;
  readonly people: Readonly<Record<Actor, TestSession>>;
  /** The key of the tag that signs, as its certificate has it. */
  readonly tagSpki: string | null;
}

/** A production without limits but the caps, and its people: only a production has limits for passengers. */
export async function meet(): Promise<Cast> {
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
  const people = await signIn(development);
  const tagSpki = await keyOf(development, people.ada);
  const service = await startWithCleanTags({ ...vars, ENVIRONMENT: "production" });
  await vouchFor(service, people.attested);
  return { service, people, tagSpki };
}

async function signIn(development: TestService): Promise<Cast["people"]> {
  const guest = () => guestSession(development);
  return {
    ...{ ada: await guest(), bob: await guest(), eve: await guest(), mallory: await guest() },
    attested: await attestedSession(development),
    host: await federatedSession(development, { clientKey: PARTNER_KEY }),
    staff: await staffSession(development),
  };
}

async function keyOf({ db }: TestService, session: TestSession): Promise<string | null> {
  const [signing] = TAGS;
  const device = { uniqueID: signing };
  await session.call("deviceAttachment", { device, baggageId: 1, tagCertificate: tagCertificateOf(signing) });
  const [row] = await db.select().from(devices).where(eq(devices.id, signing));
  return row?.tagSpki ?? null;
}

/** The attested phone is vouched for by its maker, as nobody is by the development's attester in production. */
const vouchFor = ({ db }: TestService, attested: TestSession) =>
  db
    .update(sessions)
    .set({ evidence: "apple-appattest" })
    .where(eq(sessions.sub, subOf(attested)));

/** What a sequence begins with: nothing locked, tags that nobody wrote. */
export interface Opening {
  readonly state: State;
  readonly scene: Scene;
}
export interface Stage {
  readonly begin: () => Promise<Opening>;
  /** Lets callers act at once; `order` says who goes on where several may. */
  readonly act: (scene: Scene, doings: readonly Doing[], order: readonly number[]) => Promise<Observed[]>;
  readonly look: () => Promise<Left>;
  readonly advance: (seconds: number) => void;
  readonly now: () => number;
}

/** Used and confirmed by Ada, and not yet by Eve. */
const delegationOf = (people: Cast["people"], endsAt: number) => ({
  endsAt,
  ...{ id: MODEL_DELEGATION, codeHash: MODEL_DELEGATION, comparison: 42, holderConfirmed: true },
  ...{
    planId: DELEGATE.plan,
    holderSub: subOf(people[DELEGATE.by]),
    delegateSub: subOf(people[DELEGATE.who]),
  },
});

interface Beginning extends Omit<Cast, "service"> {
  readonly start: number;
  readonly ends: Readonly<Record<Plan, number>>;
}

/** What makes the rows those of a beginning. */
const cleared = (db: ReturnType<typeof connect>, { people, tagSpki, start, ends }: Beginning) =>
  [
    db.delete(deviceTicketLocks),
    db.delete(clearMarks),
    db.delete(loadedPlans),
    db.delete(delegations),
    db.insert(delegations).values(delegationOf(people, ends[DELEGATE.plan])),
    // The clock goes back, and their windows would last for all sequences.
    db.delete(guessCounters),
    db.delete(failedProofs),
    db.delete(auditLog).where(inArray(auditLog.deviceId, [...TAGS])),
    db.update(devices).set(UNHEARD),
    db.update(devices).set({ tagSpki }).where(eq(devices.id, TAGS[0])),
    db
      .insert(loadedPlans)
      .values(LOADED.map(([actor, planId]) => ({ sub: subOf(people[actor]), planId, loadedAt: start }))),
    ...PLANS.map((plan) =>
      db.update(travelPlans).set({ endsAt: ends[plan] }).where(eq(travelPlans.id, plan)),
    ),
  ] as const;

/** The stage over `database`, where the rows of `cast` are. */
export function stageOn(database: D1Database, { service, people, tagSpki }: Cast): Stage {
  const { advance, now } = service;
  const queue = turns();
  const run = driver(barePost(service, guardedDatabase(database, queue.next)), people);
  const db = connect(database);
  const actors = new Map(ACTORS.map((actor) => [subOf(people[actor]), actor]));
  // At the beginning of a slot of challenges: what a seed finds, it finds at every time of day.
  const start = Math.ceil(now() / 300_000) * 300_000;
  const ends = {
    "demo-plan-1": start + ENDS["demo-plan-1"] * DAY,
    "demo-plan-2": start + ENDS["demo-plan-2"] * DAY,
  };
  return {
    begin: async () => {
      advance((start - now()) / 1_000);
      await db.batch(cleared(db, { people, tagSpki, start, ends }));
      const loads = LOADED.map(([actor, plan]) => `${actor} ${plan}`).sort();
      return {
        state: { ...emptyState({ caps: CAPS, now: start, ends }), delegation: "waiting", loaded: loads },
        scene: newScene(),
      };
    },
    act: (scene, doings, order) =>
      queue.take(
        doings.map((doing) => () => run(scene, doing)),
        order,
      ),
    look: () => lookAt({ db, now }, actors),
    ...{ advance, now },
  };
}
