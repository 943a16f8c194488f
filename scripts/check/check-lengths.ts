import { projectFiles, projectText, SOURCES } from "../project-files.ts";

/** Lines of a source file; more means it does more than one job. */
const LONGEST = 400;

const lengths = projectFiles(SOURCES, "web/**/*.css", "*.ts")
  .filter((path) => !path.endsWith(".d.ts"))
  .map((path) => ({ path, lines: projectText(path).split("\n").length - 1 }));
const tooLong = lengths.filter(({ lines }) => lines > LONGEST);
for (const { path, lines } of tooLong) console.error(`${path}: ${lines} lines, at most ${LONGEST}`);
console.log(
  `lengths: ${lengths.length} files, longest ${Math.max(...lengths.map(({ lines }) => lines))} lines`,
);
if (tooLong.length > 0) process.exitCode = 1;
