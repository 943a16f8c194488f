import * as v from "valibot";
import { day, instant, int32, optional, text } from "./fields.ts";
import { FailedCustodyProofs } from "./tags.ts";

/** Journeys and bags (rules §4): additions to the interface. */

export const JourneyPassenger = v.object({
  givenName: v.string(),
  surname: v.string(),
});
export type JourneyPassenger = v.InferOutput<typeof JourneyPassenger>;

/** One leg. `number` is the flight number without the carrier, `date` the local day of departure. */
export const JourneyFlight = v.object({
  carrier: v.string(),
  number: v.string(),
  date: day,
  from: v.string(),
  to: v.string(),
  scheduledDeparture: optional(instant),
  scheduledArrival: optional(instant),
});
export type JourneyFlight = v.InferOutput<typeof JourneyFlight>;

/**
 * One bag. `attachedDevice` is the device id of the tag locked to it, `otherDevices` those of further tags
 * that are, latest first; `lost` whether the first is marked lost,
 * `failedCustodyProofs` the failed proofs at that tag; `flags` as in the payload (protocol.md, Payload, 9).
 */
export const JourneyBag = v.object({
  baggageId: int32(1),
  licencePlate: v.string(),
  attachedDevice: optional(v.string()),
  otherDevices: optional(v.array(v.string())),
  lost: optional(v.boolean()),
  failedCustodyProofs: optional(FailedCustodyProofs),
  readable: optional(v.string()),
  flags: optional(int32(0)),
});
export type JourneyBag = v.InferOutput<typeof JourneyBag>;

/** One passenger's part of a booking. */
export const Journey = v.object({
  journeyId: v.string(),
  recordLocator: v.string(),
  passenger: JourneyPassenger,
  flights: v.array(JourneyFlight),
  baggage: v.array(JourneyBag),
  departureAirport: v.string(),
  destinationAirport: v.string(),
  destinationCity: optional(v.string()),
  cabin: optional(v.string()),
  version: int32(0),
});
export type Journey = v.InferOutput<typeof Journey>;

/** POST /v2/journeys/from-record-locator. */
export const JourneyFromRecordLocatorRequest = v.object({
  recordLocator: text(64),
  surname: text(128),
});
export type JourneyFromRecordLocatorRequest = v.InferOutput<typeof JourneyFromRecordLocatorRequest>;

/** POST /v2/journeys/from-bcbp: a boarding pass as scanned, and the airline of the booking if it is known. */
export const JourneyFromBcbpRequest = v.object({
  scanData: text(2_048),
  airline: optional(text(3)),
});
export type JourneyFromBcbpRequest = v.InferOutput<typeof JourneyFromBcbpRequest>;

/**
 * POST /v2/journeys/{journeyId}/baggage-tags. `slotNumber` n asks for the journey's n-th bag: where there is one
 * already, nothing is added. `lpn` is a licence plate the airline has given.
 */
export const BaggageTagRequest = v.object({
  lpn: optional(v.pipe(v.string(), v.regex(/^(?!0{10})[0-9]{10}$/))),
  slotNumber: optional(int32(1)),
});
export type BaggageTagRequest = v.InferOutput<typeof BaggageTagRequest>;

/** The Journey asked for, and the other passengers of the same booking. */
export const JourneyWithCompanions = v.object({
  ...Journey.entries,
  companions: optional(v.array(Journey)),
});
export type JourneyWithCompanions = v.InferOutput<typeof JourneyWithCompanions>;

/** POST /v2/journeys: the caller's own. */
export const JourneyListResponse = v.object({ journeys: v.array(Journey) });
export type JourneyListResponse = v.InferOutput<typeof JourneyListResponse>;
