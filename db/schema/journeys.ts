import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, unique } from "drizzle-orm/sqlite-core";
import { flag, instant } from "./columns.ts";

/** Bookings, the journeys of their passengers, flights and bags. */

/** A booking: airline, record locator, day of the first flight. */
export const travelPlans = sqliteTable(
  "travel_plans",
  {
    id: text().primaryKey(),
    airline: text().notNull(),
    /** HMAC(PEPPER, folded locator). */
    locatorHash: text("locator_hash").notNull(),
    /** AES-GCM(DATA_KEY, locator), base64url. */
    locatorSealed: text("locator_sealed").notNull(),
    firstFlightDate: text("first_flight_date").notNull(),
    /**
     * When the booking is past and the locks on it end: 24 h after the last scheduled arrival, or 72 h after
     * the last flight's date where no arrival is known (rules §2).
     */
    endsAt: instant("ends_at").notNull(),
    /** When locator, names and match forms were erased; null = they are still there. */
    erasedAt: instant("erased_at"),
  },
  (table) => [
    // The locator first: look-ups have nothing else, and need no index of their own.
    unique("travel_plans_booking").on(table.locatorHash, table.airline, table.firstFlightDate),
    index("travel_plans_by_end").on(table.endsAt),
    index("travel_plans_to_erase").on(table.endsAt).where(sql`${table.erasedAt} is null`),
  ],
);

/** One passenger's part of a booking. */
export const journeys = sqliteTable(
  "journeys",
  {
    id: text().primaryKey(),
    planId: text("plan_id")
      .notNull()
      .references(() => travelPlans.id, { onDelete: "cascade" }),
    /** AES-GCM(DATA_KEY, JSON of JourneyPassenger), base64url; null once erased. */
    passengerSealed: text("passenger_sealed"),
    /** `storedTokens(PEPPER, locator, surname)` of core/bag, base64url (rules §4); empty once erased. */
    surnameTokens: text("surname_tokens").notNull(),
    /** First letter of the surname, for hints. */
    surnameInitial: text("surname_initial").notNull(),
    departureAirport: text("departure_airport").notNull(),
    destinationAirport: text("destination_airport").notNull(),
    destinationCity: text("destination_city"),
    cabin: text(),
    version: integer().notNull().default(1),
  },
  (table) => [index("journeys_by_plan").on(table.planId)],
);

/** Legs of a journey, in order. */
export const flights = sqliteTable(
  "flights",
  {
    journeyId: text("journey_id")
      .notNull()
      .references(() => journeys.id, { onDelete: "cascade" }),
    position: integer().notNull(),
    carrier: text().notNull(),
    number: text().notNull(),
    date: text().notNull(),
    from: text("from_airport").notNull(),
    to: text("to_airport").notNull(),
    scheduledDeparture: instant("scheduled_departure"),
    scheduledArrival: instant("scheduled_arrival"),
  },
  (table) => [primaryKey({ columns: [table.journeyId, table.position] })],
);

/** Bags; `id` is the interface's baggageId. Licence plates recycle, so they are keyed with the day. */
export const bags = sqliteTable(
  "bags",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    journeyId: text("journey_id")
      .notNull()
      .references(() => journeys.id, { onDelete: "cascade" }),
    /** Place among the bags of the journey, from 1: people number them, and ids are random. */
    position: integer().notNull().default(0),
    licencePlate: text("licence_plate").notNull(),
    flightDate: text("flight_date").notNull(),
    readable: text(),
    flags: integer(),
    /** The request that added the bag, if a request of ours did: the same batch reads the bag back by it. */
    requestId: text("request_id"),
  },
  (table) => [
    unique("bags_plate").on(table.licencePlate, table.flightDate),
    index("bags_by_journey").on(table.journeyId),
  ],
);

/** A flight as a removed bag's row holds it. */
export interface RemovedFlight {
  readonly carrier: string;
  readonly number: string;
  readonly date: string;
  readonly from: string;
  readonly to: string;
}

/** Where bags that are gone would have flown: a sorter must forget them by plate and flights. No name, no locator. */
export const removedBags = sqliteTable(
  "removed_bags",
  {
    /** The id that the bag had. */
    id: integer().primaryKey(),
    /** As in {@link bags}: another bag may have the plate now. */
    licencePlate: text("licence_plate").notNull(),
    flightDate: text("flight_date").notNull(),
    flights: text({ mode: "json" }).$type<readonly RemovedFlight[]>().notNull(),
    cabin: text(),
    /** With the booking, or earlier with the event in the audit log. */
    endsAt: instant("ends_at").notNull(),
  },
  (table) => [index("removed_bags_by_end").on(table.endsAt)],
);

/** What stays of the bags of a past booking: while they rest, no other bag gets their ids and plates (rules §4). */
export const pastBags = sqliteTable(
  "past_bags",
  {
    /** As it was in {@link bags}. */
    id: integer().primaryKey(),
    /** When the booking was deleted, in days since 1970: whole days are swept. */
    day: integer().notNull(),
    /** Its ten digits as a number. */
    licencePlate: integer("licence_plate").notNull(),
    /** The day of the first flight, in days since 1970. */
    flightDay: integer("flight_day").notNull(),
  },
  (table) => [index("past_bags_by_day").on(table.day, table.licencePlate)],
);

/**
 * Serials that an airline gives to bags that come without a plate: in order, and from the first again after
 * the last.
 */
export const plateRanges = sqliteTable(
  "plate_ranges",
  {
    airline: text().primaryKey(),
    /** First digit of the plate, 0 to 9. */
    leading: integer().notNull(),
    /** Three-digit numeric code of the issuer. */
    issuer: text().notNull(),
    firstSerial: integer("first_serial").notNull(),
    lastSerial: integer("last_serial").notNull(),
    /** Where the search for a free serial begins. */
    nextSerial: integer("next_serial").notNull(),
    /** The serial given out last, and the request that got it: the rest of its batch reads them. */
    issuedSerial: integer("issued_serial"),
    requestId: text("request_id"),
  },
  (table) => [
    check("plate_ranges_leading", sql`${table.leading} between 0 and 9`),
    check("plate_ranges_issuer", sql`${table.issuer} glob '[0-9][0-9][0-9]'`),
    check(
      "plate_ranges_order",
      sql`0 <= ${table.firstSerial} and ${table.firstSerial} <= ${table.lastSerial}`,
    ),
    check("plate_ranges_serials", sql`${table.lastSerial} <= 999999`),
    check("plate_ranges_next", sql`${table.nextSerial} between ${table.firstSerial} and ${table.lastSerial}`),
  ],
);

/** What happens to a bag that an airline's host has not answered for: a plate of the airline's range, or a refusal. */
export type AcceptanceFallback = "draw" | "refuse";

/** The airlines' own hosts that are asked before a bag gets its plate, and for bookings (docs/acceptance.md). */
export const acceptanceHosts = sqliteTable("acceptance_hosts", {
  airline: text().primaryKey(),
  url: text().notNull(),
  /** AES-GCM(DATA_KEY, the keys of the questions' signatures as worker/webhooks/keys.ts has them), base64url. */
  secretSealed: text("secret_sealed").notNull(),
  fallback: text().$type<AcceptanceFallback>().notNull(),
});

/** Bookings that a caller has proved to know: the caller is a holder of the locks on them (rules §5). */
export const loadedPlans = sqliteTable(
  "loaded_plans",
  {
    sub: text().notNull(),
    planId: text("plan_id")
      .notNull()
      .references(() => travelPlans.id, { onDelete: "cascade" }),
    loadedAt: instant("loaded_at").notNull(),
    /** The row of {@link delegations} that gave it; null = the caller's own knowledge. */
    delegationId: text("delegation_id"),
  },
  (table) => [
    primaryKey({ columns: [table.sub, table.planId] }),
    index("loaded_plans_by_plan").on(table.planId, table.loadedAt, table.sub),
  ],
);

/**
 * Another person's phone that may write tags for a booking (rules §5, "Delegates"). While `endsAt` is set, the code of
 * ten minutes is open or waits for both to confirm; afterwards it lasts as long as the booking. Its end deletes the row,
 * and the row of {@link loadedPlans} that it gave, in one batch.
 */
export const delegations = sqliteTable(
  "delegations",
  {
    id: text().primaryKey(),
    planId: text("plan_id")
      .notNull()
      .references(() => travelPlans.id, { onDelete: "cascade" }),
    holderSub: text("holder_sub").notNull(),
    /** Who used the code first. */
    delegateSub: text("delegate_sub"),
    /** SHA-256 of the code; null once both have confirmed. */
    codeHash: text("code_hash").unique(),
    /** 0 to 999, drawn when the code is used. */
    comparison: integer(),
    holderConfirmed: flag("holder_confirmed").notNull().default(false),
    delegateConfirmed: flag("delegate_confirmed").notNull().default(false),
    endsAt: instant("ends_at"),
  },
  (table) => [
    index("delegations_by_plan").on(table.planId),
    index("delegations_by_delegate").on(table.delegateSub).where(sql`${table.delegateSub} is not null`),
    index("delegations_by_end").on(table.endsAt).where(sql`${table.endsAt} is not null`),
  ],
);
