import { notLike } from "drizzle-orm";
import {
  auditLog,
  certificates,
  clearMarks,
  clients,
  delegations,
  deviceAliases,
  devices,
  deviceTicketLocks,
  failedProofs,
  guessCounters,
  idempotencyRecords,
  loadedPlans,
  NOTHING_ENDED,
  removedBags,
  travelPlans,
} from "../../db/schema.ts";
import { guestSession, type TestSession, withBookings } from "./logins.ts";
import { startService, type TestService, type World } from "./service.ts";

/** A tag without any statement or former holder. */
export const FRESH_TAG = {
  tagKey: null,
  commits: null,
  spentCommits: 0,
  ...NOTHING_ENDED,
} as const;

/** A service whose tags and bookings are those of the development data: none is locked, loaded or fed. */
export async function startWithCleanTags(
  vars: Record<string, unknown> = {},
  fetcher?: typeof fetch,
  world?: World,
): Promise<TestService> {
  const service = await startService(vars, fetcher, world);
  const { db } = service;
  await db.batch([
    db.delete(deviceTicketLocks),
    db.delete(clearMarks),
    db.delete(deviceAliases),
    db.delete(devices).where(notLike(devices.id, "ebt-2_-000_")),
    db.update(devices).set(FRESH_TAG),
    db.delete(loadedPlans),
    db.delete(travelPlans).where(notLike(travelPlans.id, "demo-plan-%")),
    db.delete(removedBags),
    db.delete(delegations),
    db.delete(certificates),
    db.delete(auditLog),
    db.delete(guessCounters),
    db.delete(failedProofs),
    db.delete(idempotencyRecords),
    db.update(clients).set({ flags: {} }),
  ]);
  return service;
}

/** The same, and two passengers: `guest` has loaded every booking, `stranger` none. */
export async function startWithTwoGuests(): Promise<{
  readonly service: TestService;
  readonly guest: TestSession;
  readonly stranger: TestSession;
}> {
  const service = await startWithCleanTags();
  const [guest, stranger] = await Promise.all([guestSession(service), guestSession(service)]);
  return { service, guest: await withBookings(service, guest), stranger };
}
