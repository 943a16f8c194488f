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

/** The commands that a page shows: each line of its shell blocks, without its comment, and what its text shows of npm and npx. */
export function commandsOf(path: string): readonly string[] {
  const lines = codeBlocks(path, "sh").flatMap((block) => block.replaceAll(/\\\n */g, "").split("\n"));
  const text = readFileSync(join(ROOT, path), "utf8");
  const inline = [...text.matchAll(/`((?:[A-Z_]+=\S+ )*(?:npm|npx) [^`]+)`/g)].map(
    ([, command = ""]) => command,
  );
  return [...new Set([...lines.map((line) => line.replace(/ +#.*$/, "")), ...inline])].filter(Boolean);
}
