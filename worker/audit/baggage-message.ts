import { and, eq, gt, inArray, sql } from "drizzle-orm";
import type { BagEventName, JourneyPassenger } from "../../core/api/index.ts";
import type { BsmAction } from "../../core/bag/bsm.ts";
import type { BsmFlight, BsmName } from "../../core/bag/bsm-elements.ts";
import { bsmText, type SentMessage } from "../../core/bag/bsm-text.ts";
import { FormatError } from "../../core/bag/errors.ts";
import { LABEL_FLAG } from "../../core/bag/payload.ts";
import { plainText } from "../../core/bag/record-locator.ts";
import { spellings } from "../../core/bag/surname-spelling.ts";
import { bags, flights, journeys, type RemovedFlight, removedBags, travelPlans } from "../../db/schema.ts";
import { type AnswersOf, inBatch, inList } from "../database/batch.ts";
import type { RunContext } from "../run-context.ts";
import { open } from "../secrets/sealed.ts";
import { openPassenger } from "../secrets/sealed-passenger.ts";
import type { EventRow } from "./event-feed.ts";

/**
 * What a sorter must know of an event, as baggage source messages (docs/feed.md). They hold names and locators, so they are made
 * of the sealed booking for one delivery, and stored nowhere.
 */

/** The message of each event; every other has none, because a sorter need not know of it. */
export const MESSAGE_OF: Readonly<Partial<Record<BagEventName, BsmAction>>> = {
  bag_added: "ADD",
  bag_removed: "DEL",
  attached: "CHG",
  // The bag is still checked in, under the same plate: a cleared tag is no deleted bag.
  cleared: "CHG",
};

/** Claims have none, because any caller may make them. */
export function messageKind(
  row: Pick<EventRow, "event" | "baggageId" | "licencePlate" | "evidence">,
): BsmAction | undefined {
  const { event, baggageId, licencePlate, evidence } = row;
  if (baggageId === null || licencePlate === null) return undefined;
  if (evidence === "claimed" || evidence === "confirmed") return undefined;
  return MESSAGE_OF[event as BagEventName];
}

/** Statements of {@link readMessages}. */
export const PER_MESSAGES = 3;

/** The text of an event; undefined where it has none, or where nothing is left to make it of. */
export type MessageReader = (row: EventRow) => Promise<string | undefined>;

/** Reads what the messages of `rows` are made of; each text is made when it is first asked for. */
export async function readMessages(
  ctx: Pick<RunContext, "db" | "settings" | "now">,
  rows: readonly EventRow[],
): Promise<MessageReader> {
  const about = rows.filter((row) => messageKind(row) !== undefined);
  if (about.length === 0) return () => Promise.resolve(undefined);
  const ids = [...new Set(about.flatMap(({ baggageId }) => baggageId ?? []))];
  const facts = await inBatch(ctx.db, readBags(ctx, ids));
  const texts = new Map<number, Promise<string | undefined>>();
  return (row) => {
    const text = texts.get(row.id) ?? textOf(ctx, row, facts);
    texts.set(row.id, text);
    return text;
  };
}

function readBags({ db, now }: Pick<RunContext, "db" | "now">, ids: readonly number[]) {
  const isNamed = inArray(bags.id, inList(ids));
  // Spelt out: in a select of one table, columns lose their table's name.
  const isPlateInUse = sql<number>`exists (select 1 from ${bags} as other
    where other.licence_plate = ${removedBags}.licence_plate and other.flight_date = ${removedBags}.flight_date)`;
  return {
    present: db
      .select({
        id: bags.id,
        licencePlate: bags.licencePlate,
        flags: bags.flags,
        journeyId: bags.journeyId,
        planId: journeys.planId,
        passengerSealed: journeys.passengerSealed,
        cabin: journeys.cabin,
        airline: travelPlans.airline,
        locatorSealed: travelPlans.locatorSealed,
      })
      .from(bags)
      .innerJoin(journeys, eq(journeys.id, bags.journeyId))
      .innerJoin(travelPlans, eq(travelPlans.id, journeys.planId))
      .where(and(isNamed, gt(travelPlans.endsAt, now))),
    legs: db
      .select()
      .from(flights)
      .where(inArray(flights.journeyId, db.select({ of: bags.journeyId }).from(bags).where(isNamed)))
      .orderBy(flights.journeyId, flights.position),
    removed: db
      .select({
        id: removedBags.id,
        licencePlate: removedBags.licencePlate,
        cabin: removedBags.cabin,
        flights: removedBags.flights,
        isPlateInUse: isPlateInUse.as("is_plate_in_use"),
      })
      .from(removedBags)
      .where(and(inArray(removedBags.id, inList(ids)), gt(removedBags.endsAt, now))),
  };
}
type Facts = AnswersOf<ReturnType<typeof readBags>>;

type Context = Pick<RunContext, "settings" | "now">;

async function textOf(ctx: Context, row: EventRow, facts: Facts): Promise<string | undefined> {
  const action = messageKind(row);
  if (action === undefined) return undefined;
  const message = action === "DEL" ? removalOf(ctx, row, facts) : await bookedOf(ctx, row, action, facts);
  if (message === undefined) return undefined;
  try {
    return bsmText(message, ctx.now);
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}

/** Of a bag that is gone: plate and flights. None while another bag has the plate, which a sorter must not forget. */
function removalOf({ now }: Context, row: EventRow, { removed }: Facts): SentMessage | undefined {
  const bag = removed.find(({ id }) => id === row.baggageId);
  if (bag === undefined || bag.licencePlate !== row.licencePlate || bag.isPlateInUse === 1) return undefined;
  return routed(now, "DEL", bag, bag.flights);
}

async function bookedOf(
  { now, settings: { dataKey } }: Context,
  row: EventRow,
  action: BsmAction,
  { present, legs }: Facts,
): Promise<SentMessage | undefined> {
  const bag = present.find(({ id }) => id === row.baggageId);
  // A bag that has gone since, or another one that has got its number.
  if (bag === undefined || bag.journeyId !== row.journeyId || bag.licencePlate !== row.licencePlate) {
    return undefined;
  }
  const { planId, journeyId, licencePlate, passengerSealed, locatorSealed, airline } = bag;
  if (airline !== row.airline || passengerSealed === null || locatorSealed === "") return undefined;
  const own = legs.filter((leg) => leg.journeyId === journeyId);
  const message = routed(now, action, bag, own);
  if (message === undefined) return undefined;
  const opened = await Promise.all([
    open(dataKey, { field: "locator", id: planId }, locatorSealed),
    openPassenger(dataKey, journeyId, passengerSealed),
  ]).catch(() => undefined);
  if (opened === undefined) return undefined;
  const [recordLocator, { passenger: name, loading }] = opened;
  const passenger = printedName(name);
  const lines = loading[licencePlate];
  return {
    ...message,
    ...(lines && { loading: [{ plates: message.plates, lines }] }),
    ...(passenger && { passenger }),
    recordLocator,
    exceptions: (bag.flags ?? 0) & LABEL_FLAG.PRIORITY ? ["PRIO"] : [],
  };
}

type Leg = RemovedFlight & { readonly scheduledDeparture?: number | null };

/**
 * `.V`, `.F`, `.O` and `.N`; undefined once the last flight's day is over. Of a change once the bag is under way: a sorter has
 * nothing to do for it any more.
 */
function routed(
  now: number,
  action: BsmAction,
  { licencePlate, cabin }: { readonly licencePlate: string; readonly cabin: string | null },
  legs: readonly Leg[],
): SentMessage | undefined {
  const [first] = legs;
  if (first === undefined || legs.every(({ date }) => endOfDay(date) <= now)) return undefined;
  if (action === "CHG" && (first.scheduledDeparture ?? endOfDay(first.date)) <= now) return undefined;
  const travelClass = cabin !== null && /^[A-Z]$/.test(cabin) ? { travelClass: cabin } : {};
  const flightOf = ({ carrier, number, date, to }: Leg): BsmFlight => {
    return { carrier, number, date, airport: to, ...travelClass };
  };
  return {
    action,
    source: "L",
    station: first.from,
    flight: flightOf(first),
    onward: legs.slice(1).map(flightOf),
    plates: [licencePlate],
    exceptions: [],
  };
}

/** When a day is over at every airport: twelve hours later than in UTC. */
const endOfDay = (date: string) => Date.parse(date) + 36 * 3_600_000;

/** As a ticket prints it, A to Z; undefined for a surname in a script that has no such spelling. */
function printedName({ surname, givenName }: JourneyPassenger): BsmName | undefined {
  const printed = { surname: inLetters(surname), givenName: inLetters(givenName) };
  return printed.surname === "" ? undefined : printed;
}

const PRINTABLE = /^[A-Z][A-Z .'-]{0,63}$/;
function inLetters(name: string): string {
  const plain = plainText(name).toUpperCase();
  return [plain, ...spellings(name)].find((one) => PRINTABLE.test(one)) ?? "";
}
