/**
 * The little Markdown that our statements use, as HTML: headings, paragraphs, lists of one level, tables, bold, emphasis, code and
 * links. Everything else stays the text that it is: nothing in it becomes markup.
 */
export function toHtml(markdown: string): string {
  return markdown
    .split(/\n{2,}/)
    .filter((block) => block.trim() !== "")
    .map((block) => blockOf(block.trim()))
    .join("\n");
}

function blockOf(block: string): string {
  const [, marks, title = ""] = /^(#{1,3}) (.*)$/.exec(block) ?? [];
  if (marks !== undefined) return `<h${marks.length}>${inline(title)}</h${marks.length}>`;
  if (block.startsWith("|")) return table(block.split("\n"));
  if (block.startsWith("- ")) {
    const items = block.slice(2).split(/\n- /);
    return `<ul>\n${items.map((item) => `<li>${inline(item)}</li>`).join("\n")}\n</ul>`;
  }
  return `<p>${inline(block)}</p>`;
}

/** Wide tables are scrolled in themselves, by keyboard too. */
function table(lines: readonly string[]): string {
  const [head = "", , ...body] = lines;
  const cells = (line: string) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => inline(cell.trim()));
  const rows = body.map((line) => {
    const [first = "", ...others] = cells(line);
    return `<tr><th scope="row">${first}</th>${others.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
  });
  const titles = cells(head).map((cell) => (cell === "" ? "<td></td>" : `<th scope="col">${cell}</th>`));
  return `<div role="group" aria-label="Table" tabindex="0"><table>\n<thead><tr>${titles.join("")}</tr></thead>\n<tbody>\n${rows.join("\n")}\n</tbody>\n</table></div>`;
}

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (mark) => ESCAPES[mark] ?? "");

/** Text within a line. Code first: nothing within it is a mark. Links to https and mailto alone. */
export const inline = (text: string): string =>
  text
    .split(/(`[^`]+`)/)
    .map((part) =>
      part.startsWith("`") && part.length > 2
        ? `<code>${escaped(part.slice(1, -1))}</code>`
        : escaped(part)
            .replaceAll(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>")
            .replaceAll(/\*([^*]+)\*/g, "<em>$1</em>")
            .replaceAll(/\[([^\]]+)\]\(((?:https:\/\/|mailto:)[^)\s]+)\)/g, '<a href="$2">$1</a>'),
    )
    .join("");
