import { type BaggageMessage, parseBsms } from "./bsm.ts";
import { type BsmFlight, type BsmName, wrong } from "./bsm-elements.ts";
import { ticketDay } from "./ticket-payload.ts";

/** A message as it is read, without where it stood and what was ignored. */
export type SentMessage = Omit<BaggageMessage, "line" | "ignored">;

/**
 * `message` as text, from `BSM` to `ENDBSM`: the inverse of {@link parseBsms}. Throws {@link FormatError} `BSM` for what is
 * not read back, at `now`, as it was meant: a name with other letters than A to Z, a flight more than half a year away, a
 * text that would begin another element.
 */
export function bsmText(message: SentMessage, now: number): string {
  const { action, source, station, inbound, flight, onward, recordLocator, exceptions } = message;
  const lines = [
    "BSM",
    ...(action === "ADD" ? [] : [action]),
    `.V/1${source}${station}`,
    ...(inbound === undefined ? [] : [flightLine("I", inbound)]),
    flightLine("F", flight),
    ...onward.map((one) => flightLine("O", one)),
    ...bagLines(message),
    ...(recordLocator === undefined ? [] : [`.L/${recordLocator}`]),
    ...exceptions.map((code) => `.E/${code}`),
    "ENDBSM",
  ];
  const text = lines.map((line) => `${line}\n`).join("");
  const [read, ...more] = parseBsms(text, now);
  if (read?.ok === false) throw read.error;
  if (read === undefined || more.length > 0 || saidBy(read.message) !== saidBy(message)) {
    throw wrong(1, "a message that is read as it was meant");
  }
  return text;
}

function flightLine(letter: string, { carrier, number, date, airport, travelClass }: BsmFlight): string {
  const fields = [carrier + number, ticketDay(date), airport];
  return `.${letter}/${[...fields, ...(travelClass === undefined ? [] : [travelClass])].join("/")}`;
}

/** Plates, and behind them what they have in common: `.S`, `.W`, their owner; last the passengers without bags. */
function bagLines({ plates, passenger, shares, companions = [], loading = [] }: SentMessage) {
  const runs: { readonly plates: string[]; readonly lines: readonly string[]; readonly owner?: BsmName }[] =
    [];
  for (const plate of plates) {
    const owner = shares?.find((share) => share.plates.includes(plate))?.passenger ?? passenger;
    const lines = loading.find((one) => one.plates.includes(plate))?.lines ?? NONE;
    const last = runs.at(-1);
    if (last?.owner === owner && last?.lines === lines) last.plates.push(plate);
    else runs.push({ plates: [plate], lines, ...(owner && { owner }) });
  }
  const owners = new Set((shares ?? []).map((share) => nameKey(share.passenger)));
  const without = companions.filter((name) => !owners.has(nameKey(name)));
  return runs.flatMap((run, i) => [
    ...rowsOf(run.plates),
    ...run.lines.map((line) => `.${line}`),
    ...[...(run.owner ? [run.owner] : []), ...(i === runs.length - 1 ? without : [])].map(nameLine),
  ]);
}

const NONE: readonly string[] = [];

const nameLine = ({ surname, givenName }: BsmName) =>
  `.P/${surname}${givenName === "" ? "" : `/${givenName}`}`;
const nameKey = ({ surname, givenName }: BsmName) => `${surname}/${givenName}`;

/** `.N` for each row of plates that follow one another. */
function rowsOf(plates: readonly string[]): readonly string[] {
  const rows: { readonly first: string; count: number }[] = [];
  for (const plate of plates) {
    const row = rows.at(-1);
    const isNext =
      row?.first.slice(0, 4) === plate.slice(0, 4) && Number(plate) === Number(row.first) + row.count;
    if (isNext) row.count++;
    else rows.push({ first: plate, count: 1 });
  }
  return rows.map(({ first, count }) => `.N/${first}${String(count).padStart(3, "0")}`);
}

/** What a message says, whatever the order of its members. */
const saidBy = ({ line, ignored, ...said }: SentMessage & Partial<BaggageMessage>) =>
  JSON.stringify(said, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
