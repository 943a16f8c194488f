import * as v from "valibot";
import { day, instant, int32, optional, text } from "./fields.ts";

/** What airlines send (rules §4, feeds): staff with `journey:write`, and only for their own airlines. */

/** IATA designator of an airline, two or three characters. */
const airline = v.pipe(v.string(), v.regex(/^[A-Z0-9]{2,3}$/));
const airport = v.pipe(v.string(), v.regex(/^[A-Z]{3}$/));
/** A day that exists in the calendar. */
const realDay = v.pipe(
  day,
  v.check((text) => new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true),
);
const licencePlate = v.pipe(v.string(), v.regex(/^(?!0{10})[0-9]{10}$/));

/** One leg; `number` without the carrier, `date` the local day of departure. */
export const AirlinePayloadFlight = v.object({
  carrier: airline,
  number: v.pipe(v.string(), v.regex(/^[0-9]{1,4}[A-Z]?$/)),
  date: realDay,
  from: airport,
  to: airport,
  scheduledDeparture: optional(instant),
  scheduledArrival: optional(instant),
});
export type AirlinePayloadFlight = v.InferOutput<typeof AirlinePayloadFlight>;

/** One bag; `flags` as in a Journey. */
export const AirlinePayloadBag = v.object({
  licencePlate,
  readable: optional(text(15)),
  flags: optional(v.pipe(int32(0), v.maxValue(3))),
});
export type AirlinePayloadBag = v.InferOutput<typeof AirlinePayloadBag>;

/** One passenger and their bags. */
export const AirlinePayloadPassenger = v.object({
  surname: v.pipe(text(64), v.regex(/\p{L}/u)),
  givenName: text(64),
  cabin: optional(text(16)),
  destinationCity: optional(text(64)),
  baggage: optional(v.pipe(v.array(AirlinePayloadBag), v.maxLength(10))),
});
export type AirlinePayloadPassenger = v.InferOutput<typeof AirlinePayloadPassenger>;

/** POST /v2/journeys/from-airline-payload: one booking, whole. */
export const JourneysFromAirlinePayloadRequest = v.object({
  airline,
  recordLocator: v.pipe(v.string(), v.regex(/^[A-Z0-9]{5,8}$/)),
  flights: v.pipe(v.array(AirlinePayloadFlight), v.minLength(1), v.maxLength(8)),
  passengers: v.pipe(v.array(AirlinePayloadPassenger), v.minLength(1), v.maxLength(99)),
});
export type JourneysFromAirlinePayloadRequest = v.InferOutput<typeof JourneysFromAirlinePayloadRequest>;

/** POST /v2/baggage-source-messages: one or more messages, one after the other. */
export const BaggageSourceMessagesRequest = v.object({ message: text(256 * 1024) });
export type BaggageSourceMessagesRequest = v.InferOutput<typeof BaggageSourceMessagesRequest>;

/**
 * What became of one message. `errorCode` and `errors` only where it was refused; `errors` never repeats its
 * text.
 */
export const BaggageMessageResult = v.object({
  /** Line of the request's text on which the message begins, from 1. */
  line: int32(1),
  /** Absent where the message is too malformed to tell. */
  action: optional(v.picklist(["ADD", "CHG", "DEL"])),
  outcome: v.picklist(["applied", "unchanged", "refused"]),
  journeyId: optional(v.string()),
  licencePlates: optional(v.array(v.string())),
  errorCode: optional(v.string()),
  errors: optional(v.array(v.string())),
});
export type BaggageMessageResult = v.InferOutput<typeof BaggageMessageResult>;

/** One result per message, in their order. */
export const BaggageSourceMessagesResponse = v.object({ results: v.array(BaggageMessageResult) });
export type BaggageSourceMessagesResponse = v.InferOutput<typeof BaggageSourceMessagesResponse>;
