import { deviceTicketLocks } from "../../db/schema.ts";
import { guestSession, type TestSession } from "./logins.ts";
import { lockRow } from "./rows.ts";
import { type Answer, startClean, type TestService } from "./service.ts";

/** A tag that another caller has locked to journey 2, and a guest who tries to prove custody. */

export const TAG = "ebt-21-0001";
export const RIGHT = { recordLocator: "K7Q2ZD", surname: "MÜLLER" };
export const WRONG = { ...RIGHT, surname: "MEIER" };

export async function startWithLockedTag(): Promise<{
  readonly service: TestService;
  readonly guest: TestSession;
}> {
  const service = await startClean();
  await lockToOther(service, TAG);
  return { service, guest: await guestSession(service) };
}

/** Locks `deviceId` to journey 2 for a holder without a session. */
export const lockToOther = ({ db, now }: TestService, deviceId: string, endsIn = 3_600_000) =>
  db
    .insert(deviceTicketLocks)
    .values(
      lockRow(deviceId, now() + endsIn, { planId: "demo-plan-2", journeyId: "demo-journey-2", baggageId: 3 }),
    );

export const prove = (session: TestSession, proof: object = RIGHT, uniqueDeviceId = TAG): Promise<Answer> =>
  session.call("ebtCustodyProof", { uniqueDeviceId, ...proof });
