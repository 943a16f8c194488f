/** The tables of a Markdown document. */
export interface Table {
  readonly header: readonly string[];
  /** Cells without code marks. */
  readonly rows: readonly (readonly string[])[];
}

/** The columns of docs/protocol.md's table of what a tag answers in which state. */
export const STATE_TABLE = ["state", "event", "next", "answer", "STATUS", "link", "what it means"] as const;

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
