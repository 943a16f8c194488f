/** Puts generated text between a document's markers, and shows the worked example as Markdown. */
import type { Example, Step } from "../../kit/vectors/protocol-example/example.ts";

const TITLES: Readonly<Record<Step["part"], string>> = {
  parties: "Parties",
  info: "What the client reads first",
  handshake: "Handshake",
  channel: "Keys of the channel",
  payload: "Payload",
  token: "Transaction token",
  statement: "Statement of the commit",
  records: "Records",
  frames: "Frames",
};

/** Longer values would fill pages; the vector has them. */
const LONGEST = 48;

/** The example's short values as one block of text, part by part, a value a line. */
export function exampleSection({ steps }: Example): string {
  const short = steps.filter(({ value }) => value.length / 2 <= LONGEST);
  const parts = (Object.keys(TITLES) as Step["part"][]).map((part) => {
    const lines = short.filter((step) => step.part === part).map(({ name, value }) => `${name}: ${value}`);
    return [`# ${TITLES[part]}`, ...lines].join("\n");
  });
  return ["```text", parts.join("\n\n"), "```"].join("\n");
}

/** `document` with `content` between `<!-- NAME:begin -->` and `<!-- NAME:end -->`. Throws where a marker is absent. */
export function withSection(document: string, name: string, content: string): string {
  const [before, begin, rest] = split(document, `<!-- ${name}:begin -->`);
  const [, end, after] = split(rest, `<!-- ${name}:end -->`);
  return `${before}${begin}\n\n${content}\n\n${end}${after}`;
}

function split(text: string, marker: string): [before: string, marker: string, after: string] {
  const at = text.indexOf(marker);
  if (at < 0) throw new Error(`the document has no ${marker}`);
  return [text.slice(0, at), marker, text.slice(at + marker.length)];
}
