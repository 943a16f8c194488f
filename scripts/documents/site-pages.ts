import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { ROOT } from "../project-files.ts";

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
    page("errors", "Every error code, and what to do about it."),
  ],
  "Departure control": [
    page("feed", "Send bookings and bags: JSON, or baggage source messages."),
    page("listen", "Receive what happens to bags: pull, or webhooks."),
  ],
  "Tag maker": [
    page("build-a-tag", "From nothing to a tag that phones write.", "kit/README.md"),
    page("protocol", "The protocol between client and tag, complete."),
    page("radio-directive", "What the European radio equipment directive asks of a tag."),
  ],
  Operator: [
    page("operations", "Deploy the service on Cloudflare and keep it running."),
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

/** Where a link in `source` leads. Throws Error for a file that is not there. */
export const targetOf = (link: string, source: string): Target => target(link, source, "");

/** The same from a page as Markdown: to other pages as Markdown. */
export const markdownTargetOf = (link: string, source: string): Target => target(link, source, ".md");

function target(link: string, source: string, ending: string): Target {
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
