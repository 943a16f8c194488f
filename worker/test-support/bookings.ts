import { decodeJwt } from "jose";
import { loadedPlans } from "../../db/schema.ts";
import type { TestSession } from "./logins.ts";
import type { TestService } from "./service.ts";

/** The bookings of the development data, by their flights' order there. */
export const BOOKINGS = ["demo-plan-1", "demo-plan-2", "demo-plan-3"] as const;

export const subOf = ({ accessToken }: Pick<TestSession, "accessToken">): string =>
  String(decodeJwt(accessToken).sub);

/**
 * Makes `plans` the caller's own, as if they had been loaded one by one: without them an attachment is a
 * claim. Returns the session.
 */
export async function withBookings(
  { db, now }: TestService,
  session: TestSession,
  plans: readonly string[] = BOOKINGS,
): Promise<TestSession> {
  const sub = subOf(session);
  await db
    .insert(loadedPlans)
    .values(plans.map((planId) => ({ sub, planId, loadedAt: now() })))
    .onConflictDoNothing();
  return session;
}
