import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { ROOT } from "../project-files.ts";

/** What the SDK exports, with the comments of its sources: the file REFERENCE.md of the package. */

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

interface Source {
  readonly path: string;
  readonly text: string;
  readonly body: readonly Node[];
  /** The comment that ends where the code at an offset begins, as it stands. */
  commentBefore(offset: number): string;
}

const ENTRANCES = [
  ["@taglatch/sdk", "sdk/index.ts"],
  ["@taglatch/sdk/testing", "sim/install.ts"],
] as const;

/** Every export of both entrances: its comment, and its declaration without bodies. */
export function sdkReference(): string {
  const parts = ENTRANCES.map(([name, path]) => {
    const entries = [...exportsOf(read(path))].toSorted(([a], [b]) => a.localeCompare(b));
    return [`# ${name}`, ...entries.map(([exported, text]) => `## ${exported}\n\n${text}`)].join("\n\n");
  });
  return `<!-- Made by npm run build:sdk from the comments of the sources. -->\n\n${parts.join("\n\n")}\n`;
}

function read(path: string): Source {
  const text = readFileSync(join(ROOT, path), "utf8");
  const { program, comments, errors } = parseSync(path, text);
  if (errors[0] !== undefined) throw new Error(`${path}: ${errors[0].message}`);
  const commentBefore = (offset: number) => {
    const comment = comments.findLast(({ end }) => end <= offset);
    const isHere = comment?.type === "Block" && text.slice(comment.end, offset).trim() === "";
    return isHere ? comment.value : "";
  };
  return { path, text, body: program.body as unknown as readonly Node[], commentBefore };
}

/** Name → Markdown of everything that `source` exports, itself or from elsewhere. */
function exportsOf(source: Source): Map<string, string> {
  const found = new Map<string, string>();
  for (const statement of source.body) {
    const from = (statement.source as { readonly value: string } | null | undefined)?.value;
    if (from !== undefined && statement.type.startsWith("Export")) {
      const others = exportsOf(read(join(source.path, "..", from)));
      const names = statement.type === "ExportAllDeclaration" ? [...others.keys()] : namesIn(statement);
      for (const name of names) found.set(name, others.get(name) ?? "");
    } else if (statement.type === "ExportNamedDeclaration" && statement.declaration) {
      for (const name of declared(statement.declaration as Node)) found.set(name, section(source, statement));
    }
  }
  return found;
}

const namesIn = ({ specifiers }: Node): string[] =>
  (specifiers as readonly { readonly exported: { readonly name: string } }[]).map(
    ({ exported }) => exported.name,
  );

const declared = ({ id, declarations }: Node): string[] =>
  [
    id,
    ...((declarations as readonly { readonly id: unknown }[] | undefined) ?? []).map((each) => each.id),
  ].flatMap((each) => (each as { readonly name?: string } | undefined)?.name ?? []);

function section(source: Source, statement: Node): string {
  const comment = source
    .commentBefore(statement.start)
    .replace(/^\s*\*+ ?/gm, "")
    .trim();
  const code = withoutBodies(source, statement.declaration as Node);
  return `${comment}\n\n\`\`\`ts\n${code}\n\`\`\``.trimStart();
}

/** The declaration's text, with `;` for every body of code. */
function withoutBodies({ text }: Source, node: Node): string {
  const bodies: Node[] = [];
  collect(node, bodies);
  return bodies
    .toSorted((a, b) => b.start - a.start)
    .reduce(
      (code, body) =>
        `${code.slice(0, body.start - node.start).trimEnd()};${code.slice(body.end - node.start)}`,
      text.slice(node.start, node.end),
    );
}

function collect(node: unknown, into: Node[]): void {
  if (Array.isArray(node)) for (const each of node) collect(each, into);
  else if (typeof node === "object" && node !== null) {
    const { type } = node as Node;
    if (type === "BlockStatement" || type === "FunctionBody") into.push(node as Node);
    else for (const each of Object.values(node)) collect(each, into);
  }
}
