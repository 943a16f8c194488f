import { escaped } from "./markdown.ts";

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
