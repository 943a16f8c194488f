/** A walk over the code of a TypeScript file that runs: types are passed over. */
import { parseSync } from "oxc-parser";

export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** Where a node stands. */
export interface Place {
  readonly node: Node;
  readonly parent: Node | undefined;
  /** Of the parent. */
  readonly key: string;
  /** Outside of every function: runs once, when the file is imported. */
  readonly atImport: boolean;
  readonly above: Place | undefined;
}

/** What the compiler leaves of a file with types: these alone hold code. */
const TRANSPARENT = new Set(["TSAsExpression", "TSNonNullExpression", "TSSatisfiesExpression"]);
const NOT_CODE = new Set(["ImportDeclaration", "ExportAllDeclaration", "ImportExpression"]);
const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

/** Every node that is code, depth first, as the file has them. Throws on a syntax error. */
export function placesOf(path: string, text: string): Place[] {
  const { program, errors } = parseSync(path, text);
  if (errors[0] !== undefined) throw new Error(`${path}: ${errors[0].message}`);
  const places: Place[] = [];
  visit({ node: program as unknown as Node, parent: undefined, key: "", atImport: true, above: undefined });
  return places;

  function visit(place: Place): void {
    const { node } = place;
    if (node.type.startsWith("TS") && !TRANSPARENT.has(node.type)) return;
    if (NOT_CODE.has(node.type)) return;
    places.push(place);
    const atImport = place.atImport && !FUNCTIONS.has(node.type) && !isField(node);
    for (const [key, value] of Object.entries(node)) {
      if (key === "source") continue;
      for (const child of Array.isArray(value) ? value : [value])
        if (isNode(child)) visit({ node: child, parent: node, key, atImport, above: place });
    }
  }
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}

export function listOf(node: Node, key: string): readonly Node[] {
  const value = node[key];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** `a.b` for such a callee, the bare name for a function's, "" for anything else. */
export function calleeOf(node: Node): string {
  const callee = node.callee;
  if (!isNode(callee)) return "";
  if (callee.type === "Identifier") return String(callee.name);
  if (callee.type !== "MemberExpression" || callee.computed === true || !isNode(callee.property)) return "";
  const owner =
    isNode(callee.object) && callee.object.type === "Identifier" ? String(callee.object.name) : "";
  return `${owner}.${String(callee.property.name)}`;
}

const isField = (node: Node) => node.type === "PropertyDefinition" && node.static !== true;
