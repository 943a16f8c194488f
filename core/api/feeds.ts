import * as v from "valibot";
import { STATUS_OF } from "./error-codes.ts";
import { day, instant, int32, licencePlate, optional, text } from "./fields.ts";
import { Journey } from "./journeys.ts";

/** What airlines send (rules §4, feeds): staff with `journey:write`, and only for their own airlines. */

/** IATA designator of an airline, two or three characters. */
const airline = v.pipe(v.string(), v.regex(/^[A-Z0-9]{2,3}$/));
/** IATA code of an airport. */
const airport = v.pipe(v.string(), v.regex(/^[A-Z]{3}$/));
/** A day that exists in the calendar. */
const realDay = v.pipe(
  day,
  v.check((text) => new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true),
);

/** One leg. */
export const AirlinePayloadFlight = v.object({
  carrier: airline,
  /** Flight number without the carrier. */
  number: v.pipe(v.string(), v.regex(/^[0-9]{1,4}[A-Z]?$/)),
  /** Local day of departure. */
  date: realDay,
  from: airport,
  to: airport,
  /** By the timetable. */
  scheduledDeparture: optional(instant),
  /** By the timetable. */
  scheduledArrival: optional(instant),
});
export type AirlinePayloadFlight = v.InferOutput<typeof AirlinePayloadFlight>;

/** One bag. */
export const AirlinePayloadBag = v.object({
  licencePlate,
  /** The plate as people read it, such as `SK123456`. */
  readable: optional(text(15)),
  /** As in a Journey. */
  flags: optional(v.pipe(int32(0), v.maxValue(3))),
});
export type AirlinePayloadBag = v.InferOutput<typeof AirlinePayloadBag>;

/** One passenger and their bags. */
export const AirlinePayloadPassenger = v.object({
  /** As in the booking. */
  surname: v.pipe(
    text(64),
    v.check((name) => /\p{L}/u.test(name)),
  ),
  /** As in the booking. */
  givenName: text(64),
  /** Cabin of travel, as the airline calls it. */
  cabin: optional(text(16)),
  /** City of the last airport, for people. */
  destinationCity: optional(text(64)),
  /** Bags that are known already. */
  baggage: optional(v.pipe(v.array(AirlinePayloadBag), v.maxLength(10))),
});
export type AirlinePayloadPassenger = v.InferOutput<typeof AirlinePayloadPassenger>;

/** POST /v2/journeys/from-airline-payload: one booking, whole. */
export const JourneysFromAirlinePayloadRequest = v.object({
  airline,
  /** Of the booking. */
  recordLocator: v.pipe(v.string(), v.regex(/^[A-Z0-9]{5,8}$/)),
  /** Legs in their order. */
  flights: v.pipe(v.array(AirlinePayloadFlight), v.minLength(1), v.maxLength(8)),
  /** Those it does not name stay as they are. */
  passengers: v.pipe(v.array(AirlinePayloadPassenger), v.minLength(1), v.maxLength(99)),
  /**
   * Withdraws instead: the passengers named, with their bags, or the whole booking. Nothing goes while a tag is locked
   * to a bag of theirs.
   */
  withdraw: optional(v.picklist(["passengers", "booking"])),
});
export type JourneysFromAirlinePayloadRequest = v.InferOutput<typeof JourneysFromAirlinePayloadRequest>;

/** The whole booking as it is now. */
export const JourneysFromAirlinePayloadResponse = v.object({
  /** None once it is withdrawn. */
  journeys: v.array(Journey),
  /**
   * Members of the request that the service ignores, by their dotted names, and given names that were not kept because the
   * passenger is known by a longer or shorter one: the first twenty.
   */
  ignored: optional(v.array(v.string())),
});
export type JourneysFromAirlinePayloadResponse = v.InferOutput<typeof JourneysFromAirlinePayloadResponse>;

/** POST /v2/baggage-source-messages: one or more messages, one after the other. */
export const BaggageSourceMessagesRequest = v.object({
  /** From `BSM` to `ENDBSM` or `BTM` to `ENDBTM`, one message after the other, with LF, CR LF or CR CR LF (IATA RP 1745). */
  message: text(256 * 1024),
});
export type BaggageSourceMessagesRequest = v.InferOutput<typeof BaggageSourceMessagesRequest>;

/** What became of one message. */
export const BaggageMessageResult = v.object({
  /** Line of the request's text on which the message begins, from 1. */
  line: int32(1),
  /** What the message asked for; absent where it is too malformed. */
  action: optional(v.picklist(["ADD", "CHG", "DEL"])),
  /** What was done. */
  outcome: v.picklist(["applied", "unchanged", "refused"]),
  /** The journey it is about: that of the first passenger with bags. */
  journeyId: optional(v.string()),
  /** The plates it names. */
  licencePlates: optional(v.array(v.string())),
  /**
   * What it says and the service ignores, each once: elements such as `.S` or `.E/RUSH`, `.P` where not every passenger it
   * counts or names was kept, `.L/LH` where the locator is another airline's.
   */
  ignored: optional(v.array(v.string())),
  /** Why it was refused: a code of the error table. */
  errorCode: optional(v.pipe(v.string(), v.metadata({ knownValues: Object.keys(STATUS_OF) }))),
  /** Where and why it was refused; never repeats its text. */
  errors: optional(v.array(v.string())),
});
export type BaggageMessageResult = v.InferOutput<typeof BaggageMessageResult>;

/** One result per message, in their order. */
export const BaggageSourceMessagesResponse = v.object({
  /** In the order of the messages. */
  results: v.array(BaggageMessageResult),
});
export type BaggageSourceMessagesResponse = v.InferOutput<typeof BaggageSourceMessagesResponse>;
