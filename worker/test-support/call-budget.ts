/** D1 calls of every request a test file made, against the most a request may make. */

/** Authentication, the change, and a refusal's audit row. */
const MOST = 3;
const MOST_OF: Readonly<Record<string, number>> = {
  // A person waits for it with the tag in hand: everything travels with the authentication.
  "/v2/ebt-lookups": 1,
  // Staff wait for it: the PIN is checked before the tag's statement is looked at.
  "/v2/lock-releases": 4,
  "/v2/lock-releases refused": 4,
  // Refused by its last step, which finds that the proof was used: client, nonce and session, and the audit row.
  "/v2/auth/guest/sessions refused": 4,
  // The travel plans of a host's token are guesses, counted after it is verified and before they are granted.
  "/v2/auth/federated/sessions": 4,
  "/v2/auth/federated/sessions refused": 5,
};

/** The worst of each route so far. */
export type WorstCalls = Map<string, number>;

const ofThisFile: WorstCalls = new Map();

/** For the next file in this runtime. */
export const forgetTrips = () => ofThisFile.clear();

/** Takes the log line of a request. */
export function countCalls(line: Readonly<Record<string, unknown>>, into: WorstCalls = ofThisFile): void {
  const { route, status, calls } = line;
  // A refused look-up writes its audit row besides.
  const name = Number(status) < 400 ? `${route}` : `${route} refused`;
  into.set(name, Math.max(into.get(name) ?? 0, Number(calls ?? 0)));
}

/** Routes that took more calls than they may, each with its worst. */
export const overBudget = (worst: WorstCalls = ofThisFile): readonly (readonly [string, number])[] =>
  [...worst].filter(([route, calls]) => calls > (MOST_OF[route] ?? MOST));
