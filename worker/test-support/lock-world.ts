import { and, gt, inArray, ne } from "drizzle-orm";
import type { EndpointName } from "../../core/api/index.ts";
import { auditLog, deviceTicketLocks, loadedPlans } from "../../db/schema.ts";
import { type Action, type Actor, type Lock, type Plan, type State, TAGS } from "./lock-model.ts";
import type { TestService } from "./service.ts";

/** Between the lock's model and the service: what actions are as requests, and what rows are as a state. */

const BOOKING: Readonly<Record<Plan | "nothing", { recordLocator: string; surname: string }>> = {
  "demo-plan-1": { recordLocator: "ABC123", surname: "LOVELACE" },
  "demo-plan-2": { recordLocator: "K7Q2ZD", surname: "Mueller" },
  nothing: { recordLocator: "ABC123", surname: "MÜLLER" },
};

/** The endpoint and body of an action. */
export function requestOf(action: Action): [EndpointName, object] {
  if (action.does === "load") return ["journeyFromRecordLocator", BOOKING[action.knows]];
  const { tag: uniqueDeviceId } = action;
  switch (action.does) {
    case "attach":
      return ["deviceAttachment", { device: { uniqueID: uniqueDeviceId }, baggageId: action.bag }];
    case "prove":
      return ["ebtCustodyProof", { uniqueDeviceId, ...BOOKING[action.knows] }];
    case "unlock":
      return ["ebtUnlock", { uniqueDeviceId }];
    case "release":
      return ["lockRelease", { uniqueDeviceId, reason: "the model says so" }];
    case "token":
      return ["ebtAuthorization", { uniqueDeviceId, nonce: "n" }];
    case "lose":
      return ["deviceLoss", { uniqueDeviceId, lost: action.lost }];
  }
}

/** What there is, with the audit rows of the model's tags but those of the sweeper; `actors` by their `sub`. */
export async function lookAt({ db, now }: TestService, actors: ReadonlyMap<string, Actor>): Promise<State> {
  const [rows, loaded, audit] = await db.batch([
    db.select().from(deviceTicketLocks).where(gt(deviceTicketLocks.endsAt, now())),
    db.select().from(loadedPlans),
    db
      .select()
      .from(auditLog)
      .where(and(inArray(auditLog.deviceId, [...TAGS]), ne(auditLog.event, "lock_ended"))),
  ]);
  const nameOf = (sub: string | null) => actors.get(sub ?? "") ?? "nobody";
  const locks = rows.map(({ deviceId, planId, baggageId, holderSub, lostAt }) => {
    const lock = { plan: planId, bag: baggageId, holder: nameOf(holderSub), lost: lostAt !== null };
    return [deviceId, lock as Lock] as const;
  });
  return {
    locks: Object.fromEntries(locks),
    loaded: loaded.map(({ sub, planId }) => `${nameOf(sub)} ${planId}`).sort(),
    live: [],
    audit: audit.map(({ event, deviceId, sub }) => `${event} ${deviceId} ${nameOf(sub)}`),
  };
}
