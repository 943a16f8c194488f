import { expect } from "vitest";
import { auditLog, deviceTicketLocks } from "../../db/schema.ts";
import { guestSession, type TestSession, withBookings } from "./logins.ts";
import { startClean, type TestService } from "./service.ts";

/** Ada, who has loaded a booking, and two others: the calls by which a person becomes a delegate (rules §5, "Delegates"). */

export const JOURNEY = "demo-journey-1";
export const PLAN = "demo-plan-1";
export const TAG = "ebt-21-0001";

export async function startWithAda() {
  const service = await startClean({ ACCESS_TOKEN_SECONDS: "3600" });
  const [ada, bob, eve] = [
    await guestSession(service),
    await guestSession(service),
    await guestSession(service),
  ];
  await withBookings(service, ada, [PLAN]);
  return { service, ada, bob, eve };
}

export const listOf = async (session: TestSession) => (await session.call("delegations")).body.delegations;
export const attach = (session: TestSession, baggageId = 1, headers = {}) =>
  session.call("deviceAttachment", { device: { uniqueID: TAG }, baggageId }, headers);
export const unlock = (session: TestSession) => session.call("ebtUnlock", { uniqueDeviceId: TAG });

/** What the log has of delegations. */
export const eventsOf = async ({ db }: TestService) =>
  (await db.select().from(auditLog)).map(({ event }) => event).filter((event) => event.startsWith("deleg"));
export const lockOf = async ({ db }: TestService) => (await db.select().from(deviceTicketLocks))[0];

export const codeBy = async (holder: TestSession) =>
  (await holder.call("delegation", { journeyId: JOURNEY })).body;
export const claim = (session: TestSession, code: string) => session.call("delegationClaim", { code });
export const decide = (session: TestSession, delegationId: string, confirmed = true) =>
  session.call("delegationDecision", { delegationId, confirmed });

/** The id of the delegation that makes one the other's delegate. */
export async function appointed(delegate: TestSession, holder: TestSession): Promise<string> {
  const { code, delegationId } = await codeBy(holder);
  expect((await claim(delegate, code)).status).toBe(200);
  expect((await decide(holder, delegationId)).body.state).toBe("claimed");
  expect((await decide(delegate, delegationId)).body.state).toBe("active");
  return delegationId;
}
