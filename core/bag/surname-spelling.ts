import { plainText } from "./record-locator.ts";

/**
 * The ways to spell one surname (rules §4, "Surname match"): titles and given names are taken off, and
 * letters beyond A to Z are written as tickets and passports write them. Knows nothing of hashing and
 * matching.
 */

/** Most spellings kept of one name, the likeliest first. */
export const MAX_SPELLINGS = 8;

/** Titles before a name, as a word of their own. */
const BEFORE = new Set("MR MRS MS MISS MSTR MX DR PROF SIR DAME LADY LORD REV".split(" "));
/** Titles that are surnames, too: `LORD JONES` may be a lord, or a hyphen that was printed as a space. */
const NAMES = new Set("SIR DAME LADY LORD".split(" "));
/** Titles after a name, as a word of their own; CHD and INF mark children and infants in bookings. */
const AFTER = new Set("MR MRS MS MISS MSTR MX DR PROF CHD INF".split(" "));
/** Titles attached to the end of a name, as hosts write it: SMITHMR. The longest first. */
const GLUED = ["MSTR", "MISS", "PROF", "MRS", "CHD", "INF", "MR", "MS", "DR"];
/** Ends of names that only look like a title: ADAMS, WILLIAMS, HARMS, BRAHMS, ALEXANDR, LEANDR. */
const NO_TITLE = /(?:[AEIOUYLMR]|[AEIOU]H)MS$|(?:[SX]A|LEA)NDR$/;
/** A shorter remainder is chance, not a name: AMR. */
const SHORTEST_NAME = 2;

/** Letters without a decomposition whose passport spelling is unambiguous (ICAO Doc 9303-3 §6, bare column). */
const LETTERS: Readonly<Record<string, string>> = {
  ẞ: "SS",
  Ł: "L",
  Ð: "D",
  Þ: "TH",
  Ħ: "H",
  Ŧ: "T",
  Ŋ: "N",
};

/** What is folded in one way or another. */
export interface Folding {
  /** What titles are looked for among: words, which separate at everything that is no letter or digit. */
  readonly words: RegExp;
  readonly letters: Readonly<Record<string, string>>;
  /** The letter groups that some people write out and others leave bare; a writer is consistent within a group. */
  readonly groups: readonly Group[];
  readonly names: ReadonlySet<string>;
}
type Group = "A" | "O" | "U" | "D" | "Ə";

const FOLDING: Folding = {
  // A hyphen joins: the bearer of LORD-JONES is no lord.
  words: /[\p{L}\p{N}]+(?:[\p{Pd}\u2212][\p{L}\p{N}]+)*/gu,
  // The latter as keyboards and host systems without them write them.
  letters: { ...LETTERS, Ɓ: "B", Ɗ: "D", Ɖ: "D", Ƙ: "K", Ƴ: "Y", Ɛ: "E", Ɔ: "O", Ǥ: "G", Ʒ: "Z" },
  groups: ["A", "O", "U", "D", "Ə"],
  names: NAMES,
};
/** As names were folded, and stored, until 26 November 2026. */
export const OLDER: Folding = {
  words: /[\p{L}\p{N}]+/gu,
  letters: LETTERS,
  groups: ["A", "O", "U", "D"],
  names: new Set(),
};

const DIAERESIS = "\u0308";
const RING = "\u030a";

/**
 * The spellings of `name`, 1 to 8, likeliest first. All are upper case with single spaces, without
 * diacritics, apostrophes, titles and given names (IATA: SURNAME/GIVEN); ß is SS; Ä Æ, Ö Ø Œ, Ü, Å, Đ are AE,
 * OE, UE, AA, DJ and bare, Ə is A and E. A name that ends in the letters of a title, or begins with a title that is a name
 * as well, is given with and without them.
 */
export function spellings(name: string, folding: Folding = FOLDING): string[] {
  const clusters = clustersOf(surnameOf(plainText(name)));
  const present = folding.groups.filter((group) =>
    clusters.some((cluster) => writtenOut(cluster)?.group === group),
  );
  return choicesOf(present)
    .flatMap((expanded) => spell(clusters, expanded, folding))
    .flatMap((spelling) => [spelling, ...withoutGluedTitle(spelling)])
    .slice(0, MAX_SPELLINGS);
}

/** The text before the slash, or all of it where nothing does. */
function surnameOf(name: string): string {
  const [surname = ""] = name.split("/");
  return surname.trim() === "" ? name : surname;
}

/** Base characters, each with its combining marks. */
const clustersOf = (name: string): readonly string[] =>
  name
    .toUpperCase()
    .normalize("NFKD")
    .toUpperCase()
    .match(/\P{M}\p{M}*/gu) ?? [];

/**
 * Every choice of groups to write out: none and all come before the mixed ones, which hardly anybody writes.
 */
function choicesOf(groups: readonly Group[]): readonly ReadonlySet<Group>[] {
  const last = 2 ** groups.length - 1;
  const mixed = Array.from({ length: Math.max(0, last - 1) }, (_, i) => i + 1);
  const choices = new Set([0, last, ...mixed]);
  return [...choices].map((choice) => new Set(groups.filter((_, bit) => (choice >> bit) & 1)));
}

function spell(
  clusters: readonly string[],
  expanded: ReadonlySet<Group>,
  { words, letters, groups, names }: Folding,
): readonly string[] {
  const text = clusters
    .map((cluster) => {
      const variant = writtenOut(cluster);
      if (variant && groups.includes(variant.group)) {
        return expanded.has(variant.group) ? variant.long : variant.bare;
      }
      const base = [...cluster][0] as string;
      return letters[base] ?? base;
    })
    .join("");
  // An apostrophe joins (O'BRIEN is one word), and so do the modifier letters that stand in for it.
  const [first = "", ...rest] = text.replace(/['’‘`´\p{Lm}]/gu, "").match(words) ?? [];
  const spelt = [withoutTitles([first, ...rest])];
  if (names.has(first) && rest.length > 0) spelt.push([first, ...withoutTitles(rest)]);
  return spelt.map((one) => one.join(" ").replace(/[\p{Pd}\u2212]/gu, " "));
}

/** Takes titles off both ends, as long as a word is left. */
function withoutTitles(words: readonly string[]): readonly string[] {
  const [first = "", ...rest] = words;
  if (rest.length === 0) return words;
  if (BEFORE.has(first)) return withoutTitles(rest);
  return AFTER.has(words.at(-1) ?? "") ? withoutTitles(words.slice(0, -1)) : words;
}

function withoutGluedTitle(spelling: string): readonly string[] {
  const title = GLUED.find((one) => spelling.endsWith(one));
  if (title === undefined || NO_TITLE.test(spelling)) return [];
  const name = spelling.slice(0, -title.length).trim();
  return name.length >= SHORTEST_NAME ? [name] : [];
}

/** The two spellings of a letter that has them; `cluster` is a base character with its combining marks. */
function writtenOut(
  cluster: string,
): { readonly group: Group; readonly bare: string; readonly long: string } | undefined {
  const base = cluster[0];
  // Azerbaijan's passports have A, ICAO's table E; some keyboards have the letter turned over in its place.
  if (base === "Ə" || base === "Ǝ") return { group: "Ə", bare: "A", long: "E" };
  if (base === "Æ") return { group: "A", bare: "A", long: "AE" };
  if (base === "Ø" || base === "Œ") return { group: "O", bare: "O", long: "OE" };
  if (base === "Đ") return { group: "D", bare: "D", long: "DJ" };
  if (base === "A" && cluster.includes(RING)) return { group: "A", bare: "A", long: "AA" };
  if (cluster.includes(DIAERESIS) && (base === "A" || base === "O" || base === "U")) {
    return { group: base, bare: base, long: `${base}E` };
  }
  return undefined;
}
