import { createMemo, For, type JSX, Show } from "solid-js";
import type { ConformanceTexts } from "../../i18n/en-conformance.ts";
import { Icon } from "../../ui/Icon.tsx";
import type { CheckId } from "./checks.ts";
import type { ConformanceRun } from "./create-conformance-run.ts";
import type { CheckResult } from "./runner.ts";
import type { Seen } from "./types.ts";

type GroupName = keyof ConformanceTexts["groups"];

export interface CheckListProps {
  readonly run: ConformanceRun;
  readonly texts: ConformanceTexts;
  /** On paper every check shows all its details. */
  readonly allOpen: boolean;
}

export function checkAnchor(id: CheckId): string {
  return `check-${id}`;
}

/** Every check under its group's heading: what it expects before a run, what was seen after. */
export function CheckList(props: CheckListProps): JSX.Element {
  // By number: they run in the order in which they can share a session.
  const groups = createMemo(() => {
    const byGroup = Map.groupBy(props.run.rows(), ({ group }) => group);
    const names = Object.keys(props.texts.groups) as GroupName[];
    const idsIn = (name: GroupName) => (byGroup.get(name) ?? []).map(({ id }) => id).toSorted();
    return names.map((name) => [name, idsIn(name)] as const).filter(([, ids]) => ids.length > 0);
  });
  return (
    <div class="checks">
      <For each={groups()}>
        {([group, ids]) => (
          <section class="check-group">
            <h2>{props.texts.groups[group]}</h2>
            <ol class="check-list">
              <For each={ids}>
                {(id) => (
                  <Check
                    id={id}
                    texts={props.texts}
                    result={props.run.results().get(id)}
                    active={props.run.current() === id}
                    open={props.allOpen}
                  />
                )}
              </For>
            </ol>
          </section>
        )}
      </For>
    </div>
  );
}

interface CheckProps {
  readonly id: CheckId;
  readonly texts: ConformanceTexts;
  readonly result: CheckResult | undefined;
  readonly active: boolean;
  readonly open: boolean;
}

const MARKS = { pass: "check", fail: "cross" } as const;

function Check(props: CheckProps): JSX.Element {
  const words = () => props.texts.checks[props.id];
  const outcome = () => props.result?.outcome;
  const mark = () => {
    const now = outcome();
    return now === "pass" || now === "fail" ? MARKS[now] : undefined;
  };
  return (
    <li id={checkAnchor(props.id)}>
      <details
        class="check"
        data-outcome={outcome()}
        data-active={props.active ? "" : undefined}
        open={props.open || outcome() === "fail"}
      >
        <summary class="check-head">
          <span class="check-mark">
            <Show when={mark()}>{(name) => <Icon name={name()} class="check-icon" />}</Show>
          </span>
          <span class="check-id code">{props.id}</span>
          <span class="check-title">{words().title}</span>
          <Show when={outcome()}>
            {(now) => <span class="check-outcome">{props.texts.outcome[now()]}</span>}
          </Show>
        </summary>
        <dl class="check-body">
          <dt>{props.texts.expected}</dt>
          <dd>{words().expected}</dd>
          <Show when={props.result}>
            {(result) => (
              <>
                <dt>{props.texts.seenLabel}</dt>
                <dd class="check-seen" dir="auto">
                  {said(result().seen, props.texts)}
                </dd>
              </>
            )}
          </Show>
          <dt>{props.texts.why}</dt>
          <dd>
            {words().why} <span class="check-section">{props.texts.section(words().section)}</span>
          </dd>
        </dl>
      </details>
    </li>
  );
}

function said([key, ...values]: Seen, texts: ConformanceTexts): string {
  return (texts.seen[key] as (...values: readonly (string | number)[]) => string)(...values).trim();
}
