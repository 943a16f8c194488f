import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectFiles, ROOT, SOURCES } from "./project-files.ts";
import { violations } from "./zone-rules.ts";

const sources = new Map(
  projectFiles(SOURCES, "*.ts")
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".d.ts"))
    .map((path) => [path, readFileSync(join(ROOT, path), "utf8")]),
);
const found = violations(sources);
for (const line of found) console.error(line);
console.log(`zones: ${sources.size} files, ${found.length} violations`);
if (found.length > 0) process.exitCode = 1;
