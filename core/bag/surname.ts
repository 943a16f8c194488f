import { type Bytes, concat, copyBytes, utf8 } from "../encoding/bytes.ts";
import { type Folding, MAX_SPELLINGS, OLDER, spellings } from "./surname-spelling.ts";

/**
 * Compares surnames as people, tickets and passports spell them (rules §4, "Surname match"), without keeping
 * them: both sides are folded to a few match forms, and only keyed hashes of the forms are stored and
 * compared.
 */

/**
 * A ticket cuts names after this many characters; a name of that length matches any name it may be cut from.
 */
export const TICKET_NAME_LIMIT = 20;

/** Hashes kept of a stored name: its forms, and each cut with and without separators. */
const STORED_TOKENS = 3 * MAX_SPELLINGS;
/** Hashes of a presented name: each form as a whole name and as a cut one, and its own two cuts. */
const PRESENTED_TOKENS = 4 * MAX_SPELLINGS;
/** 128 bits of each HMAC are kept. */
const TOKEN_LENGTH = 16;

/**
 * The match forms of `name`, 1 to 8, all different: its {@link spellings} without spaces. Two names match
 * when they share a form. A name without letters or digits has no form and matches nothing.
 */
export function fold(name: string, folding?: Folding): string[] {
  return distinct(spellings(name, folding).map(withoutSeparators));
}

/** The forms that a ticket would print of a name it has to cut, folded; empty for a name that fits. */
function cutForms(name: string, folding?: Folding): string[] {
  const forms = spellings(name, folding).flatMap((spelling) => [
    // Some systems drop the separators before they count, some after.
    withoutSeparators(cut(spelling)),
    cut(withoutSeparators(spelling)),
  ]);
  const whole = new Set(fold(name, folding));
  return distinct(forms).filter((form) => !whole.has(form));
}

const cut = (text: string) => [...text].slice(0, TICKET_NAME_LIMIT).join("");
const withoutSeparators = (text: string) => text.replaceAll(" ", "");
const distinct = (forms: readonly string[]) => [...new Set(forms)].filter((form) => form !== "");

/** HMAC-SHA-256 key of the tokens; see {@link importPepper}. */
export type Pepper = CryptoKey;

/** The pepper as a key; `secret` should be 32 random bytes. */
export function importPepper(secret: Bytes): Promise<Pepper> {
  return crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
}

/**
 * What to store beside a name: 24 tokens of 16 bytes, concatenated. `context` (the normalised record locator)
 * enters every hash. So stored hashes do not show that two bookings share a surname, and a match proves both halves.
 */
export function storedTokens(pepper: Pepper, context: string, surname: string): Promise<Bytes> {
  const labels = [...fold(surname).map(asWhole), ...cutForms(surname).map(asCut)];
  return tokens(pepper, context, labels, STORED_TOKENS, "stored");
}

/**
 * Until then, in milliseconds since 1970, a presented name is tried in the older folding, too: names that were stored before
 * 26 November 2026 have forms of that.
 */
export const OLDER_UNTIL = Date.UTC(2026, 11, 26);

/**
 * The 32 tokens of a name that a caller presents at `now`: as a whole name, as a cut name, and cut once more; in the older
 * folding behind the present one, where that leaves room.
 */
export function presentedTokens(
  pepper: Pepper,
  context: string,
  surname: string,
  now: number,
): Promise<Bytes> {
  const labels = [...presentedLabels(surname), ...(now < OLDER_UNTIL ? presentedLabels(surname, OLDER) : [])];
  return tokens(pepper, context, distinct(labels), PRESENTED_TOKENS, "presented");
}

function presentedLabels(surname: string, folding?: Folding): readonly string[] {
  const whole = fold(surname, folding);
  return [...whole.map(asWhole), ...whole.map(asCut), ...cutForms(surname, folding).map(asWhole)];
}

const asWhole = (form: string) => `whole\n${form}`;
const asCut = (form: string) => `cut\n${form}`;

/**
 * One token per label, then fillers: the number of hashes is always the same, and they are sorted so that
 * their order reveals nothing.
 */
async function tokens(
  pepper: Pepper,
  context: string,
  labels: readonly string[],
  count: number,
  filler: "stored" | "presented",
): Promise<Bytes> {
  const hashes = await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const label = labels[i] ?? `${filler}\n${i}`;
      const mac = await crypto.subtle.sign("HMAC", pepper, utf8(`surname\n${context}\n${label}`));
      return copyBytes(mac).subarray(0, TOKEN_LENGTH);
    }),
  );
  return concat(...hashes.sort(byFirstByte));
}

const byFirstByte = (a: Bytes, b: Bytes) => (a[0] as number) - (b[0] as number);

/**
 * Whether the names behind `stored` ({@link storedTokens}) and `presented` ({@link presentedTokens}) match:
 * 24 × 32 comparisons in constant time, whatever the names. Where nothing is stored, compare with
 * {@link dummyTokens}.
 */
export function surnamesMatch(stored: Uint8Array, presented: Uint8Array): boolean {
  // Two absent tokens would be equal.
  if (
    stored.length !== STORED_TOKENS * TOKEN_LENGTH ||
    presented.length !== PRESENTED_TOKENS * TOKEN_LENGTH
  ) {
    throw new RangeError("not the tokens of a surname");
  }
  const [all, claimed] = [wordsOf(stored), wordsOf(presented)];
  let matches = 0;
  for (let i = 0; i < all.length; i += TOKEN_WORDS) {
    for (let j = 0; j < claimed.length; j += TOKEN_WORDS) matches |= isSameToken(all, i, claimed, j);
  }
  return matches !== 0;
}

const TOKEN_WORDS = TOKEN_LENGTH / 4;

/** Tokens as words of 32 bits: a quarter of the work, and no object for each of the comparisons. */
const wordsOf = (tokens: Uint8Array) => new Uint32Array(tokens.slice().buffer);

/** 1 or 0, without a branch that depends on the words. */
function isSameToken(one: Uint32Array, i: number, other: Uint32Array, j: number): number {
  let difference = 0;
  for (let k = 0; k < TOKEN_WORDS; k++) difference |= (one[i + k] as number) ^ (other[j + k] as number);
  return ((difference | -difference) >>> 31) ^ 1;
}

/** Stored tokens that match nothing, so that an absent name costs the same as a wrong one. */
export function dummyTokens(): Bytes {
  return new Uint8Array(STORED_TOKENS * TOKEN_LENGTH);
}
