import { gt, notLike } from "drizzle-orm";
import {
  bags,
  deviceTicketLocks,
  guessCounters,
  journeys,
  loadedPlans,
  travelPlans,
} from "../../db/schema.ts";
import { interruption } from "./guarded-database.ts";
import { staffSession, type TestSession } from "./logins.ts";
import { startService, type TestService, type World } from "./service.ts";

/** A service that has the bookings of the development data as they are at first, and ground staff who feed it more. */
export async function startFeeding(
  vars: Record<string, unknown> = {},
  world: World = {},
): Promise<{ readonly service: TestService; readonly staff: TestSession }> {
  const service = await startService(vars, undefined, world);
  const { db } = service;
  await db.batch([
    db.delete(loadedPlans),
    db.delete(guessCounters),
    db.delete(travelPlans).where(notLike(travelPlans.id, "demo-plan-%")),
    db.delete(journeys).where(notLike(journeys.id, "demo-journey-%")),
    db.delete(bags).where(gt(bags.id, 4)),
    db.update(journeys).set({ version: 1, cabin: null }),
  ]);
  return { service, staff: await staffSession(service) };
}

/** The same without a lock, and a way to let something happen between two calls of one request. */
export async function startFeedingInterrupted() {
  const { database, beforeCall } = interruption();
  const started = await startFeeding({}, { database });
  await started.service.db.delete(deviceTicketLocks);
  return { ...started, beforeCall };
}
