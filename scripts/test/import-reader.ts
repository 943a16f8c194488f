import { parseSync } from "oxc-parser";

/** One reference of a file to another module. */
export interface Reference {
  /** As written; undefined where an `import()` computes it. */
  readonly specifier: string | undefined;
  readonly kind: "static" | "dynamic" | "type";
}

/** What the rules need to know of one source file. */
export interface SourceFacts {
  readonly references: readonly Reference[];
  /** Every statement is `export … from`. */
  readonly barrel: boolean;
  /** Dotted names that start at a global, and "new Date()"; `globalThis.` and `window.` are dropped. */
  readonly globals: ReadonlySet<string>;
  /** Names of properties read, destructured or asked for with `in`. */
  readonly members: ReadonlySet<string>;
}

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** Parses one TypeScript or TSX file; throws on a syntax error. */
export function readSource(path: string, text: string): SourceFacts {
  const { program, errors } = parseSync(path, text);
  if (errors[0] !== undefined) throw new Error(`${path}: ${errors[0].message}`);
  const references: Reference[] = [];
  const names = new Set<string>();
  const members = new Set<string>();
  const declared = new Set<string>();
  walk(program as unknown as Node, undefined, (node, parent) => {
    const reference = referenceOf(node);
    if (reference !== undefined) references.push(reference);
    if (isDeclaration(node, parent)) declared.add((node as unknown as { name: string }).name);
    const name = globalName(node, parent);
    if (name !== undefined) names.add(name);
    const member = memberName(node);
    if (member !== undefined) members.add(member);
  });
  const globals = new Set([...names].filter((name) => !declared.has(root(name))));
  return { references, barrel: isBarrel(program.body as unknown as Node[]), globals, members };
}

function root(name: string): string {
  return name.replace(/^new /, "").split(/[.(]/)[0] ?? name;
}

function referenceOf(node: Node): Reference | undefined {
  if (
    node.type === "ImportDeclaration" ||
    node.type === "ExportNamedDeclaration" ||
    node.type === "ExportAllDeclaration"
  ) {
    const specifier = literal(node.source);
    if (specifier === undefined) return undefined;
    return { specifier, kind: typeOnly(node) ? "type" : "static" };
  }
  if (node.type === "ImportExpression") return { specifier: literal(node.source), kind: "dynamic" };
  if (node.type === "TSImportType") return { specifier: literal(node.source), kind: "type" };
  return undefined;
}

function typeOnly(node: Node): boolean {
  if (node.importKind === "type" || node.exportKind === "type") return true;
  const specifiers = (node.specifiers ?? []) as Node[];
  return (
    specifiers.length > 0 && specifiers.every((one) => one.importKind === "type" || one.exportKind === "type")
  );
}

function isBarrel(body: readonly Node[]): boolean {
  if (body.some((node) => node.type === "ExportAllDeclaration")) return true;
  return (
    body.length > 0 && body.every((node) => node.type === "ExportNamedDeclaration" && isNode(node.source))
  );
}

/** The names a file binds: they hide a global of the same name (scopes are not told apart). */
function isDeclaration(node: Node, parent: Node | undefined): boolean {
  if (node.type !== "Identifier" || parent === undefined) return false;
  if (parent.type === "VariableDeclarator" || parent.type.endsWith("Declaration")) return parent.id === node;
  if (parent.type.startsWith("Import") && parent.local === node) return true;
  if (parent.type === "Property") return parent.value === node && parent.inPattern === true;
  return Array.isArray(parent.params) && parent.params.includes(node);
}

function globalName(node: Node, parent: Node | undefined): string | undefined {
  if (node.type === "NewExpression" && isNode(node.callee) && dotted(node.callee) === "Date") {
    return (node.arguments as unknown[]).length === 0 ? "new Date()" : undefined;
  }
  const inner = parent !== undefined && parent.type === "MemberExpression" && parent.object === node;
  if (inner) return undefined;
  if (node.type === "MemberExpression") return dotted(node);
  if (node.type !== "Identifier" || parent === undefined || isName(node, parent)) return undefined;
  return node.name as string;
}

/** An identifier that is a key, a property or part of a type, not a value. */
function isName(node: Node, parent: Node): boolean {
  if (parent.type === "MemberExpression") return parent.property === node && parent.computed !== true;
  if (parent.type.startsWith("TS"))
    return !["TSAsExpression", "TSNonNullExpression", "TSSatisfiesExpression"].includes(parent.type);
  return parent.key === node && parent.computed !== true && parent.shorthand !== true;
}

function dotted(node: Node): string | undefined {
  if (node.type === "Identifier") return node.name as string;
  if (
    [
      "TSAsExpression",
      "TSNonNullExpression",
      "TSSatisfiesExpression",
      "ParenthesizedExpression",
      "ChainExpression",
    ].includes(node.type)
  ) {
    return isNode(node.expression) ? dotted(node.expression) : undefined;
  }
  if (node.type !== "MemberExpression" || !isNode(node.object) || !isNode(node.property)) return undefined;
  const object = dotted(node.object);
  const property = node.computed === true ? literal(node.property) : (node.property.name as string);
  if (object === undefined || property === undefined) return object;
  return `${object}.${property}`.replace(/^(globalThis|window|self)\./, "");
}

function memberName(node: Node): string | undefined {
  if (node.type === "MemberExpression" && isNode(node.property)) {
    return node.computed === true ? literal(node.property) : (node.property.name as string);
  }
  if (node.type === "BinaryExpression" && node.operator === "in") return literal(node.left);
  if (node.type === "Property" && node.inPattern === true && isNode(node.key))
    return (node.key.name as string) ?? literal(node.key);
  return undefined;
}

function literal(value: unknown): string | undefined {
  return isNode(value) && value.type === "Literal" && typeof value.value === "string"
    ? value.value
    : undefined;
}

function isNode(value: unknown): value is Node {
  return (
    typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string"
  );
}

/** Depth first; a destructuring pattern's properties are marked, as ESTree gives them the type of an object literal's. */
function walk(
  node: Node,
  parent: Node | undefined,
  visit: (node: Node, parent: Node | undefined) => void,
): void {
  visit(node, parent);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (!isNode(child)) continue;
      walk(node.type === "ObjectPattern" ? { ...child, inPattern: true } : child, node, visit);
    }
  }
}
