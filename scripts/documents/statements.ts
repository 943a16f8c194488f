import { projectText, writePublic } from "../project-files.ts";
import { htmlDocument, render } from "./markdown.ts";
import { tablesOf, tableWith } from "./read-markdown.ts";

/**
 * The statements that a law asks of a deployment's operator, as pages beside the web app: docs/privacy.md and
 * docs/accessibility.md with the words of docs/operator.json in their gaps. Documents without scripts; no screen loads them.
 */

const PAGES = ["privacy", "accessibility"] as const;

const read = (name: string) => projectText(`docs/${name}`);

/** What the operator says of themselves. */
export const operator = (): Readonly<Record<string, string>> => JSON.parse(read("operator.json"));

/** Names of what docs/operator.json still leaves open. */
export const leftOpen = (said = operator()): readonly string[] =>
  Object.entries(said).flatMap(([name, text]) => (/^\[.*\]$/.test(text) ? [name] : []));

/** What the service stores, as docs/security.md says it. */
function stored(): string {
  const { header, rows } = tableWith(tablesOf(read("security.md")), "what", "form", "counts until");
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(header), "|---|---|---|", ...rows.map(line)].join("\n");
}

/** The whole document. Throws TypeError for a gap that nothing fills. */
export function statement(page: (typeof PAGES)[number], said = operator()): string {
  const words: Readonly<Record<string, string>> = { ...said, stored: stored() };
  const text = read(`${page}.md`).replaceAll(/\{\{(\w+)\}\}/g, (_, gap: string) => {
    const word = words[gap];
    if (word === undefined) throw new TypeError(`docs/operator.json says nothing of ${gap}`);
    return word;
  });
  const [, title = ""] = /^# (.*)$/m.exec(text) ?? [];
  const main = `<main>\n${render(text).html}<p><a href="/">Back</a></p>\n</main>`;
  return htmlDocument({ title: `${title} – ${said.name}`, body: main });
}

/** Writes them to where the page's files are, as the build's own. */
export function writeStatements(): void {
  writePublic("tokens.css", projectText("web/ui/tokens.css"));
  for (const page of PAGES) writePublic(`${page}.html`, statement(page));
}
