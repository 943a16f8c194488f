/** Compiles faults into a file, all at once: inactive until a run names one, so one runtime tests all. */
import type { Site } from "./sites.ts";
import { isNode, type Place, placesOf } from "./syntax.ts";

/** A fault with the number it answers to. */
export interface Mutant extends Site {
  readonly id: number;
  readonly path: string;
}

/** Global functions that `test-runner.ts` puts there. */
const ASKED = "globalThis.__mutant";
const COUNTED = "globalThis.__mutantTurn()";

/** What runs its body as often as it likes. */
const REPEATED = new Set([
  ...["WhileStatement", "DoWhileStatement", "ForStatement", "ForInStatement", "ForOfStatement"],
  ...["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"],
]);

interface Edit {
  readonly start: number;
  readonly end: number;
  /** Around what stands there, itself edited. */
  readonly before: string;
  readonly after: string;
  /** Stands for more than an expression. */
  readonly whole: boolean;
}

/**
 * The file's text with its faults in it, and a counter in every loop and every function: whatever a fault makes endless passes one of them
 * again and again, in any runtime and even where it leaves nobody else a turn.
 */
export function compiled(path: string, text: string, mutants: readonly Mutant[]): string {
  const edits = [...turnEdits(placesOf(path, text)), ...mutants.map((mutant) => editOf(mutant))];
  const openings = new Map<number, string>();
  const closings = new Map<number, string>();
  // The widest first: it opens before and closes after those inside it. A removal drops all inside.
  const breadth = ({ start, end, whole }: Edit) => end - start + (whole ? 0.5 : 0);
  for (const { start, end, before, after } of edits.sort((a, b) => breadth(b) - breadth(a))) {
    openings.set(start, (openings.get(start) ?? "") + before);
    closings.set(end, after + (closings.get(end) ?? ""));
  }
  const offsets = [...new Set([...openings.keys(), ...closings.keys()])].sort((a, b) => a - b);
  let made = "";
  let last = 0;
  for (const offset of offsets) {
    made += text.slice(last, offset) + (closings.get(offset) ?? "") + (openings.get(offset) ?? "");
    last = offset;
  }
  return made + text.slice(last);
}

function editOf({ id, form, start, end, code }: Mutant): Edit {
  const asked = `${ASKED}(${id})`;
  if (form === "expression")
    return { start, end, before: `(${asked} ? (${code}) : (`, after: "))", whole: false };
  if (form === "statement") return { start, end, before: `{ if (!${asked}) { `, after: " } }", whole: true };
  if (form === "element") return { start, end, before: `...(${asked} ? [] : [`, after: "])", whole: true };
  return { start, end, before: `...(${asked} ? {} : { `, after: " })", whole: true };
}

function turnEdits(places: readonly Place[]): Edit[] {
  return places.flatMap(({ node }) => {
    if (!REPEATED.has(node.type) || !isNode(node.body)) return [];
    const { start, end } = node.body;
    const isExpression = node.type === "ArrowFunctionExpression" && node.body.type !== "BlockStatement";
    return isExpression
      ? [{ start, end, before: `(${COUNTED}, (`, after: "))", whole: true }]
      : [{ start, end, before: `{ ${COUNTED}; `, after: " }", whole: true }];
  });
}
