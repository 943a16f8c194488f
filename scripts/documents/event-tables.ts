import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BAG_EVENTS, LOCK_EVIDENCE, type LockEvidence } from "../../core/api/events.ts";
import { ROOT } from "../project-files.ts";

/** docs/listen.md: the tables of events in it, made from the one table of names. */

const BEGIN = "<!-- Made by npm run documents from core/api/events.ts. -->";
const END = "<!-- End. -->";

/** The comment over {@link LOCK_EVIDENCE}, name by name. */
const meaningOf = (name: LockEvidence) => {
  const source = readFileSync(join(ROOT, "core", "api", "events.ts"), "utf8");
  return new RegExp(` \\* - \`${name}\`: ([^\n]+)`).exec(source)?.[1] ?? "";
};

/** The page, whole, with its tables as they should be. */
export function listenPage(): string {
  const page = readFileSync(join(ROOT, "docs", "listen.md"), "utf8");
  const [before = "", rest = ""] = page.split(BEGIN);
  const [, after = ""] = rest.split(END);
  const events = Object.entries(BAG_EVENTS).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`);
  const evidence = LOCK_EVIDENCE.map((name) => `| \`${name}\` | ${meaningOf(name)} |`);
  return `${before}${BEGIN}

| event | what happened |
|---|---|
${events.join("\n")}

| evidence | what supports the lock |
|---|---|
${evidence.join("\n")}

${END}${after}`;
}
