/** Every single fault that can be put into a file. */
import { type Form, operators, type Proposal } from "./operators.ts";
import { placesOf } from "./syntax.ts";

/** One fault in one file. */
export interface Site {
  readonly kind: string;
  readonly form: Form;
  /** What is replaced, as offsets into the file. */
  readonly start: number;
  readonly end: number;
  /** The code in its place; "" where something is left out. */
  readonly code: string;
  /** From 1. */
  readonly line: number;
  /** Both as whole lines with their white space collapsed: they name the fault wherever the file moves. */
  readonly original: string;
  readonly mutated: string;
  /** Outside of every function. */
  readonly atImport: boolean;
}

/** All faults of a file, in the order of the file. */
export function sitesOf(path: string, text: string): Site[] {
  const seen = new Set<string>();
  const sites: Site[] = [];
  for (const place of placesOf(path, text))
    for (const operator of operators)
      for (const proposal of operator(place, text)) {
        const name = `${proposal.start}-${proposal.end} ${proposal.code}`;
        if (seen.has(name) || proposal.code === text.slice(proposal.start, proposal.end)) continue;
        seen.add(name);
        sites.push(siteOf(text, proposal, place.atImport));
      }
  return sites.sort((a, b) => a.start - b.start || b.end - a.end);
}

function siteOf(text: string, proposal: Proposal, atImport: boolean): Site {
  const { start, end, code } = proposal;
  const from = text.lastIndexOf("\n", start - 1) + 1;
  const newline = text.indexOf("\n", end);
  const to = newline === -1 ? text.length : newline;
  return {
    ...proposal,
    atImport,
    line: text.slice(0, start).split("\n").length,
    original: collapsed(text.slice(from, to)),
    mutated: collapsed(`${text.slice(from, start)}${code}${text.slice(end, to)}`),
  };
}

const collapsed = (lines: string) => lines.replace(/\s+/g, " ").trim();
