import { join } from "node:path";
import type { Span, Statement } from "oxc-parser";
import { readSource, type Source } from "./read-source.ts";

/** What the SDK exports, with the comments of its sources: the file REFERENCE.md of the package. */

const ENTRANCES = [
  ["@taglatch/sdk", "sdk/index.ts"],
  ["@taglatch/sdk/capacitor", "sdk/capacitor.ts"],
  ["@taglatch/sdk/testing", "sim/install.ts"],
] as const;

/** A declaration and where it stands, with the comment over it. */
interface Declared {
  readonly source: Source;
  readonly declaration: Statement;
  readonly comment: string;
}

/** Name → declaration. */
type Declarations = Map<string, Declared>;

/**
 * Every export of each entrance: its comment, and its declaration without bodies. Last, what these declarations name and
 * no entrance exports.
 */
export function sdkReference(): string {
  const entrances = ENTRANCES.map(([name, path]) => [name, exportsOf(readSource(path))] as const);
  const exported: Declarations = new Map(entrances.flatMap(([, each]) => [...each]));
  const parts = [...entrances, ["Named by them, not exported", namedBy(exported)] as const].map(
    ([title, declarations]) => {
      const entries = [...declarations].toSorted(([a], [b]) => a.localeCompare(b));
      return [`# ${title}`, ...entries.map(([name, each]) => `## ${name}\n\n${section(each)}`)].join("\n\n");
    },
  );
  return `<!-- Made by npm run build:sdk from the comments of the sources. -->\n\n${parts.join("\n\n")}\n`;
}

function section(declared: Declared): string {
  const comment = declared.comment.replace(/^\s*\*+ ?/gm, "").trim();
  return `${comment}\n\n\`\`\`ts\n${codeOf(declared)}\n\`\`\``.trimStart();
}

/** What `exported` names, and what that names, as far as it is ours and not in `exported` itself. */
function namedBy(exported: Declarations): Declarations {
  const all: Declarations = new Map(exported);
  // A map's iteration also reaches entries that are added during it.
  for (const declared of all.values()) {
    const code = codeOf(declared).replaceAll(/\/\*[\s\S]*?\*\/|"[^"]*"/g, "");
    for (const [name] of code.matchAll(/(?<![\w.])[A-Z]\w*[a-z]\w*|(?<=typeof )\w+/g)) {
      const found = all.has(name) ? undefined : lookUp(declared.source, name);
      if (found !== undefined) all.set(name, found);
    }
  }
  for (const name of exported.keys()) all.delete(name);
  return all;
}

/** The declaration that `name` means in `source`: its own, or an imported one of ours. */
function lookUp(source: Source, name: string): Declared | undefined {
  for (const statement of source.body) {
    if (statement.type !== "ImportDeclaration") {
      const declared = declarationsIn(source, statement).get(name);
      if (declared !== undefined) return declared;
    } else if (statement.specifiers.some(({ local }) => local.name === name)) {
      const from = statement.source.value;
      return from.startsWith(".") ? exportsOf(sourceAt(source, from)).get(name) : undefined;
    }
  }
  return undefined;
}

const sourceAt = ({ path }: Source, from: string) => readSource(join(path, "..", from));

/** Everything that `source` exports, itself or from elsewhere. */
function exportsOf(source: Source): Declarations {
  const exported = source.body.flatMap((statement) => {
    if (statement.type !== "ExportAllDeclaration" && statement.type !== "ExportNamedDeclaration") return [];
    if (statement.source === null) return [...declarationsIn(source, statement)];
    const others = exportsOf(sourceAt(source, statement.source.value));
    if (statement.type === "ExportAllDeclaration") return [...others];
    return statement.specifiers.map(({ exported }) => {
      const name = "name" in exported ? exported.name : exported.value;
      const other = others.get(name);
      if (other === undefined) throw new Error(`${source.path}: nothing exports ${name}`);
      return [name, other] as const;
    });
  });
  return new Map(exported);
}

/** What one statement declares, exported or not. */
function declarationsIn(source: Source, statement: Statement): Declarations {
  const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
  const comment = source.commentBefore(statement.start);
  const declared = declaration === null ? [] : namesIn(declaration);
  return new Map(declared.map((name) => [name, { source, declaration, comment } as Declared]));
}

function namesIn(declaration: Statement): readonly string[] {
  const ids = declaration.type === "VariableDeclaration" ? declaration.declarations : [declaration];
  return ids.flatMap((one) => ("id" in one && one.id?.type === "Identifier" ? [one.id.name] : []));
}

/** The declaration's text, with `;` for every body of code. */
function codeOf({ source: { text }, declaration }: Declared): string {
  return bodiesIn(declaration).reduceRight(
    (code, { start, end }) =>
      `${code.slice(0, start - declaration.start).trimEnd()};${code.slice(end - declaration.start)}`,
    text.slice(declaration.start, declaration.end),
  );
}

/** In their order. */
function bodiesIn(node: unknown): readonly Span[] {
  if (typeof node !== "object" || node === null) return [];
  const isBody = "type" in node && node.type === "BlockStatement";
  return isBody ? [node as unknown as Span] : Object.values(node).flatMap(bodiesIn);
}
