/** `npm run check -- language`: words that our names, comments and documents avoid, counted in all of `git ls-files`. */
import { committedFiles, projectText } from "../project-files.ts";

interface Word {
  readonly word: string;
  /** Uses allowed in the whole tree; absent where the word is plain English in some sentences, and only counted. */
  readonly atMost?: number;
  /** What to write. */
  readonly instead: string;
}

export const WORDS: readonly Word[] = [
  { word: "nobody", atMost: 54, instead: "the actor: no caller, no recipient" },
  { word: "whoever", atMost: 21, instead: "the actor: caller, holder, attacker" },
  { word: "somebody", atMost: 27, instead: "the actor: caller, holder, attacker; for people someone" },
  { word: "anew", atMost: 8, instead: "again, a new …" },
  { word: "heard", atMost: 28, instead: "read, verified, received" },
  { word: "the tag's word", atMost: 2, instead: "the tag's statement" },
  { word: "told", instead: "reported, notified" },
  { word: "tell", instead: "report, notify" },
  { word: "hear", instead: "read, verify, receive" },
  { word: "stands", instead: "is" },
  { word: "by day", instead: "daily" },
  { word: "by night", instead: "nightly" },
];

/** Where a gated word is not used at all: what other people read or run first. */
const SPOTLESS = /^(?:core|sdk|kit)\/|^README\.md$|^docs\/embed\.md$/;
const TEXT = /\.(?:ts|tsx|mjs|css|html|md|sh|py|toml|grit)$/;
/** History says how it was, and this list has to name its words. */
const LEFT_OUT = /^(?:CHANGELOG\.md|scripts\/check\/(?:language|check\.test)\.ts|db\/migrations\/.*)$/;

export interface Use extends Word {
  readonly count: number;
  readonly spotlessPaths: readonly string[];
}

/** How often each word is used in `texts` (path → text); a name in camel case counts by its parts. */
export function usesOf(texts: ReadonlyMap<string, string>): readonly Use[] {
  return WORDS.map((one) => {
    const pattern = new RegExp(`(?<![a-z])${one.word.replace("'", "['’]")}(?![a-z])`, "gi");
    let count = 0;
    const spotlessPaths: string[] = [];
    for (const [path, text] of texts) {
      const found = inWords(text).match(pattern)?.length ?? 0;
      count += found;
      if (found > 0 && SPOTLESS.test(path)) spotlessPaths.push(path);
    }
    return { ...one, count, spotlessPaths };
  });
}

const inWords = (text: string) => text.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[\n\s]+/g, " ");

/** A sentence for each use that is not allowed. */
export function faultsOf(uses: readonly Use[]): readonly string[] {
  return uses.flatMap(({ word, atMost, instead, count, spotlessPaths }) => {
    if (atMost === undefined) return [];
    const faults = spotlessPaths.map((path) => `${path}: "${word}"; write ${instead}`);
    if (count > atMost) faults.push(`"${word}" ${count} times, at most ${atMost}; write ${instead}`);
    return faults;
  });
}

/** Prints the counts and what is not allowed; false if anything is. */
export function checkLanguage(): boolean {
  const paths = committedFiles().filter((path) => TEXT.test(path) && !LEFT_OUT.test(path));
  const uses = usesOf(new Map(paths.map((path) => [path, projectText(path)])));
  console.table(uses, ["word", "count", "atMost"]);
  const faults = faultsOf(uses);
  for (const fault of faults) console.error(fault);
  return faults.length === 0;
}
