/** D1 calls of every request a test file made, against the most a request may make. */

/** Who calls, what is read, and the change that follows from it; a refusal has its audit row besides. */
const MOST = 3;
const MOST_REFUSED = 4;
const MOST_OF: Readonly<Record<string, number>> = {
  // What these read travels with the authentication.
  "/v2/ebt-lookups": 1,
  "/v2/ebt-authorizations": 2,
  "/v2/device-attachments": 2,
  "/v2/ebt-unlocks": 2,
  // The travel plans of a host's token are guesses, counted after it is verified and before they are granted.
  "/v2/auth/federated/sessions": 4,
  "/v2/auth/federated/sessions refused": 5,
  // Refused by a batch that fails as a whole, because nonce or proof were used before: asked once more, which it was.
  "/v2/auth/attestation/sessions refused": 5,
  // Hosts that are asked for a booking: the guess, what a feed of each booking takes, and the search and the opening again.
  "/v2/journeys/from-record-locator": 8,
  "/v2/journeys/from-record-locator refused": 10,
  "/v2/journeys/from-bcbp": 8,
  "/v2/journeys/from-bcbp refused": 10,
  // The airline's host is asked between two of them, and its plate may be another bag's (docs/acceptance.md).
  "/v2/journeys/{journeyId}/baggage-tags": 4,
  "/v2/journeys/{journeyId}/baggage-tags refused": 5,
  // After an answer: who is due, leases, a window, bookings, and a store for each webhook (there are few) and at the end.
  webhooks: 10,
  // The list of origins, once a minute.
  "/v2/auth/nonces": 1,
};

/** The worst of each route so far. */
const worst = new Map<string, number>();

/** For the next file in this runtime. */
export const forgetTrips = () => worst.clear();

/** Takes the log line of a request. */
export function countCalls(line: Readonly<Record<string, unknown>>): void {
  const { route, status, calls = 0, again = 0 } = line;
  // A refused look-up writes its audit row besides.
  const name = Number(status) < 400 ? `${route}` : `${route} refused`;
  worst.set(name, Math.max(worst.get(name) ?? 0, Number(calls) - Number(again)));
}

/** Routes that took more calls than they may, each with its worst. */
export const overBudget = (): readonly (readonly [string, number])[] =>
  [...worst].filter(
    ([route, calls]) => calls > (MOST_OF[route] ?? (route.endsWith("refused") ? MOST_REFUSED : MOST)),
  );
