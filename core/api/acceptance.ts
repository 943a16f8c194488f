import * as v from "valibot";
import { JourneysFromAirlinePayloadRequest } from "./feeds.ts";
import { cutText, instant, int32, licencePlate, optional, text } from "./fields.ts";
import { BagAllowance, JourneyFlight, JourneyPassenger } from "./journeys.ts";

/** What the service asks of an airline's own host (docs/acceptance.md), and what the host answers. */

/** One more bag of a journey. */
export const BagAcceptance = v.object({
  /** IATA designator of the booking's airline. */
  airline: v.string(),
  /** Of the booking. */
  recordLocator: v.string(),
  /** The journey's id with the service: distinguishes passengers of one name. */
  journeyId: v.string(),
  /** Whose bag it is. */
  passenger: JourneyPassenger,
  /** Legs in their order. */
  flights: v.array(JourneyFlight),
  /** Cabin of travel, as the airline calls it. */
  cabin: optional(v.string()),
  /** The bag. */
  bag: v.object({
    /** n: it would be the journey's n-th bag. */
    number: int32(1),
    /** The plate that staff have at hand; absent: it has none yet. */
    licencePlate: optional(licencePlate),
  }),
  /** Plates of the bags that the journey has already. */
  licencePlates: v.array(v.string()),
});
export type BagAcceptance = v.InferOutput<typeof BagAcceptance>;

/** The question before a bag gets its licence plate. */
export const BagAcceptanceMessage = v.object({
  /** The kind of question. */
  type: v.literal("bag.acceptance"),
  /** When it was asked. */
  timestamp: instant,
  /** What it is about. */
  data: BagAcceptance,
});
export type BagAcceptanceMessage = v.InferOutput<typeof BagAcceptanceMessage>;

/** The host's answer to it. */
export const BagAcceptanceAnswer = v.object({
  /** The decision. */
  result: v.picklist(["accepted", "refused"]),
  /** Accepted: the bag's plate; absent: the service draws one from the airline's range. */
  licencePlate: optional(licencePlate),
  /** The plate as people read it, such as `SK123456`. */
  readable: optional(text(15)),
  /** Accepted: what the passenger may bring. */
  allowed: optional(BagAllowance),
  /** Refused: why, a code of docs/acceptance.md; any other counts as `restricted`. */
  reason: optional(v.string()),
  /** Refused: one sentence for the passenger; 200 characters count. */
  sentence: optional(cutText(200)),
});
export type BagAcceptanceAnswer = v.InferOutput<typeof BagAcceptanceAnswer>;

/** A booking that the service does not have. */
export const BookingQuery = v.object({
  /** IATA designator of the airline that is asked. */
  airline: v.string(),
  /** As typed or scanned. */
  recordLocator: v.string(),
  /** As typed or scanned: accents, case and titles do not matter, and a boarding pass cuts it. */
  surname: v.string(),
});
export type BookingQuery = v.InferOutput<typeof BookingQuery>;

/** The question for a booking. */
export const BookingRequestMessage = v.object({
  /** The kind of question. */
  type: v.literal("booking.request"),
  /** When it was asked. */
  timestamp: instant,
  /** What it is about. */
  data: BookingQuery,
});
export type BookingRequestMessage = v.InferOutput<typeof BookingRequestMessage>;

/** The host's answer to it. */
export const BookingRequestAnswer = v.object({
  /** Whether the airline has it, with a passenger of that surname. */
  result: v.picklist(["found", "not_found"]),
  /** Found: the booking, as `/v2/journeys/from-airline-payload` takes it. */
  booking: optional(JourneysFromAirlinePayloadRequest),
});
export type BookingRequestAnswer = v.InferOutput<typeof BookingRequestAnswer>;

/** What the service asks a host, by the type of the message. */
export type HostMessage = BagAcceptanceMessage | BookingRequestMessage;
