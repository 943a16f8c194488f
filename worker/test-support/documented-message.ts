/**
 * A reader of baggage messages as a developer would write it who has docs/feed.md, section "Baggage messages out", and nothing
 * else: it shares no code with the service.
 */

export interface DocumentedFlight {
  readonly airline: string;
  readonly number: string;
  readonly day: string;
  readonly to: string;
  readonly travelClass: string | undefined;
}

export interface DocumentedMessage {
  readonly kind: "add" | "CHG" | "DEL";
  readonly from: string;
  readonly flights: readonly DocumentedFlight[];
  readonly plate: string;
  /** `.S` and `.W` as they stand. */
  readonly loading: readonly string[];
  readonly name: { readonly surname: string; readonly givenNames: string | undefined } | undefined;
  readonly recordLocator: string | undefined;
  readonly isPriority: boolean;
}

const FLIGHT =
  /^([A-Z0-9]{2}[A-Z]?)(\d{1,4}[A-Z]?)\/(\d\d(?:JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC))\/([A-Z]{3})(?:\/([A-Z]))?$/;

const NAME = "[A-Z .'-]+";
const MESSAGE = new RegExp(
  [
    String.raw`^BSM\n(?:(?<kind>CHG|DEL)\n)?\.V/1L(?<from>[A-Z]{3})\n`,
    String.raw`(?<flights>\.F/.+\n(?:\.O/.+\n)*)\.N/(?<plate>\d{10})001\n`,
    String.raw`(?<rest>(?<loading>(?:\.[SW]/.+\n)*)`,
    String.raw`(?:\.P/(?<surname>${NAME})(?:/(?<givenNames>${NAME}))?\n)?`,
    String.raw`(?:\.L/(?<locator>[A-Z0-9]+)\n)?(?<priority>\.E/PRIO\n)?)ENDBSM\n$`,
  ].join(""),
);

/** Throws an Error for what the page does not describe, and for lines in another order. */
export function readDocumented(text: string): DocumentedMessage {
  const found = MESSAGE.exec(text)?.groups;
  if (found === undefined) throw new Error(`${text} is no message`);
  const { kind = "add", from = "", flights = "", plate = "", rest, loading = "", surname } = found;
  if (kind === "DEL" && rest !== "") throw new Error("a DEL names more than its bag");
  const elements = (lines: string, prefix: RegExp) =>
    lines.split("\n").flatMap((line) => (line === "" ? [] : [line.replace(prefix, "")]));
  return {
    ...{ kind: kind as DocumentedMessage["kind"], from, plate, recordLocator: found.locator },
    flights: elements(flights, /^\.[FO]\//).map(flightOf),
    loading: elements(loading, /^\./),
    name: surname === undefined ? undefined : { surname, givenNames: found.givenNames },
    isPriority: found.priority !== undefined,
  };
}

function flightOf(text: string): DocumentedFlight {
  const [all, airline = "", number = "", day = "", to = "", travelClass] = FLIGHT.exec(text) ?? [];
  if (all === undefined) throw new Error(`${text} is no flight`);
  return { airline, number, day, to, travelClass };
}
