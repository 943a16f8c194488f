/** Journeys as the floor reads and shows them, and the labels of their bags. */
import { encodePayload, payloadDigest } from "../../core/bag/payload.ts";
import { ticketPayload } from "../../core/bag/ticket-payload.ts";
import { toBase64Url } from "../../core/encoding/bytes.ts";
import { open } from "../../worker/secrets/sealed.ts";
import { type Keys, rows, type Sql, sql } from "./floor-parts.ts";

/** The journeys where `which` holds, with their flights, their bags and the bags' tags: three texts. */
export const journeysWhere = (which: Sql): Sql => {
  const from = sql`from journeys j inner join travel_plans p on p.id = j.plan_id`;
  const ids = sql`(select j.id ${from} where ${which})`;
  const journeys = rows(
    `j.id, j.plan_id, p.locator_sealed, j.passenger_sealed, j.departure_airport, j.destination_airport,
      j.destination_city, j.cabin, j.version`,
    sql`${from} where ${which}`,
  );
  const flights = rows(
    "journey_id, carrier, number, date, from_airport, to_airport, scheduled_departure, scheduled_arrival",
    sql`from flights where journey_id in ${ids}`,
  );
  const bags = rows(
    `b.journey_id, b.id, b.licence_plate, b.readable, b.flags, d.label, (select event from audit_log
      where baggage_id = b.id and event in ('attached', 'custody_proven', 'cleared', 'released') order by id desc limit 1)`,
    sql`from bags b left join device_ticket_locks l on l.baggage_id = b.id and l.ends_at > ${Date.now()}
      left join devices d on d.id = l.device_id where b.journey_id in ${ids}`,
  );
  return sql`select ${journeys} as journeys, ${flights} as flights, ${bags} as bags`;
};

/** What {@link journeysWhere} read, with names and locators opened. */
export async function opened({ data }: Keys, texts: Readonly<Record<string, unknown>> = {}) {
  const all = (name: string): string[][] => JSON.parse(String(texts[name] ?? "[]"));
  const [flights, bags] = [all("flights"), all("bags")];
  const journeys = all("journeys").map(async ([id = "", plan = "", locator = "", name = "", ...facts]) => {
    const [departureAirport = "", destinationAirport, destinationCity, cabin] = facts;
    const [recordLocator, passenger] = await Promise.all([
      open(data, { field: "locator", id: plan }, locator),
      open(data, { field: "passenger", id }, name),
    ]);
    return {
      id,
      recordLocator,
      passenger: JSON.parse(passenger),
      departureAirport,
      destinationAirport,
      ...(destinationCity && { destinationCity }),
      ...(cabin && { cabin }),
      flights: flights
        .filter(([of]) => of === id)
        .map(([, carrier = "", number = "", date = "", from = "", to = ""]) => ({
          carrier,
          number,
          date,
          from,
          to,
        })),
      bags: bags
        .filter(([of]) => of === id)
        .map(([, bag, licencePlate = "", readable, flags, tag]) => ({
          ...{ id: Number(bag), licencePlate, flags: Number(flags ?? 0), ...(tag && { tag }) },
          ...(readable && { readable }),
        })),
    };
  });
  return Promise.all(journeys);
}

/** Whether the label's digest is that of one that the service would write, with the locator or without. */
export async function isApproved(
  keys: Keys,
  { baggageId, payloadDigest: claimed }: Readonly<Record<string, unknown>>,
  texts: Readonly<Record<string, unknown>> | undefined,
): Promise<boolean> {
  const labels = (await opened(keys, texts)).flatMap((journey) =>
    journey.bags
      .filter(({ id }) => id === baggageId)
      .flatMap((bag) => [false, true].map((showLocator) => ticketPayload(journey, bag, { showLocator }))),
  );
  const digests = await Promise.all(labels.map((label) => payloadDigest(encodePayload(label))));
  return digests.some((digest) => toBase64Url(digest) === claimed);
}
