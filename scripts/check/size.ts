/** `npm run check -- size`: how much there is of the project, by `git ls-files`. */
import { execFileSync } from "node:child_process";
import { endpoints } from "../../core/api/endpoints.ts";
import { projectText, ROOT } from "../project-files.ts";

interface Size {
  readonly folder: string;
  readonly files: number;
  readonly code: number;
  readonly tests: number;
}

const isSource = (path: string) => /\.(?:ts|tsx|mjs)$/.test(path);
/** Browser stories and what only tests import count as tests. */
const isTest = (path: string) => /\.(?:test|spec|test-support)\.tsx?$|(?:^e2e|\/test-support)\//.test(path);
const topOf = (path: string) => (path.includes("/") ? (path.split("/")[0] ?? "") : ".");

/** Sizes by top folder of `files`: path → number of lines. */
function sizesOf(files: ReadonlyMap<string, number>): readonly Size[] {
  const sources = [...files].filter(([path]) => isSource(path));
  return Object.entries(Object.groupBy(sources, ([path]) => topOf(path)))
    .map(([folder, of = []]) => ({
      folder,
      files: of.length,
      code: linesOf(of.filter(([path]) => !isTest(path))),
      tests: linesOf(of.filter(([path]) => isTest(path))),
    }))
    .sort((a, b) => a.folder.localeCompare(b.folder));
}

const linesOf = (files: readonly (readonly [string, number])[]) =>
  files.reduce((total, [, lines]) => total + lines, 0);

export function printSize(): void {
  const text = (path: string) => projectText(path);
  const listed = execFileSync("git", ["ls-files", "-z"], { cwd: ROOT, encoding: "utf8" });
  const paths = listed.split("\0").filter((path) => path !== "");
  const sizes = sizesOf(
    new Map(paths.filter(isSource).map((path) => [path, text(path).split("\n").length - 1])),
  );
  const sum = (key: "files" | "code" | "tests") => sizes.reduce((total, size) => total + size[key], 0);
  console.table([...sizes, { folder: "all", files: sum("files"), code: sum("code"), tests: sum("tests") }]);
  const { dependencies, devDependencies } = JSON.parse(text("package.json")) as Record<string, object>;
  const countOf = (names: object = {}) => Object.keys(names).length;
  console.log(`files of every kind: ${paths.length}`);
  console.log(`endpoints: ${countOf(endpoints)}`);
  console.log(
    `dependencies: ${countOf(dependencies)} of the product, ${countOf(devDependencies)} of development`,
  );
}
