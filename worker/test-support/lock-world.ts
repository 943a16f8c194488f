import { and, inArray, ne } from "drizzle-orm";
import type { EndpointName } from "../../core/api/index.ts";
import { auditLog, clearMarks, devices, deviceTicketLocks, loadedPlans } from "../../db/schema.ts";
import type { Left } from "./lock-explain.ts";
import {
  type Action,
  type Actor,
  type Bag,
  type Device,
  type Lock,
  type Plan,
  type Seen,
  TAGS,
  type Tag,
} from "./lock-state.ts";
import type { TestService } from "./service.ts";

/** Between the lock's model and the service: what actions are as requests, and what rows are as a state. */

const BOOKING: Readonly<Record<Plan | "nothing", { recordLocator: string; surname: string }>> = {
  "demo-plan-1": { recordLocator: "ABC123", surname: "LOVELACE" },
  "demo-plan-2": { recordLocator: "K7Q2ZD", surname: "Mueller" },
  nothing: { recordLocator: "ABC123", surname: "MÜLLER" },
};

export const MODEL_DELEGATION = "model";

/** The endpoint and body of an action; `told` is what the tag said, as text. */
export function requestOf(action: Action, told: object = {}): [EndpointName, object] {
  if (!("tag" in action)) {
    if (action.does === "load") return ["journeyFromRecordLocator", BOOKING[action.knows]];
    const confirmed = action.does === "appoint";
    return ["delegationDecision", { delegationId: MODEL_DELEGATION, confirmed }];
  }
  const { tag: uniqueDeviceId } = action;
  const bag = "forBag" in action && action.forBag !== undefined ? { forBaggageId: action.forBag } : {};
  switch (action.does) {
    case "attach":
      return ["deviceAttachment", { device: { uniqueID: uniqueDeviceId }, baggageId: action.bag, ...told }];
    case "prove":
      return ["ebtCustodyProof", { uniqueDeviceId, ...BOOKING[action.knows] }];
    case "unlock":
      return ["ebtUnlock", { uniqueDeviceId, ...bag, ...told }];
    case "release":
      return ["lockRelease", { uniqueDeviceId, reason: "the model says so", ...told }];
    case "token":
      return ["ebtAuthorization", { uniqueDeviceId, nonce: "n", ...bag, ...told }];
    case "look":
      return ["ebtLookup", { uniqueDeviceId, ...bag }];
    case "lose":
      return ["deviceLoss", { uniqueDeviceId, lost: action.lost }];
  }
}

/** What a look's body says of what the model predicts. */
export function seenIn(body: Readonly<Record<string, unknown>>): Seen {
  const { locked, sameTravelPlan, requiresCustodyProof, lost, tagChallenge, lockEnded } = body;
  const flags = { locked, sameTravelPlan, requiresCustodyProof } as Seen;
  return {
    ...flags,
    ...(lost === true && { lost }),
    ...(tagChallenge !== undefined && { challenged: true }),
    ...(lockEnded !== undefined && { ended: (lockEnded as { reason: string }).reason }),
  };
}

/** What there is, with the audit rows of the model's tags but those of the sweeper; `actors` by their `sub`. */
export async function lookAt(
  { db, now }: Pick<TestService, "db" | "now">,
  actors: ReadonlyMap<string, Actor>,
): Promise<Left> {
  const [rows, tags, loaded, clears, audit] = await db.batch([
    db.select().from(deviceTicketLocks),
    db
      .select()
      .from(devices)
      .where(inArray(devices.id, [...TAGS])),
    db.select().from(loadedPlans),
    db.select().from(clearMarks),
    db
      .select()
      .from(auditLog)
      .where(and(inArray(auditLog.deviceId, [...TAGS]), ne(auditLog.event, "lock_ended"))),
  ]);
  const nameOf = (sub: string | null) => (actors.get(sub ?? "") ?? "nobody") as Actor;
  const live = rows.filter(({ endsAt }) => endsAt > now());
  const over = rows.filter(({ endsAt }) => endsAt <= now());
  return {
    locks: Object.fromEntries(live.map((row) => [row.deviceId, lockOf(row, nameOf)])),
    devices: Object.fromEntries(tags.map((row) => [row.id, deviceOf(row, { over, nameOf })])),
    clears: Object.fromEntries(
      clears
        .filter(({ endsAt }) => endsAt > now())
        .map(({ deviceId, sub, planId, cti, clearedAt: at }) => [
          `${deviceId} ${nameOf(sub)}`,
          { plan: planId as Plan | null, cti: iatOf(cti) ?? 0, at },
        ]),
    ),
    loaded: loaded.map(({ sub, planId }) => `${nameOf(sub)} ${planId}`).sort(),
    audit: audit.map(({ event, deviceId, sub }) => `${event} ${deviceId} ${nameOf(sub)}`),
  };
}

type LockRow = typeof deviceTicketLocks.$inferSelect;
type NameOf = (sub: string | null) => Actor;

const lockOf = (row: LockRow, nameOf: NameOf): Lock => ({
  ...{ plan: row.planId as Plan, bag: row.baggageId as Bag, entitled: row.entitled },
  ...{ holder: nameOf(row.holderSub), writer: nameOf(row.writerSub), commits: row.commits },
  ...{ cti: iatOf(row.cti), lost: row.lostAt !== null },
  ...{ lockedAt: row.lockedAt, endsAt: row.endsAt, id: 0 },
});

/** A lock that is over, and not swept, has spent its number already. */
function deviceOf(
  row: typeof devices.$inferSelect,
  { over, nameOf }: { readonly over: readonly LockRow[]; readonly nameOf: NameOf },
): Device {
  const numbers = over.filter(({ deviceId }) => deviceId === row.id).map(({ commits }) => commits ?? 0);
  const { endedAt: at, endedReason: reason, endedPlanId: plan } = row;
  const hasEnd = at !== null && reason !== null && plan !== null;
  return {
    heard: row.commits,
    spent: Math.max(row.spentCommits, ...numbers),
    end: hasEnd
      ? { holder: nameOf(row.endedHolderSub), plan: plan as Plan, reason, at, cti: iatOf(row.endedCti) }
      : null,
  };
}

/** The time in a `cti` as the database holds it. */
const iatOf = (cti: string | null) => (cti === null ? null : Number.parseInt(cti.slice(0, 8), 16));

/** A tag as it is, whatever anybody tells of it. */
export interface Physical {
  readonly tag: Tag;
  readonly commits: number;
  readonly last: Commit | null;
  /** Every commit; its place is its number less one. */
  readonly history: readonly Commit[];
}
export interface Commit {
  readonly by: Actor;
  /** iat of the token. */
  readonly cti: number;
  readonly operation: "write" | "clear";
  readonly token: string;
}
export const blank = (tag: Tag): Physical => ({ tag, commits: 0, last: null, history: [] });
export const committed = (tag: Physical, last: Commit): Physical => ({
  ...{ ...tag, last, commits: tag.commits + 1 },
  history: [...tag.history, last],
});
