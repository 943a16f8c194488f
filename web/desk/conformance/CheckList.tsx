import { type Accessor, createMemo, createSignal, For, type JSX, onCleanup, onMount, Show } from "solid-js";
import type { Report, ReportWord } from "../../../core/sec/report.ts";
import { countsOf, type Group, type Profile, rowsOf, whyNot } from "../../../kit/conformance/check-row.ts";
import type { CHECKS, CheckId } from "../../../kit/conformance/checks.ts";
import type { Desk } from "../../../kit/conformance/desk.ts";
import type { CheckResult, TagFacts } from "../../../kit/conformance/runner.ts";
import { seenText } from "../../../kit/conformance/seen.ts";
import { CHECK_TEXTS } from "../../../kit/conformance/texts/english.ts";
import type { CheckOutcome } from "../../../kit/conformance/types.ts";
import { asTaglatchError, type TaglatchError } from "../../../sdk/index.ts";
import { conformance as texts } from "../../i18n/en-conformance.ts";
import { Icon } from "../../ui/Controls.tsx";

type GroupName = keyof typeof texts.groups;

interface CheckListProps {
  readonly run: ConformanceRun;
  /** On paper every check shows all its details. */
  readonly allOpen: boolean;
}

export function checkAnchor(id: CheckId): string {
  return `check-${id}`;
}

const GENERATIONS = ["both", "2.1", "2.0"] as const satisfies readonly Profile[];

/** The checks that a generation must pass, and in it each group, closed until there is something to look at. */
export function CheckList(props: CheckListProps): JSX.Element {
  const generations = createMemo(() => {
    const rowsOf = (profile: Profile) => props.run.rows().filter((row) => row.profile === profile);
    return GENERATIONS.map((profile) => [profile, rowsOf(profile)] as const).filter(
      ([, rows]) => rows.length > 0,
    );
  });
  return (
    <div class="checks">
      <For each={generations()}>
        {([profile, rows]) => (
          <section>
            <div class="row row-spread checks-head">
              <h2>{texts.generations[profile]}</h2>
              <span class="small soft">{texts.count(rows.length)}</span>
            </div>
            <div class="check-list">
              <For each={groupsOf(rows)}>
                {([name, ids]) => <CheckGroup {...props} name={name} ids={ids} />}
              </For>
            </div>
          </section>
        )}
      </For>
    </div>
  );
}

/** By number: they run in the order in which they can share a session. */
function groupsOf(rows: ReturnType<ConformanceRun["rows"]>) {
  const idsIn = (name: GroupName) =>
    rows
      .filter(({ group }) => group === name)
      .map(({ id }) => id)
      .toSorted();
  return (Object.keys(texts.groups) as GroupName[])
    .map((name) => [name, idsIn(name)] as const)
    .filter(([, ids]) => ids.length > 0);
}

interface CheckGroupProps extends CheckListProps {
  readonly name: GroupName;
  readonly ids: readonly CheckId[];
}

function CheckGroup(props: CheckGroupProps): JSX.Element {
  const results = () => props.ids.flatMap((id) => props.run.results().get(id) ?? []);
  const counts = () => countsOf(results());
  const outcome = () => {
    if (counts().fail > 0) return "fail";
    return counts().pass === props.ids.length ? "pass" : undefined;
  };
  const tally = () => {
    const { applies, pass, fail, skip } = counts();
    const said = [
      fail > 0 && texts.failed(fail),
      pass > 0 && texts.passed(pass),
      skip > 0 && texts.skipped(skip),
      results().length > applies && texts.notApplying(results().length - applies),
    ].filter((part) => part !== false);
    return said.join(" · ") || texts.count(props.ids.length);
  };
  const isActive = () => props.ids.some((id) => id === props.run.current());
  return (
    <details
      class="check-group"
      data-outcome={outcome()}
      data-active={isActive() ? "" : undefined}
      open={props.allOpen || outcome() === "fail" || props.run.group() === props.name}
    >
      <summary class="check-head">
        <Mark outcome={outcome()} />
        <h3 class="check-title">{texts.groups[props.name]}</h3>
        <span class="check-outcome">{tally()}</span>
      </summary>
      <ol>
        <For each={props.ids}>
          {(id) => (
            <Check
              id={id}
              result={props.run.results().get(id)}
              active={props.run.current() === id}
              open={props.allOpen}
            />
          )}
        </For>
      </ol>
    </details>
  );
}

function Mark(props: { readonly outcome: CheckOutcome | undefined }): JSX.Element {
  const mark = () =>
    props.outcome === "pass" || props.outcome === "fail" ? MARKS[props.outcome] : undefined;
  return (
    <span class="check-mark">
      <Show when={mark()}>{(name) => <Icon name={name()} class="check-icon" />}</Show>
    </span>
  );
}

interface CheckProps {
  readonly id: CheckId;
  readonly result: CheckResult | undefined;
  readonly active: boolean;
  readonly open: boolean;
}

const MARKS = { pass: "check", fail: "cross" } as const;

function Check(props: CheckProps): JSX.Element {
  const words = () => CHECK_TEXTS[props.id];
  const outcome = () => props.result?.outcome;
  return (
    <li id={checkAnchor(props.id)}>
      <details
        class="check"
        data-outcome={outcome()}
        data-active={props.active ? "" : undefined}
        open={props.open || outcome() === "fail"}
      >
        <summary class="check-head">
          <Mark outcome={outcome()} />
          <span class="check-id code">{props.id}</span>
          <span class="check-title">{words().title}</span>
          <Show when={outcome()}>{(now) => <span class="check-outcome">{texts.outcome[now()]}</span>}</Show>
        </summary>
        <dl class="check-body">
          <dt>{texts.expected}</dt>
          <dd>{words().expected}</dd>
          <Show when={props.result}>
            {(result) => (
              <>
                <dt>{texts.seenLabel}</dt>
                <dd class="check-seen" dir="auto">
                  {seenText(result().seen)}
                </dd>
              </>
            )}
          </Show>
          <dt>{texts.why}</dt>
          <dd>
            {words().why} <span class="check-section">{texts.section(words().section)}</span>
          </dd>
        </dl>
      </details>
    </li>
  );
}

/** A run of the checks, as signals for the page. */

type RunState = "ready" | "choosing" | "preparing" | "running" | "signing" | "done" | "stopped" | "failed";

type Row = (typeof CHECKS)[number];

export type ConformanceRun = ReturnType<typeof createConformanceRun>;

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

export function createConformanceRun(jobStarted: () => () => void) {
  const loaded = loader();
  const [state, setState] = createSignal<RunState>("ready");
  const [all, setAll] = createSignal<readonly Row[]>([]);
  const [group, choose] = createSignal<Group>();
  const [asked, setAsked] = createSignal(false);
  /** Of the chosen group, else all; empty until the checks are loaded. */
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

  /** The checks that apply: to the tag, once it is known. */
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
  /** The report as JSON text, if there is one: a run that was stopped has one, too, without a signature. */
  const file = async () => {
    const whole = ending()?.report ?? (await report());
    return whole && (await loaded()).reportFile(whole, ending()?.word);
  };
  return { results, current, tag, run, file, signed: () => ending()?.word !== undefined };
}
