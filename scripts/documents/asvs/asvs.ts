import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../project-files.ts";
import { CHAPTERS, LEVELS } from "./levels.ts";

/** docs/asvs.md: every requirement of levels 1 and 2, each with its test or the reason why there is none. */

const STATES = ["met", "partly", "not", "n/a"] as const;
type State = (typeof STATES)[number];

export interface Requirement {
  /** `1.2.3`, or `1.2` for a whole section that does not apply. */
  readonly id: string;
  readonly state: State;
  readonly asks: string;
  readonly because: string;
}

/** The rows of requirements.txt. Throws TypeError for one that is none. */
export function requirements(): readonly Requirement[] {
  const text = readFileSync(join(ROOT, "scripts/documents/asvs/requirements.txt"), "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [id = "", word, asks = "", because = "", ...more] = line.split(" | ");
      const state = STATES.find((each) => each === word);
      if (state === undefined || because === "" || more.length > 0)
        throw new TypeError(`no requirement: ${line}`);
      return { id, state, asks, because };
    });
}

/** Ids of levels 1 and 2 that a row speaks for. */
export function coveredBy({ id }: Requirement): readonly string[] {
  const levels = LEVELS[id];
  if (levels === undefined) return [id];
  return [...levels].flatMap((level, index) => (level === "3" ? [] : [`${id}.${index + 1}`]));
}

/** Every id of levels 1 and 2. */
export const wanted = (): readonly string[] =>
  Object.keys(LEVELS).flatMap((id) => coveredBy({ id, state: "n/a", asks: "", because: "" }));

const ENDINGS = [".test.ts", ".spec.ts", ".test.tsx"];

/** The tests that a row names, with the file of each; undefined where there is none. */
export const testsOf = ({ because }: Requirement): readonly (readonly [string, string | undefined])[] =>
  [...because.matchAll(/`((?:core|db|worker|sdk|sim|web|e2e|scripts)\/[^`]+)`/g)].map(([, name = ""]) => [
    name,
    ENDINGS.map((ending) => `${name}${ending}`).find((path) => existsSync(join(ROOT, path))),
  ]);

/** docs/asvs.md, whole. */
export function asvsPage(): string {
  const rows = requirements();
  const count = (state: State) =>
    rows.filter((row) => row.state === state).reduce((sum, row) => sum + coveredBy(row).length, 0);
  const chapters = CHAPTERS.map((name, index) => {
    const own = rows.filter(({ id }) => id.startsWith(`${index + 1}.`));
    return `## V${index + 1} ${name}\n\n| | level | asks for | | test, or reason |\n|---|---|---|---|---|\n${own.map(line).join("\n")}\n`;
  });
  return `<!-- Made by npm run documents from scripts/documents/asvs/requirements.txt. -->

# ASVS 5.0, level 2

Where Taglatch stands against the OWASP Application Security Verification Standard 5.0.0, by its own account: nobody from outside
has verified it. Numbers and names of chapters are the [standard's](https://github.com/OWASP/ASVS) (CC BY-SA 4.0); the short words
are ours, and do not replace its text. A test checks that each requirement of levels 1 and 2 stands here once and
that each named test exists; whether the test shows what the requirement asks is for its reader to judge. Tests are named from the
top folder, without their ending. What Cloudflare does and what the operator sets is said so.

Of ${wanted().length} requirements: ${STATES.map((state) => `${count(state)} ${MEANS[state]}`).join(", ")}.

${chapters.join("\n")}`;
}

const MEANS = { met: "met", partly: "met in part", not: "not met", "n/a": "without object here" } as const;
const SHOWN = { met: "met", partly: "**in part**", not: "**not met**", "n/a": "–" } as const;

const line = (row: Requirement) => {
  const level = LEVELS[row.id] === undefined ? levelOf(row.id) : "1, 2";
  return `| ${row.id} | ${level} | ${row.asks} | ${SHOWN[row.state]} | ${row.because} |`;
};

function levelOf(id: string): string {
  const [chapter, section, index] = id.split(".");
  return LEVELS[`${chapter}.${section}`]?.[Number(index) - 1] ?? "";
}
