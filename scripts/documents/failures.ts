/** The state of a virtual tag after each failure of the profile, in the words of the table in docs/protocol.md. */
import { STATUS, type StatusName } from "../../core/gatt/profile.ts";
import { type FailureName, SecError } from "../../core/sec/errors.ts";
import { type Departure, departureOf, TagRefusal } from "../../sim/tag/refusal.ts";

interface Seen {
  readonly beforeKeys: string;
  readonly withKeys: string;
}

const SUCCESSES: readonly StatusName[] = ["OK", "AUTHORIZED", "COMMITTED", "BUSY_DISPLAY"];

function words({ clear, record }: Departure): string {
  if (record !== undefined) return "record";
  if (clear === undefined) return "";
  return clear.type === "ALERT" ? "alert" : `error ${clear.message[0]}`;
}

function seen(name: FailureName): Seen {
  const details = name === "SUITE" ? { suitesR: [6, 3] } : {};
  const refusal = new TagRefusal(new SecError(name, details));
  return {
    beforeKeys: words(departureOf(refusal, "secBeforeKeys")),
    withKeys: words(departureOf(refusal, "secWithKeys")),
  };
}

const failures = (Object.keys(STATUS) as StatusName[]).filter((name) => !SUCCESSES.includes(name));

export const FAILURE_CASES: ReadonlyMap<StatusName, Seen> = new Map(
  failures.map((name) => [name, seen(name as FailureName)]),
);
