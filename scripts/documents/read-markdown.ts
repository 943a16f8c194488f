import { projectText } from "../project-files.ts";

/** The code blocks of a page in one language, in their order: tests run what a reader would. */
export function codeBlocks(path: string, language: string): readonly string[] {
  const text = projectText(path);
  const fence = new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\`$`, "gm");
  return [...text.matchAll(fence)].map(([, indent = "", code = ""]) =>
    code.replace(new RegExp(`^${indent}`, "gm"), ""),
  );
}

/** The commands that a page shows: each line of its shell blocks, without its comment, and what its text shows of npm and npx. */
export function commandsOf(path: string): readonly string[] {
  const lines = codeBlocks(path, "sh").flatMap((block) => block.replaceAll(/\\\n */g, "").split("\n"));
  const text = projectText(path);
  const inline = [...text.matchAll(/`((?:[A-Z_]+=\S+ )*(?:npm|npx) [^`]+)`/g)].map(
    ([, command = ""]) => command,
  );
  return [...new Set([...lines.map((line) => line.replace(/ +#.*$/, "")), ...inline])].filter(Boolean);
}

/** The tables of a Markdown document. */
export interface Table {
  readonly header: readonly string[];
  /** Cells without code marks. */
  readonly rows: readonly (readonly string[])[];
}

/** The columns of docs/protocol.md's table of what a tag answers in which state. */
export const STATE_TABLE = ["state", "event", "next", "answer", "STATUS", "what it means"] as const;

export function tablesOf(markdown: string): Table[] {
  const blocks = markdown.match(/(?:^\|.*\|$\n?)+/gm) ?? [];
  return blocks.map((block) => {
    const [header = [], , ...rows] = block.trim().split("\n").map(cells);
    return { header, rows };
  });
}

function cells(line: string): string[] {
  const text = line.trim().slice(1, -1);
  return text.split("|").map((cell) => cell.trim().replaceAll("`", ""));
}

/** The one table with exactly these columns. Throws where there is none, or more than one. */
export function tableWith(tables: readonly Table[], ...header: string[]): Table {
  const fitting = tables.filter((table) => table.header.join("|") === header.join("|"));
  const [table] = fitting;
  if (table === undefined || fitting.length > 1)
    throw new Error(`${fitting.length} tables with ${header.join(", ")}`);
  return table;
}
