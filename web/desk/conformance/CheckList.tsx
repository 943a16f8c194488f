import { createMemo, For, type JSX, Show } from "solid-js";
import type { Profile } from "../../../kit/conformance/check-row.ts";
import { countsOf } from "../../../kit/conformance/check-row.ts";
import type { CheckId } from "../../../kit/conformance/checks.ts";
import type { CheckResult } from "../../../kit/conformance/runner.ts";
import { seenText } from "../../../kit/conformance/seen.ts";
import { CHECK_TEXTS } from "../../../kit/conformance/texts/english.ts";
import type { CheckOutcome } from "../../../kit/conformance/types.ts";
import { conformance as texts } from "../../i18n/en-conformance.ts";
import { Icon } from "../../ui/Icon.tsx";
import type { ConformanceRun } from "./create-conformance-run.ts";

type GroupName = keyof typeof texts.groups;

export interface CheckListProps {
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
