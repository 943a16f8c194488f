import * as v from "valibot";
import { day, instant, int32, licencePlate, optional, text } from "./fields.ts";
import { BagLockEnded, FailedCustodyProofs } from "./tags.ts";

/** Journeys and bags (rules §4): additions to the interface. */

/** Who flies. */
export const JourneyPassenger = v.object({
  /** As in the booking. */
  givenName: v.string(),
  /** As in the booking. */
  surname: v.string(),
});
export type JourneyPassenger = v.InferOutput<typeof JourneyPassenger>;

/** One leg. */
export const JourneyFlight = v.object({
  /** IATA designator of the airline. */
  carrier: v.string(),
  /** Flight number without the carrier. */
  number: v.string(),
  /** Local day of departure. */
  date: day,
  /** IATA code of the airport of departure. */
  from: v.string(),
  /** IATA code of the airport of arrival. */
  to: v.string(),
  /** By the timetable. */
  scheduledDeparture: optional(instant),
  /** By the timetable. */
  scheduledArrival: optional(instant),
});
export type JourneyFlight = v.InferOutput<typeof JourneyFlight>;

/** One bag. */
export const JourneyBag = v.object({
  /** The bag's number with the service. */
  baggageId: int32(1),
  /** Ten digits (IATA Resolution 740). */
  licencePlate: v.string(),
  /** Id of the tag that is locked to the bag. */
  attachedDevice: optional(v.string()),
  /** Ids of further tags that are, latest first. */
  otherDevices: optional(v.array(v.string())),
  /** Whether the first of them is marked lost. */
  lost: optional(v.boolean()),
  /** When its bag was last reported found; not where its holder has muted that. */
  foundAt: optional(instant),
  /** Whether it was, and its holder has muted that. */
  foundMuted: optional(v.boolean()),
  /** Failed custody proofs at that tag. */
  failedCustodyProofs: optional(FailedCustodyProofs),
  /** How its newest lock ended, if not by a holder; not for delegates. */
  lockEnded: optional(BagLockEnded),
  /** The plate as people read it, such as `SK123456`. */
  readable: optional(v.string()),
  /** Sum of 1 (EU green edge) and 2 (priority), as in the payload (protocol.md, Payload). */
  flags: optional(int32(0)),
});
export type JourneyBag = v.InferOutput<typeof JourneyBag>;

/** One passenger's part of a booking. */
export const Journey = v.object({
  /** The journey's id with the service. */
  journeyId: v.string(),
  /** Of the booking. */
  recordLocator: v.string(),
  /** Whose journey it is. */
  passenger: JourneyPassenger,
  /** Legs in their order. */
  flights: v.array(JourneyFlight),
  /** Bags in the order in which they were added. */
  baggage: v.array(JourneyBag),
  /** IATA code of the first airport. */
  departureAirport: v.string(),
  /** IATA code of the last airport. */
  destinationAirport: v.string(),
  /** Its city, for people. */
  destinationCity: optional(v.string()),
  /** What people call it, by language (BCP 47): English, and each whose name differs. Labels never show these. */
  destinationNames: optional(v.record(v.string(), v.string())),
  /** Cabin of travel, as the airline calls it. */
  cabin: optional(v.string()),
  /** False: the operator lists no electronic tags for the first flight's airline at its airport; the tag may still be written. */
  acceptsTags: optional(v.literal(false)),
  /** Rises with every change that a label shows. */
  version: int32(0),
  /** Seen as a delegate: locator and surname are masked (rules §5, "Delegates"). */
  delegationId: optional(v.string()),
});
export type Journey = v.InferOutput<typeof Journey>;

/** POST /v2/journeys/from-record-locator. */
export const JourneyFromRecordLocatorRequest = v.object({
  /** Of the booking. */
  recordLocator: text(64),
  /** Of any passenger of the booking; accents, case and titles do not matter. */
  surname: text(128),
  /** The booking's airline: needed where several airlines have such a booking (`airline_required`). */
  airline: optional(text(3)),
});
export type JourneyFromRecordLocatorRequest = v.InferOutput<typeof JourneyFromRecordLocatorRequest>;

/** POST /v2/journeys/from-bcbp. */
export const JourneyFromBcbpRequest = v.object({
  /** The barcode's text, untrimmed (IATA Resolution 792). */
  scanData: text(2_048),
  /** The booking's airline, where it is known. */
  airline: optional(text(3)),
});
export type JourneyFromBcbpRequest = v.InferOutput<typeof JourneyFromBcbpRequest>;

/** POST /v2/journeys/{journeyId}/baggage-tags. */
export const BaggageTagRequest = v.object({
  /** Licence plate that the airline has given. */
  lpn: optional(licencePlate),
  /** n asks for the journey's n-th bag: where there is one already, nothing is added. */
  slotNumber: optional(int32(1)),
});
export type BaggageTagRequest = v.InferOutput<typeof BaggageTagRequest>;

/** What the airline allows, where it was asked (docs/acceptance.md). */
export const BagAllowance = v.object({
  /** The most that the bag may weigh. */
  kilograms: optional(int32(1)),
  /** The most bags that the journey may have. */
  pieces: optional(int32(1)),
});
export type BagAllowance = v.InferOutput<typeof BagAllowance>;

/** The Journey with its new bag. */
export const BaggageTagResponse = v.object({
  ...Journey.entries,
  /** With a bag that was added now. */
  allowed: optional(BagAllowance),
});
export type BaggageTagResponse = v.InferOutput<typeof BaggageTagResponse>;

/** The Journey asked for, and the other passengers of the same booking. */
export const JourneyWithCompanions = v.object({
  ...Journey.entries,
  /** Journeys of the others in the booking. */
  companions: optional(v.array(Journey)),
});
export type JourneyWithCompanions = v.InferOutput<typeof JourneyWithCompanions>;

/** POST /v2/journeys: the caller's own. */
export const JourneyListResponse = v.object({
  /** None where the caller has loaded none. */
  journeys: v.array(Journey),
});
export type JourneyListResponse = v.InferOutput<typeof JourneyListResponse>;
