/** `npm run check -- size`: how much there is of the project, by `git ls-files`. */
import { endpoints } from "../../core/api/endpoints.ts";
import { committedFiles, projectText } from "../project-files.ts";

const isSource = (path: string) => /\.(?:ts|tsx|mjs)$/.test(path);
/** Browser stories and what only tests import count as tests. */
const isTest = (path: string) => /\.(?:test|spec|test-support)\.tsx?$|(?:^e2e|\/test-support)\//.test(path);
const topOf = (path: string) => (path.includes("/") ? (path.split("/")[0] ?? "") : ".");

const linesOf = (paths: readonly string[]) =>
  paths.reduce((total, path) => total + projectText(path).split("\n").length - 1, 0);

const sizeOf = (folder: string, paths: readonly string[]) => ({
  folder,
  files: paths.length,
  code: linesOf(paths.filter((path) => !isTest(path))),
  tests: linesOf(paths.filter(isTest)),
});

export function printSize(): void {
  const paths = committedFiles();
  const sources = paths.filter(isSource);
  const folders = Object.entries(Object.groupBy(sources, topOf)).toSorted(([a], [b]) => a.localeCompare(b));
  console.table([...folders.map(([folder, of = []]) => sizeOf(folder, of)), sizeOf("all", sources)]);
  const { dependencies, devDependencies } = JSON.parse(projectText("package.json"));
  const countOf = (names: object) => Object.keys(names).length;
  console.log(`files of every kind: ${paths.length}`);
  console.log(`endpoints: ${countOf(endpoints)}`);
  console.log(
    `dependencies: ${countOf(dependencies)} of the product, ${countOf(devDependencies)} of development`,
  );
}
