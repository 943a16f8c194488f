import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, posix } from "node:path";
import { PUBLIC, projectText, ROOT, writePublic } from "../project-files.ts";
import { escaped, htmlDocument, type Rendered, render, type Section, withLinks } from "./markdown.ts";

/** The pages at /docs, which of our Markdown files each is made of, and where links between these lead on the site. */

export interface Page {
  /** Its address below /docs. */
  readonly name: string;
  /** From the project's folder. */
  readonly source: string;
  /** One line for the index. */
  readonly about: string;
}

const page = (name: string, about: string, source = `docs/${name}.md`): Page => ({ name, source, about });

/** By reader, in the order of reading. */
export const GROUPS: Readonly<Record<string, readonly Page[]>> = {
  "Airline's web team": [
    page("embed", "Write a bag's label from your own page: the SDK, or a link."),
    page("capacitor", "The same in an app for iOS and Android, with Capacitor."),
    page("react-native", "The same in React Native, and in Node."),
    page("iphone", "What a passenger with an iPhone does, and what you set up for it."),
    page("errors", "Every error code, and what to do about it."),
  ],
  "Departure control": [
    page("feed", "Send bookings and bags: JSON, or baggage source messages."),
    page("acceptance", "Decide which bags get a tag, on a host of your own."),
    page("listen", "Receive what happens to bags: pull, or webhooks."),
  ],
  "Tag maker": [
    page("build-a-tag", "From nothing to a tag that phones write.", "kit/README.md"),
    page("protocol", "The protocol between client and tag, complete."),
    page("radio-directive", "What the European radio equipment directive asks of a tag."),
  ],
  Operator: [
    page("operations", "Deploy the service on Cloudflare and keep it running."),
    page("brand", "Your brand in an hour: name, logos, colour, icon, cities."),
    page("runbooks", "Five emergencies, and the first five minutes of each."),
    page("alarms", "What raises an alarm, and what it means."),
    page("measures", "What is measured, its goal, and the last figure."),
  ],
  Auditor: [
    page("security", "Trust, attacks and their defences, keys, stored data."),
    page("rules", "What the HTTP contract leaves open."),
    page("storage-schema", "Every table, its columns, and how long its rows live."),
    page("asvs", "OWASP ASVS 5.0, level 2, requirement by requirement."),
    page("dpia", "For the airline's data protection impact assessment."),
  ],
};

export const PAGES: readonly Page[] = Object.values(GROUPS).flat();

/** Pages of the site that other steps of the build make. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "docs/privacy.md": "/privacy",
  "docs/accessibility.md": "/accessibility",
};

export interface Target {
  readonly href: string;
  /** A file that has no page: the site has a copy of it at `href`. From the project's folder. */
  readonly copy?: string;
}

/** Where a link in `source` leads; from a page as Markdown by the `ending` .md. Throws Error for a file that is not there. */
export function targetOf(link: string, source: string, ending = ""): Target {
  if (/^(?:[a-z]+:|#)/.test(link)) return { href: link };
  const [path = "", anchor] = link.split("#");
  const file = posix.join(posix.dirname(source), path);
  const own = PAGES.find((one) => one.source === file);
  const address = own ? `/docs/${own.name}${ending}` : ELSEWHERE[file];
  if (address !== undefined) return { href: anchor ? `${address}#${anchor}` : address };
  if (!existsSync(join(ROOT, file))) throw new Error(`${source} links to ${link}, which is not there`);
  // Apart, because SECURITY.md and security.md are one file on some disks.
  const place = file.startsWith("docs/") ? file.slice("docs/".length) : `project/${file}`;
  return { href: `/docs/${place}`, copy: file };
}

/**
 * The site at /docs: our Markdown files as pages beside the web app, each also as Markdown, and an index. Documents
 * without scripts; no screen loads them.
 */

/** Files of the site by their path from its top; of copies the file they are of, from the project's folder. */
interface Site {
  readonly texts: ReadonlyMap<string, string>;
  readonly copies: ReadonlyMap<string, string>;
}

/** The whole site. Throws Error for a link to a file that is not there. */
export function site(): Site {
  const texts = new Map([
    ["docs.html", index()],
    ["llms.txt", llmsText()],
  ]);
  for (const page of PAGES) {
    const rendered = render(projectText(page.source), (link) => targetOf(link, page.source).href);
    texts.set(`docs/${page.name}.html`, pageOf(page, rendered));
  }
  return { texts, copies: addMarkdown(texts) };
}

/**
 * Adds each page as Markdown, and the Markdown that it links to, with links that lead to Markdown again.
 * Returns the other files that these link to.
 */
function addMarkdown(texts: Map<string, string>): Map<string, string> {
  const copies = new Map<string, string>();
  const waiting: [path: string, source: string][] = PAGES.map(({ name, source }) => [
    `docs/${name}.md`,
    source,
  ]);
  for (const [path, source] of waiting) {
    if (texts.has(path)) continue;
    const text = withLinks(projectText(source), (link) => {
      const { href, copy } = targetOf(link, source, ".md");
      const [address = ""] = href.slice(1).split("#");
      if (copy?.endsWith(".md")) waiting.push([address, copy]);
      else if (copy !== undefined) copies.set(address, copy);
      return href;
    });
    texts.set(path, text);
  }
  return copies;
}

/** Writes it to where the page's files are, as the build's own. */
export function writeSite(): void {
  rmSync(join(PUBLIC, "docs"), { recursive: true, force: true });
  const { texts, copies } = site();
  for (const [path, text] of texts) writePublic(path, text);
  for (const [path, source] of copies) writePublic(path, readFileSync(join(ROOT, source)));
}

const HEADER = `<header>
<a href="/docs">Taglatch documents</a>
<a href="#contents">Contents</a>
</header>`;

const API = "Every endpoint, its records, answers and errors; requests can be sent.";

const titleOf = ({ source }: Page) => /^# (.*)$/m.exec(projectText(source))?.[1] ?? source;

function pageOf(page: Page, { html, sections }: Rendered): string {
  const markdown = `/docs/${page.name}.md`;
  return htmlDocument({
    title: `${titleOf(page)} – Taglatch`,
    head: `<meta name="description" content="${escaped(page.about)}">
<link rel="alternate" href="${markdown}" type="text/markdown">
`,
    body: `${HEADER}
<div class="columns">
<main>
${html}<p class="foot"><a href="${markdown}">This page as Markdown</a></p>
</main>
<div class="contents" id="contents">
${onThisPage(sections)}${siteNavigation(page)}</div>
</div>`,
  });
}

/** The sections of a page that has several. */
function onThisPage(sections: readonly Section[]): string {
  const second = sections.filter(({ depth }) => depth === 2);
  if (second.length < 2) return "";
  const items = second.map(({ anchor, title }) => `<li><a href="#${escaped(anchor)}">${title}</a></li>`);
  return `<nav aria-label="On this page">
<h2>On this page</h2>
<ul>
${items.join("\n")}
</ul>
</nav>
`;
}

function siteNavigation(current: Page): string {
  const link = (page: Page) => {
    const here = page === current ? ' aria-current="page"' : "";
    return `<li><a href="/docs/${page.name}"${here}>${escaped(titleOf(page))}</a></li>`;
  };
  const groups = Object.entries(GROUPS).map(
    ([reader, pages]) => `<h3>${escaped(reader)}</h3>\n<ul>\n${pages.map(link).join("\n")}\n</ul>`,
  );
  return `<nav aria-label="All documents">
<h2>All documents</h2>
${groups.join("\n")}
<ul>
<li><a href="/docs/api">API reference</a></li>
</ul>
</nav>
`;
}

const ABOUT = "Electronic bag tags written from a web page, and locked to one journey.";

/** The pages by reader, each with what it is about, as a list in Markdown; `ending` is that of their addresses. */
function contents(ending: string): string {
  const groups = Object.entries(GROUPS).map(([reader, pages]) => {
    const items = pages.map((page) => `- [${titleOf(page)}](/docs/${page.name}${ending}): ${page.about}`);
    return `## ${reader}\n\n${items.join("\n")}\n`;
  });
  return groups.join("\n");
}

function index(): string {
  const markdown = `# Taglatch documents

${ABOUT}

## Interface

- [API reference](/docs/api): ${API}
- [openapi.json](/openapi.json): The same as an OpenAPI 3.1 document.
- [llms.txt](/llms.txt): These documents as Markdown, for programs that read.

${contents("")}
[To the page](/)
`;
  const { html } = render(markdown, (target) => target);
  return htmlDocument({ title: "Taglatch documents", body: `<main class="index">\n${html}</main>` });
}

/** https://llmstxt.org: the pages as Markdown, with what each is about. */
function llmsText(): string {
  return `# Taglatch

> ${ABOUT}

## Interface

- [OpenAPI document](/openapi.json): ${API}

${contents(".md")}`;
}
