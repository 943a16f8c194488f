import { UsageError } from "./usage-error.ts";

/** The rows of a list by the names of its head line. Nothing in our lists is worth a quoting rule: a line with one is refused. */
export function readCsv(text: string): readonly Readonly<Record<string, string>>[] {
  const [head = "", ...lines] = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  const names = head.split(",").map((name) => name.trim());
  return lines.map((line, index) => {
    const cells = line.split(",").map((cell) => cell.trim());
    if (cells.length !== names.length || line.includes('"'))
      throw new UsageError(`line ${index + 2} is malformed`);
    return Object.fromEntries(names.map((name, column) => [name, cells[column] ?? ""]));
  });
}
