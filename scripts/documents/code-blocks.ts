import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../project-files.ts";

/** The code blocks of a page in one language, in their order: tests run what a reader would. */
export function codeBlocks(path: string, language: string): readonly string[] {
  const text = readFileSync(join(ROOT, path), "utf8");
  const fence = new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\`$`, "gm");
  return [...text.matchAll(fence)].map(([, indent = "", code = ""]) =>
    code.replace(new RegExp(`^${indent}`, "gm"), ""),
  );
}
