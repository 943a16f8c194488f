import { readFileSync } from "node:fs";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that wait for processes they start, for most of a minute: nothing else may be waiting for them at the end. */
const SLOW = [
  "scripts/documents/run-documents.test.ts",
  "scripts/ops/smoke.test.ts",
  "scripts/serve/start-failure.test.ts",
  "scripts/serve/start.test.ts",
  "kit/tag/npm-run-tag.node.test.ts",
  "kit/conformance/conformance.test.ts",
];

/** The project with the slowest files first; the others as they come. */
const PROJECTS = ["node", "worker"];

/** A worker is kept for the next file only if that has the same environment. */
const hasPage = (path: string) => readFileSync(path, "utf8").includes("@vitest-environment jsdom");

/**
 * Order of test files for a machine that has run none before: Vitest itself knows only those it has timed. Within a project,
 * slow files, those without a page, then those with one.
 */
export class SlowestFirst extends BaseSequencer {
  override async sort(specs: TestSpecification[]): Promise<TestSpecification[]> {
    const timed = await super.sort(specs);
    const rank = new Map(timed.map((spec) => [spec, rankOf(spec)]));
    return timed.sort((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0));
  }
}

/** Stable sorting leaves Vitest's own order between files of one rank. */
function rankOf({ moduleId, project }: TestSpecification): number {
  const at = PROJECTS.indexOf(project.name);
  const ofProject = 100 * (at === -1 ? PROJECTS.length + project.vitest.projects.indexOf(project) : at);
  const slow = SLOW.findIndex((path) => moduleId.endsWith(`/${path}`));
  if (slow !== -1) return ofProject + slow;
  return ofProject + SLOW.length + (project.name === "web" && hasPage(moduleId) ? 1 : 0);
}
