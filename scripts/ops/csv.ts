import { UsageError } from "./usage-error.ts";

type Named = Readonly<Record<string, string>>;

/** The rows of a list by the names of its head line. Nothing in our lists is worth a quoting rule: a line with one is refused. */
export function readCsv(text: string): readonly Named[] {
  const row = rowReader();
  return text
    .split(/\r?\n/)
    .map(row)
    .filter((read) => read !== undefined);
}

/** The same of a list that is too long to be held. */
export async function* readCsvLines(lines: AsyncIterable<string>): AsyncIterable<Named> {
  const row = rowReader();
  for await (const line of lines) {
    const read = row(line);
    if (read !== undefined) yield read;
  }
}

/** Takes line after line: the first names the columns, empty ones do not count. */
function rowReader(): (line: string) => Named | undefined {
  let names: readonly string[] | undefined;
  let number = 0;
  return (line) => {
    if (line.trim() === "") return undefined;
    number += 1;
    const cells = line.split(",").map((cell) => cell.trim());
    if (names === undefined) {
      names = cells;
      return undefined;
    }
    if (cells.length !== names.length || line.includes('"'))
      throw new UsageError(`line ${number} is malformed`);
    return Object.fromEntries(names.map((name, column) => [name, cells[column] ?? ""]));
  };
}
