import { join } from "node:path";
import { type Node, readSource as read, type Source } from "./read-source.ts";

/** What the SDK exports, with the comments of its sources: the file REFERENCE.md of the package. */

const ENTRANCES = [
  ["@taglatch/sdk", "sdk/index.ts"],
  ["@taglatch/sdk/capacitor", "sdk/capacitor.ts"],
  ["@taglatch/sdk/testing", "sim/install.ts"],
] as const;

/** A declaration and where it stands. */
interface Declared {
  readonly source: Source;
  readonly statement: Node;
}

/** Name → declaration. */
type Declarations = Map<string, Declared>;

/**
 * Every export of each entrance: its comment, and its declaration without bodies. Last, what these declarations name and
 * no entrance exports.
 */
export function sdkReference(): string {
  const entrances = ENTRANCES.map(([name, path]) => [name, exportsOf(read(path))] as const);
  const exported: Declarations = new Map(entrances.flatMap(([, each]) => [...each]));
  const parts = [...entrances, ["Named by them, not exported", namedBy(exported)] as const].map(
    ([title, declarations]) => {
      const entries = [...declarations].toSorted(([a], [b]) => a.localeCompare(b));
      return [`# ${title}`, ...entries.map(([name, each]) => `## ${name}\n\n${section(each)}`)].join("\n\n");
    },
  );
  return `<!-- Made by npm run build:sdk from the comments of the sources. -->\n\n${parts.join("\n\n")}\n`;
}

/** What `exported` names, and what that names, as far as it is ours and not in `exported` itself. */
function namedBy(exported: Declarations): Declarations {
  const all: Declarations = new Map(exported);
  // A map's iteration also reaches entries that are added during it.
  for (const { source, statement } of all.values()) {
    for (const name of namesUsed(statement.declaration)) {
      const found = all.has(name) ? undefined : lookUp(source, name);
      if (found !== undefined) all.set(name, found);
    }
  }
  for (const name of exported.keys()) all.delete(name);
  return all;
}

/** The declaration that `name` means in `source`: its own, or an imported one. */
function lookUp(source: Source, name: string): Declared | undefined {
  for (const statement of source.body) {
    if (statement.type === "ImportDeclaration") {
      const { value: from } = statement.source as { readonly value: string };
      const isImported = (
        statement.specifiers as readonly { readonly local: { readonly name: string } }[]
      ).some(({ local }) => local.name === name);
      if (isImported)
        return from.startsWith(".") ? exportsOf(read(join(source.path, "..", from))).get(name) : undefined;
    }
    const declaration = (statement.declaration ?? statement) as Node;
    if (DECLARATION.test(declaration.type) && declared(declaration).includes(name))
      return { source, statement: { ...statement, declaration } };
  }
  return undefined;
}

const DECLARATION = /^(?:TS(?:Interface|TypeAlias)|Class|Variable|Function)Declaration$/;

/** Names of types in `node`, outside of bodies. */
function namesUsed(node: unknown): readonly string[] {
  if (Array.isArray(node)) return node.flatMap(namesUsed);
  if (typeof node !== "object" || node === null || isBody(node as Node)) return [];
  const { type, typeName, exprName, expression, superClass } = node as Node;
  const names = [typeName, exprName, superClass, type === "TSInterfaceHeritage" && expression].flatMap(
    (each) => nameOf(each) ?? [],
  );
  return [...names, ...Object.values(node).flatMap(namesUsed)];
}

/** `A`, and `A` of `A.b`. */
const nameOf = (node: unknown): string | undefined => {
  const { name, left } = (node || {}) as { readonly name?: string; readonly left?: unknown };
  return name ?? (left === undefined ? undefined : nameOf(left));
};

/** Everything that `source` exports, itself or from elsewhere. */
function exportsOf(source: Source): Declarations {
  const found: Declarations = new Map();
  for (const statement of source.body) {
    const from = (statement.source as { readonly value: string } | null | undefined)?.value;
    if (from !== undefined && statement.type.startsWith("Export")) {
      const others = exportsOf(read(join(source.path, "..", from)));
      const names = statement.type === "ExportAllDeclaration" ? [...others.keys()] : namesIn(statement);
      for (const name of names) {
        const other = others.get(name);
        if (other === undefined) throw new Error(`${source.path}: ${from} does not export ${name}`);
        found.set(name, other);
      }
    } else if (statement.type === "ExportNamedDeclaration" && statement.declaration) {
      for (const name of declared(statement.declaration as Node)) found.set(name, { source, statement });
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

function section({ source, statement }: Declared): string {
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

const isBody = ({ type }: Node) => type === "BlockStatement" || type === "FunctionBody";

function collect(node: unknown, into: Node[]): void {
  if (Array.isArray(node)) for (const each of node) collect(each, into);
  else if (typeof node === "object" && node !== null) {
    if (isBody(node as Node)) into.push(node as Node);
    else for (const each of Object.values(node)) collect(each, into);
  }
}
