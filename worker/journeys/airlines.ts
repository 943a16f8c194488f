import { eq, type SQL, sql } from "drizzle-orm";
import { travelPlans } from "../../db/schema.ts";
import { inList, parameter } from "../database/batch.ts";

/**
 * A condition over `travel_plans`: the bookings of these airlines. The sign + keeps SQLite from starting with all
 * bookings of an airline.
 */
export const ofAirlines = (airlines: readonly string[]): SQL =>
  sql`+${travelPlans.airline} in ${inList(airlines)}`;

/** The same, of the airlines in the parameter `airlines` (JSON). */
export const ofTheirAirlines: SQL = sql`+${travelPlans.airline} in (select value from json_each(${parameter("airlines")}))`;

/** A condition over `travel_plans`: the bookings of the airline that a caller has named, if one was. */
export const ofNamed = (airline: string | undefined): SQL | undefined =>
  airline === undefined ? undefined : eq(travelPlans.airline, namedAirline(airline));

/** An airline's code as it is stored. */
export const namedAirline = (airline: string): string => airline.trim().toUpperCase();
