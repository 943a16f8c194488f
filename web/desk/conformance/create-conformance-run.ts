/** A run of the checks, as signals for the page. */
import { type Accessor, createSignal, onCleanup, onMount } from "solid-js";
import type { Report, ReportWord } from "../../../core/sec/report.ts";
import { type Group, rowsOf, whyNot } from "../../../kit/conformance/check-row.ts";
import type { CHECKS, CheckId } from "../../../kit/conformance/checks.ts";
import type { Desk } from "../../../kit/conformance/desk.ts";
import type { CheckResult, TagFacts } from "../../../kit/conformance/runner.ts";
import { asTaglatchError, type TaglatchError } from "../../../sdk/index.ts";

export type RunState =
  | "ready"
  | "choosing"
  | "preparing"
  | "running"
  | "signing"
  | "done"
  | "stopped"
  | "failed";

type Row = (typeof CHECKS)[number];

export interface ConformanceRun {
  readonly state: Accessor<RunState>;
  /** Of the chosen group, else all; empty until the checks are loaded. */
  readonly rows: Accessor<readonly Row[]>;
  /** The checks that apply: to the tag, once it is known. */
  readonly applying: Accessor<number>;
  readonly groups: Accessor<readonly Group[]>;
  readonly group: Accessor<Group | undefined>;
  readonly choose: (group: Group | undefined) => void;
  readonly results: Accessor<ReadonlyMap<CheckId, CheckResult>>;
  readonly current: Accessor<CheckId | undefined>;
  readonly tag: Accessor<TagFacts | undefined>;
  readonly error: Accessor<TaglatchError | undefined>;
  readonly start: (optional: boolean) => Promise<void>;
  readonly stop: () => void;
  /** Whether the tag has signed the report of this run. */
  readonly signed: Accessor<boolean>;
  /** The report as JSON text, if there is one. */
  readonly file: () => Promise<string | undefined>;
}

/** Fetched together when the page opens: the chooser must open within the tap. */
const load = async () => {
  const [{ CHECKS }, { createWorkbench }, { runChecks }, { reportFile, reportOf, signReport }] =
    await Promise.all([
      import("../../../kit/conformance/checks.ts"),
      import("../../../kit/conformance/workbench.ts"),
      import("../../../kit/conformance/runner.ts"),
      import("../../../kit/conformance/report.ts"),
    ]);
  return { CHECKS, bench: createWorkbench(), runChecks, reportFile, reportOf, signReport };
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
  const [all, setAll] = createSignal<readonly Row[]>([]);
  const [group, choose] = createSignal<Group>();
  const [asked, setAsked] = createSignal(false);
  const rows = () => rowsOf(all(), group());
  const [error, setError] = createSignal<TaglatchError>();
  const { run, ...shown } = createFollowedRun(loaded, { setState, group });
  let controller = new AbortController();

  const start = async (optional: boolean) => {
    const before = state();
    setAsked(optional);
    controller = new AbortController();
    setError(undefined);
    setState("choosing");
    const ended = jobStarted();
    const failure = await run(optional, controller.signal).catch(asTaglatchError);
    if (failure && failure.code !== "cancelled") {
      setError(failure);
      setState("failed");
    } else if (failure) setState(["running", "signing"].includes(state()) ? "stopped" : before);
    ended();
  };

  onMount(() => {
    loaded().then(
      ({ CHECKS }) => setAll(CHECKS),
      () => undefined,
    );
  });
  onCleanup(() => controller.abort());

  const applying = () => {
    const tag = shown.tag();
    return rows().filter(
      (row) => tag === undefined || whyNot(row, { ...tag, optional: asked() }) === undefined,
    ).length;
  };
  const groups = () => [...new Set(all().map((row) => row.group))];
  const stop = () => controller.abort();
  return { state, rows, applying, groups, group, choose, error, start, stop, ...shown };
}

/** The page's options for a run. */
interface Asked {
  readonly setState: (state: RunState) => void;
  readonly group: Accessor<Group | undefined>;
}

/** One run of the checks, its results so far, and the tag's signature over them once all are there. */
function createFollowedRun(loaded: () => ReturnType<typeof load>, { setState, group }: Asked) {
  const [results, setResults] = createSignal<ReadonlyMap<CheckId, CheckResult>>(new Map());
  const [current, setCurrent] = createSignal<CheckId>();
  const [tag, setTag] = createSignal<TagFacts>();
  const [ending, setEnding] = createSignal<{ readonly report: Report; readonly word?: ReportWord }>();
  const report = async () => {
    const facts = tag();
    const { reportOf } = await loaded();
    const run = { group: group(), results: [...results().values()], date: new Date() };
    return facts && reportOf({ tag: facts, ...run });
  };
  const sign = async (desk: Desk) => {
    const whole = await report();
    if (whole === undefined) return;
    setEnding({ report: whole });
    setCurrent(undefined);
    if (!tag()?.signs) return;
    setState("signing");
    const word = await (await loaded()).signReport(whole, desk);
    if (word !== undefined) setEnding({ report: whole, word });
  };
  const run = async (optional: boolean, signal: AbortSignal): Promise<undefined> => {
    const { CHECKS, bench, runChecks } = await loaded();
    const link = await bench.choose(signal);
    setState("preparing");
    const prepared = await bench.bench(link, signal);
    setResults(new Map());
    setEnding(undefined);
    setState("running");
    await runChecks(rowsOf(CHECKS, group()), prepared, {
      signal,
      optional,
      onTag: setTag,
      onStart: setCurrent,
      onResult: (result) => setResults((now) => new Map(now).set(result.id, result)),
      onEnd: sign,
    }).finally(() => setCurrent(undefined));
    setState("done");
  };
  /** A run that was stopped has a report, too, without a signature. */
  const file = async () => {
    const whole = ending()?.report ?? (await report());
    return whole && (await loaded()).reportFile(whole, ending()?.word);
  };
  return { results, current, tag, run, file, signed: () => ending()?.word !== undefined };
}
