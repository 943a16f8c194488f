/** The faults people make: what each kind of fault does to one node. */
import { calleeOf, isNode, listOf, type Node, type Place } from "./syntax.ts";

/** How a fault is compiled in beside what it replaces. */
export type Form = "expression" | "statement" | "element" | "property";

/** What an operator proposes at a place. */
export interface Proposal {
  readonly kind: string;
  readonly form: Form;
  readonly start: number;
  readonly end: number;
  readonly code: string;
}

/** Proposes the faults of one kind at a place. */
type Operator = (place: Place, text: string) => readonly Proposal[];

const SWAPPED: Readonly<Record<string, readonly string[]>> = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "===": ["!=="],
  "!==": ["==="],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
  "&": ["|"],
  "|": ["&"],
  "^": ["&"],
  "<<": [">>"],
  ">>": ["<<"],
  ">>>": ["<<"],
};
const ASSIGNED: Readonly<Record<string, string>> = {
  "+=": "-=",
  "-=": "+=",
  "|=": "&=",
  "&=": "|=",
  "^=": "|=",
  "<<=": ">>=",
  ">>=": "<<=",
  "??=": "=",
};
/** Functions by name, and what is called in their place; a method's name begins with a dot. */
const CALLED: Readonly<Record<string, string>> = {
  eq: "ne",
  ne: "eq",
  gt: "gte",
  gte: "gt",
  lt: "lte",
  lte: "lt",
  and: "or",
  or: "and",
  isNull: "isNotNull",
  isNotNull: "isNull",
  "Math.min": "max",
  "Math.max": "min",
  "Math.floor": "ceil",
  "Math.ceil": "floor",
  ".some": "every",
  ".every": "some",
};
/** Methods whose object does without them: `x.trim()` → `x`. */
const DROPPED = new Set(
  "filter slice subarray trim trimEnd trimStart toLowerCase toUpperCase sort toSorted reverse toReversed normalize".split(
    " ",
  ),
);
const FUNCTION = /Function/;
/** What an error says to people. */
const WORDS = new Set(["message", "cause"]);
/** Errors that say nothing but words. */
const SPOKEN = /^(Type|Range|Cbor)?Error$/;
/** Log output, on which nobody may rely. */
const TALK = /^(console\..*|.*\.log|watchConsole)$/;

const comparison: Operator = ({ node }, text) => {
  if (node.type !== "BinaryExpression") return [];
  const { left, right } = sides(node);
  // Strings are joined with +, too.
  if (node.operator === "+" && (isText(left) || isText(right))) return [];
  const kind = /[<>=]/.test(String(node.operator)) ? "comparison" : "arithmetic";
  return (SWAPPED[String(node.operator)] ?? []).map((operator) =>
    expression(kind, node, `${at(text, left)} ${operator} ${at(text, right)}`),
  );
};

const logic: Operator = ({ node }, text) => {
  if (node.type !== "LogicalExpression") return [];
  const { left, right } = sides(node);
  const one = expression("logic", node, at(text, left));
  const other = expression("logic", node, at(text, right));
  if (node.operator === "??") return [one, other];
  const swapped = node.operator === "&&" ? "||" : "&&";
  return [one, other, expression("logic", node, `(${at(text, left)}) ${swapped} (${at(text, right)})`)];
};

const condition: Operator = ({ node, parent, key }) => {
  if (key !== "test" || parent === undefined) return [];
  if (parent.type === "IfStatement" || parent.type === "ConditionalExpression")
    return ["true", "false"].map((code) => expression("condition", node, code));
  return parent.type === "WhileStatement" ? [expression("condition", node, "false")] : [];
};

const unary: Operator = ({ node }, text) => {
  if (node.type !== "UnaryExpression" || !isNode(node.argument)) return [];
  return node.operator === "!" || node.operator === "-" || node.operator === "~"
    ? [expression("unary", node, at(text, node.argument))]
    : [];
};

const assignment: Operator = ({ node }, text) => {
  if (node.type === "UpdateExpression" && isNode(node.argument)) {
    const operator = node.operator === "++" ? "--" : "++";
    const name = at(text, node.argument);
    return [expression("assignment", node, node.prefix === true ? operator + name : name + operator)];
  }
  const operator = ASSIGNED[String(node.operator)];
  if (node.type !== "AssignmentExpression" || operator === undefined) return [];
  const { left, right } = sides(node);
  return [expression("assignment", node, `${at(text, left)} ${operator} ${at(text, right)}`)];
};

const literal: Operator = (place, text) => {
  const { node } = place;
  if (isName(place)) return [];
  if (node.type === "TemplateLiteral") return template(place, text);
  if (node.type !== "Literal") return [];
  if (typeof node.value === "boolean") return [expression("literal", node, String(!node.value))];
  if (typeof node.value === "number") {
    const off = at(text, node).startsWith("0x") ? node.value ^ 1 : node.value + 1;
    return [expression("literal", node, String(off))];
  }
  if (typeof node.bigint === "string") return [expression("literal", node, `${BigInt(node.bigint) + 1n}n`)];
  if (isNode(node.regex) || typeof node.regex === "object") return anchors(node, at(text, node));
  if (typeof node.value !== "string" || isTalk(place, node.value)) return [];
  return [expression("text", node, node.value === "" ? '"x"' : '""')];
};

const call: Operator = (place, text) => {
  const { node } = place;
  if (node.type !== "CallExpression" || inChain(place)) return [];
  const name = calleeOf(node);
  const method = name.includes(".") ? name.slice(name.indexOf(".")) : name;
  const callee = node.callee as Node;
  const swapped = CALLED[name] ?? CALLED[method];
  const proposals: Proposal[] = [];
  if (swapped !== undefined) {
    const last = callee.type === "MemberExpression" ? (callee.property as Node) : callee;
    proposals.push(
      expression("call", node, text.slice(node.start, last.start) + swapped + text.slice(last.end, node.end)),
    );
  }
  if (callee.type === "MemberExpression" && DROPPED.has(method.slice(1)))
    proposals.push(expression("call", node, at(text, callee.object as Node)));
  return proposals;
};

const argument: Operator = ({ node, parent, key }) => {
  if (key !== "arguments" || parent === undefined) return [];
  const all = listOf(parent, "arguments");
  const name = calleeOf(parent);
  if (name === "and" || name === "or") return [leftOut("argument", "element", node)];
  // The last one is the optional one; an error's is its words or its cause.
  if (all.length < 2 || all.at(-1) !== node || parent.type === "NewExpression" || TALK.test(name)) return [];
  return [leftOut("argument", "element", node)];
};

const element: Operator = (place) => {
  const { node, parent, key } = place;
  if (parent?.type === "ArrayExpression" && key === "elements") return [leftOut("element", "element", node)];
  if (isOfError(place)) return [];
  const isOwn = parent?.type === "ObjectExpression" && key === "properties" && node.method !== true;
  return isOwn && node.kind !== "get" && node.kind !== "set" ? [leftOut("property", "property", node)] : [];
};

const statement: Operator = (place) => {
  const { node } = place;
  if (node.type === "ExpressionStatement") {
    if (typeof node.directive === "string" || isTalking(node)) return [];
    return [leftOut("statement", "statement", node)];
  }
  if (node.type === "ThrowStatement" || node.type === "BreakStatement" || node.type === "ContinueStatement")
    return [leftOut("statement", "statement", node)];
  return node.type === "ReturnStatement" && isEarly(place) ? [leftOut("statement", "statement", node)] : [];
};

export const operators: readonly Operator[] = [
  comparison,
  logic,
  condition,
  unary,
  assignment,
  literal,
  call,
  argument,
  element,
  statement,
];

const at = (text: string, node: Node) => text.slice(node.start, node.end);

function expression(kind: string, { start, end }: Node, code: string): Proposal {
  return { kind, form: "expression", start, end, code };
}

function leftOut(kind: string, form: Form, { start, end }: Node): Proposal {
  return { kind, form, start, end, code: "" };
}

function sides(node: Node): { left: Node; right: Node } {
  return { left: node.left as Node, right: node.right as Node };
}

const nameOf = (node: Node) => (isNode(node.key) ? String(node.key.name) : "");

/** What is said, or the cause, in an object that makes an error. */
const isOfError = (property: Place | undefined) =>
  property?.above?.parent?.type === "NewExpression" && WORDS.has(nameOf(property.node));

const isText = (node: Node) =>
  node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node.value === "string");

/** A key, not a value; or the text of a tagged template, which belongs to its tag. */
function isName({ parent, key }: Place): boolean {
  return (key === "key" && parent?.computed !== true) || parent?.type === "TaggedTemplateExpression";
}

/** Words for people: with a space in them, of an error, or in what is logged. */
function isTalk(place: Place, value: string): boolean {
  if (value.trim().includes(" ") || isOfError(place.above)) return true;
  const { parent } = place;
  if (parent?.type === "NewExpression" && SPOKEN.test(calleeOf(parent))) return true;
  return parent?.type === "CallExpression" && TALK.test(calleeOf(parent));
}

function isTalking(node: Node): boolean {
  const call = node.expression;
  if (!isNode(call) || call.type !== "CallExpression") return false;
  return TALK.test(calleeOf(call)) || (isNode(call.callee) && call.callee.type === "Super");
}

function template({ node, parent }: Place, text: string): readonly Proposal[] {
  const words = listOf(node, "quasis").map((quasi) => String((quasi.value as { raw: string }).raw));
  if (parent?.type === "NewExpression" || words.some((word) => word.includes(" ")) || at(text, node) === "``")
    return [];
  return [expression("text", node, "``")];
}

function anchors(node: Node, source: string): readonly Proposal[] {
  const flags = source.slice(source.lastIndexOf("/"));
  const body = source.slice(1, source.lastIndexOf("/"));
  const shorter = [];
  if (body.startsWith("^")) shorter.push(body.slice(1));
  if (body.endsWith("$")) shorter.push(body.slice(0, -1));
  return shorter.map((pattern) => expression("pattern", node, `/${pattern}${flags}`));
}

/** Within `a?.b().c`: a link put in brackets there would no longer be passed over with the rest of its chain. */
function inChain({ parent, key, above }: Place): boolean {
  if (key !== "object" && key !== "callee") return false;
  let link = above;
  while (link !== undefined && (link.key === "object" || link.key === "callee")) link = link.above;
  return parent !== undefined && link?.parent?.type === "ChainExpression";
}

/** Not the last word of its function. */
function isEarly({ parent, above }: Place): boolean {
  const owner = parent?.type === "BlockStatement" ? above?.parent : parent;
  return owner !== undefined && !FUNCTION.test(owner.type);
}
