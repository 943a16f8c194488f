import { interruption } from "./guarded-database.ts";
import { staffSession, type TestSession } from "./logins.ts";
import { startClean, type TestService, type World } from "./service.ts";

/** A new service, and ground staff who feed it bookings beside those of the development data. */
export async function startFeeding(
  vars: Record<string, unknown> = {},
  world: World = {},
): Promise<{ readonly service: TestService; readonly staff: TestSession }> {
  const service = await startClean(vars, undefined, world);
  return { service, staff: await staffSession(service) };
}

/** The same, and a way to let something happen between two calls of one request. */
export async function startFeedingInterrupted() {
  const { database, beforeCall } = interruption();
  return { ...(await startFeeding({}, { database })), beforeCall };
}
