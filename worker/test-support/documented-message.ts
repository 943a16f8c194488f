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

/** Throws an Error for what the page does not describe, and for lines in another order. */
export function readDocumented(text: string): DocumentedMessage {
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  const lines = text.slice(0, -1).split("\n");
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    const found = pattern.exec(lines[0] ?? "");
    if (found !== null) lines.shift();
    return found ?? undefined;
  };
  const must = (pattern: RegExp): RegExpExecArray => {
    const found = take(pattern);
    if (found === undefined) throw new Error(`${lines[0]} is not ${pattern}`);
    return found;
  };
  must(/^BSM$/);
  const kind = (take(/^(CHG|DEL)$/)?.[1] ?? "add") as DocumentedMessage["kind"];
  const from = must(/^\.V\/1L([A-Z]{3})$/)[1] ?? "";
  const flights = [flightOf(must(/^\.F\/(.+)$/)[1])];
  for (let next = take(/^\.O\/(.+)$/); next !== undefined; next = take(/^\.O\/(.+)$/)) {
    flights.push(flightOf(next[1]));
  }
  const plate = must(/^\.N\/(\d{10})001$/)[1] ?? "";
  const loading: string[] = [];
  for (let next = take(/^\.([SW]\/.+)$/); next !== undefined; next = take(/^\.([SW]\/.+)$/)) {
    loading.push(next[1] ?? "");
  }
  const name = take(/^\.P\/([A-Z .'-]+)(?:\/([A-Z .'-]+))?$/);
  const locator = take(/^\.L\/([A-Z0-9]+)$/);
  const isPriority = take(/^\.E\/PRIO$/) !== undefined;
  must(/^ENDBSM$/);
  if (lines.length > 0) throw new Error(`${lines[0]} follows the end`);
  if (kind === "DEL" && (name ?? locator ?? loading[0] ?? (isPriority || undefined)) !== undefined) {
    throw new Error("a DEL names more than its bag");
  }
  return {
    ...{ kind, from, flights, plate, loading, recordLocator: locator?.[1], isPriority },
    name: name && { surname: name[1] ?? "", givenNames: name[2] },
  };
}

function flightOf(text = ""): DocumentedFlight {
  const [all, airline = "", number = "", day = "", to = "", travelClass] = FLIGHT.exec(text) ?? [];
  if (all === undefined) throw new Error(`${text} is no flight`);
  return { airline, number, day, to, travelClass };
}
