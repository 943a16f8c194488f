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
const COUNTED = "globalThis.__mutantLoop();";

interface Edit {
  readonly start: number;
  readonly end: number;
  /** Around what stands there, itself edited. */
  readonly before: string;
  readonly after: string;
  /** Stands for more than an expression. */
  readonly whole: boolean;
}

/** The file's text with its faults in it, and a counter in every loop: a fault must not make one endless. */
export function compiled(path: string, text: string, mutants: readonly Mutant[]): string {
  const edits = [...loopEdits(placesOf(path, text)), ...mutants.map((mutant) => editOf(mutant))];
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

function loopEdits(places: readonly Place[]): Edit[] {
  return places.flatMap(({ node }) => {
    const isLoop = /^(While|DoWhile|For|ForIn|ForOf)Statement$/.test(node.type);
    if (!isLoop || !isNode(node.body)) return [];
    const { start, end } = node.body;
    return [{ start, end, before: `{ ${COUNTED} `, after: " }", whole: true }];
  });
}
