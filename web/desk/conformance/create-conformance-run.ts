/** A run of the checks as the page follows it. */
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
  /** The report as JSON text, when there is one. */
  readonly file: (words: ReportWords) => Promise<string | undefined>;
}

/** Fetched together when the page opens: the chooser wants them within the tap. */
const load = async () => {
  const [{ CHECKS }, { createWorkbench }, { runChecks }, { reportFile }] = await Promise.all([
    import("./checks.ts"),
    import("./workbench.ts"),
    import("./runner.ts"),
    import("./report.ts"),
  ]);
  return { CHECKS, bench: createWorkbench(), runChecks, reportFile };
};

export function createConformanceRun(jobStarted: () => () => void): ConformanceRun {
  const [state, setState] = createSignal<RunState>("ready");
  const [rows, setRows] = createSignal<Rows | readonly []>([]);
  const [results, setResults] = createSignal<ReadonlyMap<CheckId, CheckResult>>(new Map());
  const [current, setCurrent] = createSignal<CheckId>();
  const [tag, setTag] = createSignal<TagFacts>();
  const [error, setError] = createSignal<TaglatchError>();
  let loading: ReturnType<typeof load> | undefined;
  let finished = new Date(0);
  let controller = new AbortController();

  const loaded = () => {
    loading ??= load().catch((cause: unknown) => {
      // Not remembered: the next tap tries again.
      loading = undefined;
      throw cause;
    });
    return loading;
  };

  const run = async (optional: boolean, signal: AbortSignal) => {
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
    });
    setState("done");
  };

  const start = async (optional: boolean) => {
    const before = state();
    controller = new AbortController();
    setError(undefined);
    setState("choosing");
    const ended = jobStarted();
    try {
      await run(optional, controller.signal);
    } catch (thrown) {
      const failure = asTaglatchError(thrown);
      const begun = state() === "running";
      if (failure.code !== "cancelled") setError(failure);
      if (failure.code !== "cancelled") setState("failed");
      else setState(begun ? "stopped" : before);
    } finally {
      finished = new Date();
      setCurrent(undefined);
      ended();
    }
  };

  onMount(() => {
    loaded().then(
      ({ CHECKS }) => setRows(CHECKS),
      () => undefined,
    );
  });
  onCleanup(() => controller.abort());

  const file = async (words: ReportWords) => {
    const facts = tag();
    if (facts === undefined) return undefined;
    const { reportFile } = await loaded();
    return reportFile(facts, [...results().values()], words, finished);
  };

  return { state, rows, results, current, tag, error, start, stop: () => controller.abort(), file };
}
