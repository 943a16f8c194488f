import type { BagEvent, EventsRequest, EventsResponse } from "../../core/api/index.ts";
import type { Settings } from "../config/env.ts";
import type { BearerContext } from "../context.ts";
import { inBatch } from "../database/batch.ts";
import { ApiError } from "../errors.ts";
import { requiresLoad } from "../journeys/staff-loads.ts";
import { defined } from "../journeys/view.ts";
import { hmacText, open, seal } from "../secrets/sealed.ts";
import { readMessages } from "./baggage-message.ts";
import {
  BEGINNING,
  type EventPage,
  type EventRow,
  type Place,
  pageOf,
  placeBefore,
  type Reading,
  selectEvents,
} from "./event-feed.ts";

/**
 * What happens to bags and tags of the caller's airlines, oldest first (rules §5): the audit log, read forward from a
 * cursor. A client that stores the last cursor misses nothing.
 */

const LIMIT = 100;

/** Throws `invalid_request` for a cursor that the service did not issue. */
export async function followEvents(ctx: BearerContext, request: EventsRequest): Promise<EventsResponse> {
  const { settings, principal } = ctx;
  const reading = {
    after: await placeOf(ctx, request),
    airlines: principal.airlines,
    limit: request.limit ?? LIMIT,
    rows: settings.limits.eventRowsPerPage,
  };
  const { events, after, more, fault } = await readOn(ctx, reading);
  const messageOf = canReadMessages(ctx) ? await readMessages(ctx, events) : undefined;
  return {
    events: await Promise.all(
      events.map(async (row) => withMessage(await eventOf(settings, row), await messageOf?.(row))),
    ),
    cursor: await sealCursor(ctx, "events", after),
    more,
    ...(fault !== undefined && { missed: true }),
  };
}

/** Never a kiosk's session, which sees no name of a booking that it has not loaded, whatever its scopes. */
const canReadMessages = (ctx: BearerContext): boolean =>
  ctx.principal.scopes.includes("baggage:message") && !requiresLoad(ctx);

/** Reads on; from the beginning where the place is not of this log. */
export async function readOn({ db }: Pick<BearerContext, "db">, reading: Reading): Promise<EventPage> {
  const page = pageOf(reading, await inBatch(db, selectEvents(db, reading)));
  if (page.fault !== "foreign") return page;
  const fromStart = { ...reading, after: BEGINNING };
  return { ...pageOf(fromStart, await inBatch(db, selectEvents(db, fromStart))), fault: "foreign" };
}

async function placeOf(ctx: BearerContext, { cursor, from }: EventsRequest): Promise<Place> {
  if (cursor !== undefined) return openCursor(ctx, "events", cursor);
  if (from === undefined) return BEGINNING;
  const { place } = await inBatch(ctx.db, {
    place: placeBefore(ctx.db, ctx.principal.airlines, Date.parse(from)),
  });
  return place[0] ?? BEGINNING;
}

/** An event as listeners get it, without its actor. */
export async function eventOf({ pepperKey }: Settings, row: EventRow): Promise<BagEvent> {
  const { id, at, event, airline, device: uniqueDeviceId, ...bag } = row;
  return {
    id: (await hmacText(pepperKey, "event", String(id), String(at))).slice(0, 22),
    at: new Date(at).toISOString(),
    event,
    airline,
    ...defined({ uniqueDeviceId, ...bag }),
  };
}

/** With what a sorter must know of it, if the reader may see that. */
export const withMessage = (event: BagEvent, baggageMessage: string | undefined): BagEvent =>
  baggageMessage === undefined ? event : { ...event, baggageMessage };

/** Which way the log is read: a cursor of one leads nowhere in the other. */
type Direction = "events" | "audit-events";
const cursorOf = (id: Direction) => ({ field: "cursor", id }) as const;

/** A row's id and time, sealed, because ids would show an airline how much happens at others. */
export const sealCursor = ({ settings }: BearerContext, direction: Direction, { id, at }: Place) =>
  seal(settings.dataKey, cursorOf(direction), `${id} ${at}`);

/** Throws `invalid_request` for a cursor that the service did not issue. */
export async function openCursor(
  { settings }: BearerContext,
  direction: Direction,
  cursor: string,
): Promise<Place> {
  try {
    const [id, at] = (await open(settings.dataKey, cursorOf(direction), cursor)).split(" ").map(Number);
    return { id: id as number, at: at as number };
  } catch {
    throw new ApiError("invalid_request", {
      message: "The request is malformed: cursor.",
      errors: ["cursor must be one that this service has given, not long ago"],
    });
  }
}
