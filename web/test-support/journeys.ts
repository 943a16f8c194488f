import type { Journey } from "../../sdk/index.ts";

/** Two flights, two bags; as the service answers it. Its day is a Sunday that never comes: the page clears tags after it. */
export const LOVELACE: Journey = {
  journeyId: "journey-1",
  recordLocator: "ABC123",
  passenger: { givenName: "ADA", surname: "LOVELACE" },
  flights: [
    { carrier: "SK", number: "1234", date: "2099-11-22", from: "OSL", to: "ARN" },
    { carrier: "SK", number: "0999", date: "2099-11-22", from: "ARN", to: "HEL" },
  ],
  baggage: [
    { baggageId: 1, licencePlate: "0117123456", readable: "SK 123456", flags: 1 },
    { baggageId: 2, licencePlate: "0117123457", readable: "SK 123457", flags: 1 },
  ],
  departureAirport: "OSL",
  destinationAirport: "HEL",
  destinationCity: "Helsinki",
  version: 1,
};
