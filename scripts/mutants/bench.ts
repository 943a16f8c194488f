/** Vitest, kept warm, with the faults of all files compiled in: runs jobs, one a test file. */
import { relative, sep } from "node:path";
import type { Plugin } from "vite";
import type { TestProjectConfiguration, TestProjectInlineConfiguration } from "vitest/config";
import { BaseSequencer, createVitest, type TestSpecification, type Vitest } from "vitest/node";
import config from "../../vitest.config.ts";
import { ROOT } from "../project-files.ts";
import { STORIES } from "./areas.ts";
import { compiled, type Mutant } from "./compile.ts";
import { type Job, SAID, type Told } from "./job.ts";

const RUNNER = `${ROOT}scripts/mutants/test-runner.ts`;
const NOT_OURS = /^\.\.|^scripts\/|node_modules|(?<!\.tsx?)$/;

/** In the order they were given. */
const sequencer = class extends BaseSequencer {
  override sort = async (files: TestSpecification[]) => files;
};
const SETTINGS = { maxWorkers: "100%", sequence: { sequencer } } as const;

export interface TestFile {
  /** "worker worker/auth/authenticate.test.ts" */
  readonly name: string;
  readonly path: string;
  readonly specification: TestSpecification;
}

export interface Bench {
  readonly files: readonly TestFile[];
  /** The first job is begun first. Tells what happens as it comes. */
  run(jobs: ReadonlyMap<TestFile, Job>, tell: (file: TestFile, told: Told) => void): Promise<void>;
  close(): Promise<void>;
}

export interface BenchOptions {
  readonly projects: readonly TestProjectInlineConfiguration[];
  /** Test files are those whose paths begin with one of these. */
  readonly tests: readonly string[];
  readonly mutants: readonly Mutant[];
  /** What paths start from: the project's folder, with a separator at the end. */
  readonly root?: string;
}

export async function openBench({ projects, tests, mutants, root = ROOT }: BenchOptions): Promise<Bench> {
  let hear: (path: string, project: string, told: Told) => void = () => undefined;
  const reporter = {
    onTestCaseAnnotate(
      { module, project }: AnnotatedTest,
      { type, message }: { type: string; message: string },
    ) {
      if (type === SAID) hear(module.moduleId, project.name, JSON.parse(message) as Told);
    },
  };
  const vitest = await createVitest(
    { config: false, root, watch: false, dangerouslyIgnoreUnhandledErrors: true },
    {
      test: {
        ...SETTINGS,
        reporters: [reporter],
        projects: projects.map((project) => prepared(project, mutants, root)),
      },
    },
  );
  const files = await testFiles(vitest, tests, root);
  return {
    files,
    async run(jobs, tell) {
      hear = (path, project, told) => {
        const file = files.find(
          (one) => one.specification.moduleId === path && one.name.startsWith(`${project} `),
        );
        if (file !== undefined) tell(file, told);
      };
      for (const project of vitest.projects) project.provide("mutantJobs", jobsOf(project.name, jobs));
      await vitest.runTestSpecifications([...jobs.keys()].map(({ specification }) => specification));
    },
    close: () => vitest.close(),
  };
}

interface AnnotatedTest {
  readonly module: { readonly moduleId: string };
  readonly project: { readonly name: string };
}

function jobsOf(project: string, jobs: ReadonlyMap<TestFile, Job>): Readonly<Record<string, Job>> {
  const own = [...jobs].filter(([{ specification }]) => specification.project.name === project);
  return Object.fromEntries(own.map(([{ specification }, job]) => [specification.moduleId, job]));
}

async function testFiles(vitest: Vitest, folders: readonly string[], root: string): Promise<TestFile[]> {
  const all = await vitest.globTestSpecifications();
  return all
    .map((specification) => {
      const path = pathOf(specification.moduleId, root);
      return { name: `${specification.project.name} ${path}`, path, specification };
    })
    .filter(({ path }) => !STORIES.includes(path) && folders.some((folder) => path.startsWith(folder)));
}

/** The projects of `vitest.config.ts` with these names. */
export function projectsNamed(names: readonly string[]): TestProjectInlineConfiguration[] {
  return (config.test?.projects ?? [])
    .filter(isInline)
    .filter(({ test }) => names.includes(String(test?.name)));
}

const isInline = (project: TestProjectConfiguration): project is TestProjectInlineConfiguration =>
  typeof project === "object" && !(project instanceof Promise);

/** A project with the faults, and the runner that wakes them. */
function prepared(
  project: TestProjectInlineConfiguration,
  mutants: readonly Mutant[],
  root: string,
): TestProjectInlineConfiguration {
  const plugins = [faults(mutants, root), ...(project.plugins ?? [])];
  return { ...project, root, plugins, test: { ...project.test, runner: RUNNER } };
}

/** Puts the faults in before anything else reads the source. */
function faults(mutants: readonly Mutant[], root: string): Plugin {
  const byPath = Map.groupBy(mutants, ({ path }) => path);
  const faulty = (id: string, code: string) => {
    const path = pathOf(id.split("?")[0] ?? id, root);
    return NOT_OURS.test(path) ? undefined : compiled(path, code, byPath.get(path) ?? []);
  };
  return {
    name: "taglatch-mutants",
    enforce: "pre",
    transform(code, id) {
      const made = faulty(id, code);
      return made === undefined ? undefined : { code: made, map: null };
    },
    // Vitest keeps what it has transformed from one run to the next: by what it was transformed from.
    configureVitest({ defineCacheKeyGenerator }) {
      defineCacheKeyGenerator(({ id, sourceCode }) => faulty(id, sourceCode));
    },
  };
}

const pathOf = (id: string, root: string) => relative(root, id).split(sep).join("/");
