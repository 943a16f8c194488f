import { Marked, type Parser, type RendererObject, type TokenizerObject, type Tokens } from "marked";

/** A heading that has an anchor. */
export interface Section {
  readonly depth: number;
  readonly anchor: string;
  /** HTML. */
  readonly title: string;
}

export interface Rendered {
  readonly html: string;
  readonly sections: readonly Section[];
}

/** Where a link's target is on the site; undefined leaves the link's text alone. */
export type Resolve = (target: string) => string | undefined;

/** Links of pages that stand by themselves: those that lead out, and to anchors of the same page. */
export const outward: Resolve = (target) => (/^(?:https:\/\/|mailto:|#)/.test(target) ? target : undefined);

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
export const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (mark) => ESCAPES[mark] ?? "");

/** Of HTML we know comments, which are left out. Everything else is text. */
const COMMENTS_ALONE: TokenizerObject = {
  html(source) {
    const [raw] = /^<!--[\s\S]*?-->\n*/.exec(source) ?? [];
    return raw === undefined ? undefined : { type: "html", raw, text: "", block: true, pre: false };
  },
  tag: () => undefined,
};

/**
 * Markdown as GitHub reads it, as HTML with GitHub's anchors.
 * What may be wider than a phone (tables, code) scrolls in itself, by keyboard too.
 */
export function render(markdown: string, resolve: Resolve = outward): Rendered {
  const sections: Section[] = [];
  const anchorOf = anchors();
  const renderer: RendererObject = {
    heading({ tokens, depth }) {
      const title = this.parser.parseInline(tokens);
      const anchor = anchorOf(this.parser.parseInline(tokens, this.parser.textRenderer));
      sections.push({ depth, anchor, title: title.replaceAll(/<\/?a\b[^>]*>/g, "") });
      return `<h${depth} id="${escaped(anchor)}">${title}</h${depth}>\n`;
    },
    code: ({ text }) =>
      `<pre role="group" aria-label="Code" tabindex="0"><code>${escaped(text)}\n</code></pre>\n`,
    table(token) {
      return tableOf(this.parser, token);
    },
    link({ href, tokens }) {
      const [text, target] = [this.parser.parseInline(tokens), resolve(href)];
      return target === undefined ? text : `<a href="${escaped(target)}">${text}</a>`;
    },
    image({ href, text }) {
      const source = resolve(href);
      return source === undefined ? escaped(text) : `<img src="${escaped(source)}" alt="${escaped(text)}">`;
    },
  };
  const html = new Marked({ renderer, tokenizer: COMMENTS_ALONE }).parse(markdown, { async: false });
  return { html, sections };
}

/** The same Markdown with its links resolved; code blocks stay as they are. */
export const withLinks = (markdown: string, resolve: (target: string) => string) =>
  markdown
    .split(/(^```[\s\S]*?^```$)/m)
    .map((part) =>
      part.startsWith("```")
        ? part
        : part.replaceAll(
            /(\]\()([^()\s]+)(?=\))/g,
            (_link, open: string, target: string) => open + resolve(target),
          ),
    )
    .join("");

/** GitHub's anchors of one page: a title that comes again has a number at its end. */
function anchors(): (title: string) => string {
  const seen = new Map<string, number>();
  return (title) => {
    const anchor = title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\s-]/gu, "")
      .trim()
      .replaceAll(" ", "-");
    const times = seen.get(anchor) ?? 0;
    seen.set(anchor, times + 1);
    return times === 0 ? anchor : `${anchor}-${times}`;
  };
}

/** The first cell of a row is its heading, unless it is empty. */
function tableOf(parser: Parser, { header, rows }: Tokens.Table): string {
  const text = (cell?: Tokens.TableCell) => parser.parseInline(cell?.tokens ?? []);
  const titles = header.map((cell) =>
    cell.text === "" ? "<td></td>" : `<th scope="col">${text(cell)}</th>`,
  );
  const lines = rows.map(([first, ...others]) => {
    const cells = others.map((cell) => `<td>${text(cell)}</td>`);
    const title = first?.text ? `<th scope="row">${text(first)}</th>` : "<td></td>";
    return `<tr>${title}${cells.join("")}</tr>`;
  });
  return `<div role="group" aria-label="Table" tabindex="0"><table>
<thead><tr>${titles.join("")}</tr></thead>
<tbody>
${lines.join("\n")}
</tbody>
</table></div>
`;
}

interface HtmlDocument {
  readonly title: string;
  /** More of the head, as HTML. */
  readonly head?: string;
  readonly body: string;
}

/** A document of our own Markdown: two style sheets and no script. */
export const htmlDocument = ({ title, head = "", body }: HtmlDocument) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/tokens.css">
<link rel="stylesheet" href="/documents.css">
${head}</head>
<body>
${body}
</body>
</html>
`;
