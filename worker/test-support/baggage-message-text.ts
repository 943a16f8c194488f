/** Baggage source messages as a departure control system prints them (IATA RP 1745). */

const MONTHS = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ");

/** `03MAY` of `YYYY-MM-DD`. */
export const bsmDay = (date: string) => `${date.slice(8)}${MONTHS[Number(date.slice(5, 7)) - 1]}`;

export interface PrintedMessage {
  readonly date: string;
  readonly action?: "CHG" | "DEL";
  readonly station?: string;
  /** `SK1234/ARN`: flight and where to; the first from the station. */
  readonly flights?: readonly string[];
  /** Plate and count. */
  readonly plates?: string;
  readonly name?: string;
  readonly locator?: string;
  readonly more?: readonly string[];
}

/** One message; whatever is left out is that of a new passenger's one bag. */
export function bsmText(message: PrintedMessage): string {
  const { date, action, station = "OSL", flights = ["SK1234/ARN"], plates = "0117800001001" } = message;
  const { name = "HOPPER/GRACE", locator = "BSM001", more = [] } = message;
  const lines = [
    "BSM",
    ...(action === undefined ? [] : [action]),
    `.V/1L${station}`,
    ...flights.map((flight, i) => {
      const [number, to] = flight.split("/");
      return `.${i === 0 ? "F" : "O"}/${number}/${bsmDay(date)}/${to}/Y`;
    }),
    `.N/${plates}`,
    ...(name === "" ? [] : [`.P/1${name}`]),
    ...(locator === "" ? [] : [`.L/${locator}`]),
    ...more,
    "ENDBSM",
  ];
  return `${lines.join("\n")}\n`;
}
