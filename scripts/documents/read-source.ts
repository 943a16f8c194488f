import { parseSync, type Statement } from "oxc-parser";
import { projectText } from "../project-files.ts";

/** A source file, as the parser has it. */
export interface Source {
  readonly path: string;
  readonly text: string;
  readonly body: readonly Statement[];
  /** The comment that ends where the code at an offset begins, as it stands; empty without one. */
  commentBefore(offset: number): string;
}

export function readSource(path: string): Source {
  const text = projectText(path);
  const { program, comments, errors } = parseSync(path, text);
  if (errors[0] !== undefined) throw new Error(`${path}: ${errors[0].message}`);
  const commentBefore = (offset: number) => {
    const comment = comments.findLast(({ end }) => end <= offset);
    const isHere = comment?.type === "Block" && text.slice(comment.end, offset).trim() === "";
    return isHere ? comment.value : "";
  };
  return { path, text, body: program.body as readonly Statement[], commentBefore };
}
