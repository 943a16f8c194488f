/** A run of the checks, as signals for the page. */
import { type Accessor, createSignal, onCleanup, onMount } from "solid-js";
import { asTaglatchError, type TaglatchError } from "../../../sdk/index.ts";
import type { CHECKS, CheckId } from "./checks.ts";
import type { ReportWords } from "./report.ts";
import type { CheckResult, TagFacts } from "./runner.ts";

export type RunState = "ready" | "choosing" | "preparing" | "running" | "done" | "stopped" | "failed";

type Rows = typeof CHECKS;

export interface ConformanceRun {
  readonly state: Accessor<RunState>;
  /** Empty until the checks are loaded. */
  readonly rows: Accessor<Rows | readonly []>;
  readonly results: Accessor<ReadonlyMap<CheckId, CheckResult>>;
  readonly current: Accessor<CheckId | undefined>;
  readonly tag: Accessor<TagFacts | undefined>;
  readonly error: Accessor<TaglatchError | undefined>;
  readonly start: (optional: boolean) => Promise<void>;
  readonly stop: () => void;
  /** The report as JSON text, if there is one. */
  readonly file: (words: ReportWords) => Promise<string | undefined>;
}

/** Fetched together when the page opens: the chooser must open within the tap. */
const load = async () => {
  const [{ CHECKS }, { createWorkbench }, { runChecks }, { reportFile }] = await Promise.all([
    import("./checks.ts"),
    import("./workbench.ts"),
    import("./runner.ts"),
    import("./report.ts"),
  ]);
  return { CHECKS, bench: createWorkbench(), runChecks, reportFile };
};

/** {@link load}, once. */
function loader() {
  let loading: ReturnType<typeof load> | undefined;
  return () => {
    loading ??= load().catch((cause: unknown) => {
      // Not remembered: the next tap tries again.
      loading = undefined;
      throw cause;
    });
    return loading;
  };
}

export function createConformanceRun(jobStarted: () => () => void): ConformanceRun {
  const loaded = loader();
  const [state, setState] = createSignal<RunState>("ready");
  const [rows, setRows] = createSignal<Rows | readonly []>([]);
  const [error, setError] = createSignal<TaglatchError>();
  const { run, ...shown } = createFollowedRun(loaded, setState);
  let finished = new Date(0);
  let controller = new AbortController();

  const start = async (optional: boolean) => {
    const before = state();
    controller = new AbortController();
    setError(undefined);
    setState("choosing");
    const ended = jobStarted();
    const failure = await run(optional, controller.signal).catch(asTaglatchError);
    if (failure && failure.code !== "cancelled") {
      setError(failure);
      setState("failed");
    } else if (failure) setState(state() === "running" ? "stopped" : before);
    finished = new Date();
    ended();
  };

  onMount(() => {
    loaded().then(
      ({ CHECKS }) => setRows(CHECKS),
      () => undefined,
    );
  });
  onCleanup(() => controller.abort());

  const file = async (words: ReportWords) => {
    const facts = shown.tag();
    if (facts === undefined) return undefined;
    return (await loaded()).reportFile(facts, [...shown.results().values()], words, finished);
  };
  return { state, rows, error, start, stop: () => controller.abort(), file, ...shown };
}

/** One run of every check, and its results so far. */
function createFollowedRun(loaded: () => ReturnType<typeof load>, setState: (state: RunState) => void) {
  const [results, setResults] = createSignal<ReadonlyMap<CheckId, CheckResult>>(new Map());
  const [current, setCurrent] = createSignal<CheckId>();
  const [tag, setTag] = createSignal<TagFacts>();
  const run = async (optional: boolean, signal: AbortSignal): Promise<undefined> => {
    const { CHECKS, bench, runChecks } = await loaded();
    const link = await bench.choose(signal);
    setState("preparing");
    const prepared = await bench.bench(link, signal);
    setResults(new Map());
    setState("running");
    await runChecks(CHECKS, prepared, {
      signal,
      optional,
      onTag: setTag,
      onStart: setCurrent,
      onResult: (result) => setResults((now) => new Map(now).set(result.id, result)),
    }).finally(() => setCurrent(undefined));
    setState("done");
  };
  return { results, current, tag, run };
}
