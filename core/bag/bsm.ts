import {
  type BsmClock,
  type BsmElement,
  type BsmFlight,
  type BsmName,
  checkElement,
  type FlightReach,
  MOST_PASSENGERS,
  readElement,
  readException,
  readFlight,
  readLocator,
  readNames,
  readPlates,
  readVersion,
  WHOLE,
  wrong,
} from "./bsm-elements.ts";
import { FormatError } from "./errors.ts";

/**
 * Baggage source and transfer messages (IATA RP 1745), one or many in a text. A message begins with the line `BSM`,
 * perhaps with `CHG` or `DEL`, then `.V` and further elements, and ends with `ENDBSM`; of a bag that another airline hands
 * over, with `BTM` and `ENDBTM`. `.F` and `.N` are mandatory, and each `.N` belongs to the `.P` behind it; messages in parts are refused; unknown elements are skipped if they are well-formed, and named in `ignored`.
 */
export interface BaggageMessage {
  /** Where it begins, from 1. */
  readonly line: number;
  readonly action: BsmAction;
  /** L local, T transfer, X and R other sources. */
  readonly source: "L" | "T" | "X" | "R";
  /** The airport that the message is about: where `.I` ends and `.F` begins. */
  readonly station: string;
  readonly inbound?: BsmFlight;
  readonly flight: BsmFlight;
  readonly onward: readonly BsmFlight[];
  /** Ten digits each, in the order of `.N`. */
  readonly plates: readonly string[];
  /** Whose bags they are: the passenger behind the first `.N`, or the only or first that `.P` names. */
  readonly passenger?: BsmName;
  /** Where several passengers have bags: the plates of each, `passenger` first. */
  readonly shares?: readonly BsmShare[];
  /** The others that `.P` names. */
  readonly companions?: readonly BsmName[];
  readonly recordLocator?: string;
  /** Where `.S` or `.W` stand behind plates. */
  readonly loading?: readonly BsmLoading[];
  /** `.E`: RUSH, CREW, PRIO … */
  readonly exceptions: readonly string[];
  /**
   * What the message says and the service ignores: elements as `.Y`, each once, `.P` where some of its names are lost, and
   * `.L/LH` where the locator is another airline's than that of `.F`.
   */
  readonly ignored: readonly string[];
}

/** The bags of one passenger. */
export interface BsmShare {
  readonly passenger: BsmName;
  readonly plates: readonly string[];
}

/** What departure control says of bags: `.S` and `.W` as they stand, `S/Y/08A/C/034`. */
export interface BsmLoading {
  readonly plates: readonly string[];
  readonly lines: readonly string[];
}

export type BsmAction = "ADD" | "CHG" | "DEL";

/** One message of a text: either read, or refused with the wrong line. */
export type BsmResult =
  | { readonly ok: true; readonly message: BaggageMessage }
  | { readonly ok: false; readonly line: number; readonly error: FormatError };

/**
 * One passenger's bags. `.N` has room for 999, but a text full of such lines would expand to a thousand times
 * its length.
 */
const MOST_PLATES = 99;

/**
 * Every message in `text`. Lines end with LF, with any CR and blanks before it; empty lines between
 * messages do not count. `now`, in
 * milliseconds since 1970, decides the years, so that a day is at most half a year away; `reach` may narrow
 * that. A malformed message does not affect the others.
 */
export function parseBsms(text: string, now: number, reach?: FlightReach): readonly BsmResult[] {
  const clock = { now, ...(reach && { reach }) };
  return blocksOf(text).map((block) => {
    try {
      return { ok: true, message: readMessage(block, clock) };
    } catch (error) {
      if (error instanceof FormatError) return { ok: false, line: block.line, error };
      throw error;
    }
  });
}

/** What may be a message: the lines between `BSM` and `ENDBSM`, or `BTM` and `ENDBTM`, and what is wrong with its frame. */
interface Block {
  readonly line: number;
  readonly lines: readonly string[];
  readonly fault?: FormatError;
}

function blocksOf(text: string): readonly Block[] {
  const lines = text.split("\n").map(unframed);
  while (lines.at(-1) === "") lines.pop();
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; ) {
    const skipped = envelopeAt(lines, at);
    if (skipped > 0) at += skipped;
    else {
      const block = blockAt(lines, at);
      blocks.push(block);
      at = block.end;
    }
  }
  return blocks;
}

/** A long message may be sent in parts, `.V/1LOSL/PART1 … ENDPART1`; one part alone does not say what its bags are. */
const END_OF_PART = /^ENDPART *\d*$/;

const isBeginning = (text: string) => text === "BSM" || text === "BTM";

/** The block that begins at index `at`; `end` is where the next may begin. */
function blockAt(lines: readonly string[], at: number): Block & { readonly end: number } {
  const line = at + 1;
  const kind = lines[at] ?? "";
  if (!isBeginning(kind)) {
    const last = indexFrom(lines, at, (text) => /^END[A-Z]{3}$/.test(text));
    const next = Math.min(last + 1, indexFrom(lines, at + 1, isBeginning));
    return { line, lines: [], fault: wrong(line, "the line BSM"), end: next };
  }
  const end = indexFrom(
    lines,
    at + 1,
    (text) => text === `END${kind}` || isBeginning(text) || END_OF_PART.test(text),
  );
  const own = { line, lines: lines.slice(at + 1, end) };
  if (lines[end] === `END${kind}`) return { ...own, end: end + 1 };
  if (isBeginning(lines[end] ?? "") || end === lines.length)
    return { ...own, fault: wrong(end + 1, `the line END${kind}`), end };
  return { ...own, fault: wrong(end + 1, WHOLE), end: end + 1 };
}

function indexFrom(lines: readonly string[], from: number, isIt: (text: string) => boolean): number {
  let at = from;
  while (at < lines.length && !isIt(lines[at] as string)) at++;
  return at;
}

function readMessage({ line, lines, fault }: Block, clock: BsmClock): BaggageMessage {
  const action = lines[0] === "CHG" || lines[0] === "DEL" ? lines[0] : "ADD";
  const skipped = action === "ADD" ? 0 : 1;
  const elements = lines.slice(skipped).map((text, i) => readElement(text, line + 1 + skipped + i));
  if (fault !== undefined) throw fault;
  const end = line + lines.length + 1;
  const [version] = elements;
  if (version?.letter !== "V") throw wrong(version?.line ?? end, "the element .V first");
  const { source, station } = readVersion(version);
  const parts = partsOf(elements, end);
  for (const element of elements) checkElement(element);
  const flightOf = (element: BsmElement | undefined) => element && readFlight(element, clock);
  const inbound = flightOf(parts.one("I"));
  const plates = platesOf(parts.some("N"));
  const shares = sharesOf(elements, plates);
  const flight = readFlight(parts.must("F"), clock);
  const loading = loadingOf(elements, plates);
  const people = parts.all("P").map(readNames);
  const names = people.flatMap((one) => one.names);
  const [passenger, ...companions] = ownersFirst(shares, names).slice(0, MOST_PASSENGERS);
  const element = parts.one("L");
  const locator = element && readLocator(element);
  const isForeign = locator?.airline !== undefined && locator.airline !== flight.carrier;
  const ignored = [
    ...elements.map(({ letter }) => letter).filter((letter) => !READ.includes(letter)),
    ...(people.every(({ isWhole }) => isWhole) && names.length <= MOST_PASSENGERS ? [] : ["P"]),
    ...(isForeign ? [`L/${locator.airline}`] : []),
  ];
  return {
    ...{ line, action, source, station },
    ...(inbound && { inbound }),
    flight,
    onward: parts.all("O").map((element) => readFlight(element, clock)),
    plates: [...plates.values()].flat(),
    ...(passenger && { passenger }),
    ...(shares.length > 1 && { shares }),
    ...(companions.length > 0 && { companions }),
    ...(locator && { recordLocator: locator.recordLocator }),
    ...(loading.length > 0 && { loading }),
    exceptions: parts.all("E").map(readException),
    ignored: [...new Set(ignored.map((name) => `.${name}`))],
  };
}

/** Elements that are read. */
const READ = "VIFONSWPLE";

/** The plates of each `.N`. */
function platesOf(elements: readonly BsmElement[]): ReadonlyMap<BsmElement, readonly string[]> {
  const seen = new Set<string>();
  const read = (element: BsmElement) => {
    const plates = readPlates(element, MOST_PLATES - seen.size);
    for (const plate of plates) {
      if (seen.has(plate)) throw wrong(element.line, "each plate once");
      seen.add(plate);
    }
    return [element, plates] as const;
  };
  return new Map(elements.map(read));
}

/** Characters of `.S`, and of `.W`, behind a plate: they are stored for each. */
const MOST_LOADING = 100;

/** `.S` and `.W` belong to the plates in a row before them, or to the first ones. */
function loadingOf(
  elements: readonly BsmElement[],
  platesOf: ReadonlyMap<BsmElement, readonly string[]>,
): readonly BsmLoading[] {
  const groups: { readonly plates: string[]; readonly lines: string[] }[] = [{ plates: [], lines: [] }];
  let isOpen = true;
  for (const element of elements.filter(({ letter }) => "NSWP".includes(letter))) {
    const { line, letter, fields } = element;
    const plates = platesOf.get(element) ?? [];
    const group = groups.at(-1);
    if (letter === "S" || letter === "W") group?.lines.push([letter, ...fields].join("/"));
    else if (isOpen || group?.plates.length === 0) group?.plates.push(...plates);
    else if (letter === "N") groups.push({ plates: [...plates], lines: [] });
    const alike = group?.lines.filter((one) => one.startsWith(letter)) ?? [];
    if (alike.join("").length > MOST_LOADING) {
      throw wrong(line, `at most ${MOST_LOADING} characters of .${letter} for a plate`);
    }
    isOpen = letter === "N";
  }
  return groups.filter(({ lines }) => lines.length > 0);
}

function ownersFirst(shares: readonly BsmShare[], names: readonly BsmName[]): readonly BsmName[] {
  const owners = shares.map(({ passenger }) => passenger);
  return [...owners, ...names.filter((name) => !owners.some((owner) => isSameName(owner, name)))];
}

const isSameName = (a: BsmName, b: BsmName) => a.surname === b.surname && a.givenName === b.givenName;

/**
 * Each plate belongs to the passenger behind it. Empty where none has a passenger behind: the message has one passenger, or
 * does not say whose they are.
 */
function sharesOf(
  elements: readonly BsmElement[],
  platesOf: ReadonlyMap<BsmElement, readonly string[]>,
): readonly BsmShare[] {
  const shares: { readonly passenger: BsmName; readonly plates: string[] }[] = [];
  let open: BsmElement[] = [];
  for (const element of elements) {
    if (element.letter === "N") open.push(element);
    if (element.letter !== "P" || open.length === 0) continue;
    const passenger = readNames(element).names[0] as BsmName;
    const plates = open.flatMap((one) => platesOf.get(one) ?? []);
    const known = shares.find((share) => isSameName(share.passenger, passenger));
    if (known === undefined) shares.push({ passenger, plates });
    else known.plates.push(...plates);
    open = [];
  }
  const [last] = open;
  const [share] = shares;
  if (last === undefined || share === undefined) return shares;
  if (elements.filter(({ letter }) => letter === "P").length > 1) {
    throw wrong(last.line, "a passenger behind each plate");
  }
  share.plates.push(...open.flatMap((one) => platesOf.get(one) ?? []));
  return shares;
}

/** Groups elements by letter and checks how often each occurs. */
function partsOf(elements: readonly BsmElement[], end: number) {
  const all = (letter: string) => elements.filter((element) => element.letter === letter);
  const one = (letter: string) => {
    const [first, second] = all(letter);
    if (second !== undefined) throw wrong(second.line, `.${letter} once`);
    return first;
  };
  const must = (letter: string) => {
    const element = one(letter);
    if (element === undefined) throw wrong(end, `the element .${letter}`);
    return element;
  };
  const some = (letter: string) => {
    if (all(letter).length === 0) must(letter);
    return all(letter);
  };
  one("V");
  return { all, one, must, some };
}

/**
 * The envelope in which a network for teletype messages (Type B) delivers a baggage message: who it is for, who sent
 * it and when. A host may hand a message on as it came. None of it says anything about a bag.
 */

/** `QU OSLKLSK CPHBRSK`: priority and addresses, which may go on for lines. */
const PRIORITY = /^Q[A-Z](?: +[A-Z]{3}[A-Z0-9]{4})+ *$/;
const ADDRESSES = /^[A-Z]{3}[A-Z0-9]{4}(?: +[A-Z]{3}[A-Z0-9]{4})* *$/;
/** `.CPHRMSK 031200`: who sent it, and when. */
const ORIGIN = /^\.[A-Z]{3}[A-Z0-9]{4}(?: [ -~]*)?$/;
/** The first and the last line of a transmission by telex. */
const TELEX = /^(?:ZCZC(?: [ -~]*)?|NNNN)$/;
/** The newer form: parts that begin with `=HEADER` or the like; the message is what follows `=TEXT`. */
const PART = /^=[A-Z][A-Z ]*$/;
/** Lines of addresses and the like in such an envelope. */
const LONGEST = 64;

/**
 * How many lines from `at` on are envelope or empty; 0 where a message begins, or something else that is for the
 * reader of messages to decide.
 */
export function envelopeAt(lines: readonly string[], at: number): number {
  const line = lines[at] ?? "";
  if (line === "" || TELEX.test(line) || ORIGIN.test(line)) return 1;
  if (PART.test(line)) {
    const parts = lines.slice(at, at + LONGEST);
    const end = parts.indexOf("=TEXT") + 1;
    // One that never comes to its text takes no message with it.
    return parts.slice(0, end).some((one) => /^ENDB[ST]M$/.test(one)) ? 0 : end;
  }
  if (!PRIORITY.test(line)) return 0;
  let end = at + 1;
  while (end < at + LONGEST && ADDRESSES.test(lines[end] ?? "")) end++;
  return end - at;
}

/** NUL, SOH, STX, ETX and vertical tab: they frame a message on a line, and belong to no text. */
const FRAMING = "\u0000\u0001\u0002\u0003\u000b";
/** Blanks at the end of a line, and the CR, or two, of teletype. */
const FILLING = `${FRAMING}\r\t `;

/** `line` without control characters before and behind it that frame a transmission, and without blanks behind. */
export function unframed(line: string): string {
  let [from, to] = [0, line.length];
  while (from < to && FRAMING.includes(line.charAt(from))) from++;
  while (to > from && FILLING.includes(line.charAt(to - 1))) to--;
  return line.slice(from, to);
}
