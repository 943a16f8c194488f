import { inArray } from "drizzle-orm";
import {
  type BookingQuery,
  BookingRequestAnswer,
  type JourneysFromAirlinePayloadRequest,
} from "../../core/api/index.ts";
import { foldLocator } from "../../core/bag/record-locator.ts";
import { presentedTokens, storedTokens, surnamesMatch } from "../../core/bag/surname.ts";
import { acceptanceHosts } from "../../db/schema.ts";
import type { BearerContext } from "../context.ts";
import { ApiError } from "../errors.ts";
import { takePayload } from "../feeds/airline-payload.ts";
import { askHost, type Host } from "./ask.ts";

/**
 * Bookings that the service does not have, asked of their airlines (docs/acceptance.md). What a host answers is taken as the
 * airline's own feed of one booking, and only where locator and surname are those that the caller has named: no host can put
 * another booking before the caller, nor another airline's.
 */

/** Hosts that a request asks at most, all at once. */
const MOST = 3;

/** Any other is of no booking that a feed could bring (core/api, feeds). */
const LOCATOR = /^[A-Z0-9]{5,8}$/;

/** One question: which booking, of whom. */
export type Wanted = Omit<BookingQuery, "airline">;

/** The hosts of the client's airlines, or the staff account's, or of the one `named`; undefined where none is asked. */
export function readHosts({ db, client, principal }: BearerContext, named: string | undefined) {
  const own = principal.staff ? principal.airlines : client.airlines;
  const airlines = own.filter((one) => named === undefined || one === named.trim().toUpperCase());
  if (client.flags.askAirlines !== true || airlines.length === 0) return undefined;
  return db
    .select()
    .from(acceptanceHosts)
    .where(inArray(acceptanceHosts.airline, airlines))
    .orderBy(acceptanceHosts.airline);
}

/** Asks for each of `questions` at once, and stores what is found. Returns whether anything was. */
export async function takeBookings(
  ctx: BearerContext,
  questions: readonly { readonly host: Host; readonly wanted: Wanted }[],
): Promise<boolean> {
  const taken = await Promise.all(
    questions
      .filter(({ wanted }) => LOCATOR.test(wanted.recordLocator))
      .slice(0, MOST)
      .map(async ({ host, wanted }) => {
        const booking = await askFor(ctx, host, wanted);
        return booking !== undefined && (await take(ctx, booking));
      }),
  );
  return taken.includes(true);
}

/** The booking, if the host has answered with the one that is wanted. */
async function askFor(
  ctx: BearerContext,
  host: Host,
  wanted: Wanted,
): Promise<JourneysFromAirlinePayloadRequest | undefined> {
  const timestamp = new Date(ctx.now).toISOString();
  const data = { airline: host.airline, ...wanted };
  const message = { type: "booking.request", timestamp, data } as const;
  const answer = await askHost(ctx, host, message, { schema: BookingRequestAnswer, tries: 1 });
  if (!answer.ok) {
    ctx.unread.add(`booking.request: ${answer.fault}`);
    return undefined;
  }
  const { result, booking } = answer.value;
  if (result === "not_found" || booking === undefined) return undefined;
  if (await isWanted(ctx, booking, data)) return booking;
  ctx.unread.add("booking.request: another booking");
  return undefined;
}

/** Whether it is that airline's booking under the locator, and one of its passengers has the surname. */
async function isWanted(
  { settings: { pepperKey }, now }: BearerContext,
  { airline, recordLocator, passengers }: JourneysFromAirlinePayloadRequest,
  wanted: BookingQuery,
): Promise<boolean> {
  const locator = foldLocator(wanted.recordLocator);
  if (airline !== wanted.airline || foldLocator(recordLocator) !== locator) return false;
  const presented = await presentedTokens(pepperKey, locator, wanted.surname, now);
  const named = await Promise.all(
    passengers.map(async ({ surname }) =>
      surnamesMatch(await storedTokens(pepperKey, locator, surname), presented),
    ),
  );
  return named.includes(true);
}

/** By the rules of the airline's feed (docs/feed.md): what these refuse is not found. */
async function take(
  ctx: BearerContext,
  { withdraw: _, ...booking }: JourneysFromAirlinePayloadRequest,
): Promise<boolean> {
  const principal = { ...ctx.principal, airlines: [booking.airline] };
  try {
    await takePayload({ ...ctx, principal }, booking, { ignored: () => [] });
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    ctx.unread.add(`booking.request: ${error.code}`);
    return false;
  }
}
