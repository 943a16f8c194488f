import type {
  BagAcceptanceAnswer,
  BagAcceptanceMessage,
  BookingRequestAnswer,
  BookingRequestMessage,
} from "../acceptance.ts";
import type { AirlinePayloadFlight } from "../feeds.ts";
import { PATH_EXAMPLE } from "./examples.ts";

/** Questions to an airline's host and its answers, as the OpenAPI document and docs/acceptance.md show them. */

const timestamp = "2027-03-13T12:00:00.000Z";
const FLIGHT: AirlinePayloadFlight = {
  ...{ carrier: "SK", number: "1234", date: "2027-03-14" },
  ...{ from: "OSL", to: "ARN" },
};
const LOVELACE = { surname: "LOVELACE", givenName: "ADA" };

export const HOST_EXAMPLES = {
  BagAcceptance: {
    message: {
      type: "bag.acceptance",
      timestamp,
      data: {
        ...{ airline: "SK", recordLocator: "ABC123", journeyId: PATH_EXAMPLE, passenger: LOVELACE },
        flights: [FLIGHT],
        ...{ bag: { number: 2 }, licencePlates: ["0117123456"] },
      },
    } satisfies BagAcceptanceMessage,
    answer: {
      ...{ result: "accepted", licencePlate: "0117123457" },
      allowed: { kilograms: 23, pieces: 2 },
    } satisfies BagAcceptanceAnswer,
  },
  BookingRequest: {
    message: {
      type: "booking.request",
      timestamp,
      data: { airline: "SK", recordLocator: "ABC123", surname: "lovelace" },
    } satisfies BookingRequestMessage,
    answer: {
      result: "found",
      booking: { airline: "SK", recordLocator: "ABC123", flights: [FLIGHT], passengers: [LOVELACE] },
    } satisfies BookingRequestAnswer,
  },
} as const;
