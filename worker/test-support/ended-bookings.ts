import { env } from "cloudflare:workers";
import * as schema from "../../db/schema.ts";
import { connect } from "../database/connect.ts";
import { lockRow } from "./rows.ts";

/** Bookings for scheduled runs. */

const DAY = 86_400_000;
const db = connect(env.DB);

export const plan = (id: string, endsAt: number): typeof schema.travelPlans.$inferInsert => ({
  id,
  airline: "SK",
  locatorHash: `hash of ${id}`,
  locatorSealed: `sealed ${id}`,
  firstFlightDate: "2026-01-01",
  endsAt,
});

export const journey = (id: string, planId: string): typeof schema.journeys.$inferInsert => ({
  id,
  planId,
  passengerSealed: "sealed",
  surnameTokens: "tokens",
  surnameInitial: "L",
  departureAirport: "OSL",
  destinationAirport: "ARN",
});

/** A tag locked to a booking of its own. */
export async function lockTag(deviceId: string, endsAt: number, now = Date.now()): Promise<void> {
  const planId = `plan of ${deviceId}`;
  await db.batch([
    db.insert(schema.devices).values({ id: deviceId, label: deviceId, registeredAt: now }),
    db.insert(schema.travelPlans).values(plan(planId, endsAt)),
    db.insert(schema.journeys).values(journey(`journey of ${deviceId}`, planId)),
    db
      .insert(schema.deviceTicketLocks)
      .values(
        lockRow(deviceId, endsAt, { planId, journeyId: `journey of ${deviceId}`, lostAt: now - DAY / 24 }),
      ),
  ]);
}
