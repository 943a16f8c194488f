import { createEffect, createMemo, For, type JSX, on, Show } from "solid-js";
import { differences } from "../../../sim/replay/replay.ts";
import type { TagEvent } from "../../../sim/tag/tag-types.ts";
import { sim } from "../../i18n/en-sim.ts";
import { transcriptLine } from "./transcript-line.ts";

export interface TranscriptListProps {
  readonly events: readonly TagEvent[];
  readonly empty: string;
  /** Decodes saved bytes again and shows what today's code reads differently. */
  readonly compare?: boolean;
}

/** What passed between page and tag, newest last, decoded and coloured; a line opens to show its fields. */
export function TranscriptList(props: TranscriptListProps): JSX.Element {
  let list!: HTMLOListElement;
  // Values of handshakes go only into the file: here they would bury what passed over the air.
  const shown = createMemo(() => props.events.filter(({ type }) => type !== "trace"));
  createEffect(
    on(shown, () => {
      list.scrollTop = list.scrollHeight;
    }),
  );
  return (
    <ol class="transcript-list" ref={list} tabindex="0" aria-label={sim.transcript}>
      <For each={shown()} fallback={<li class="soft">{props.empty}</li>}>
        {(event) => <Line event={event} compare={props.compare ?? false} />}
      </For>
    </ol>
  );
}

function Line(props: { readonly event: TagEvent; readonly compare: boolean }): JSX.Element {
  const line = transcriptLine(props.event);
  const differing = () => (props.compare ? (differences(props.event) ?? []) : []);
  const head = (
    <>
      <span class="line-time">{(props.event.at / 1000).toFixed(3)}</span>
      <span class="line-arrow" aria-hidden="true">
        {line.arrow}
      </span>
      <span class="line-title">{line.title}</span>
      <span class="line-note">{differing().length > 0 ? sim.differs : line.note}</span>
    </>
  );
  return (
    <li class="line" data-kind={line.kind} data-differs={differing().length > 0 ? "" : undefined}>
      <Show when={line.fields} fallback={<div class="line-head">{head}</div>}>
        {(fields) => (
          <details>
            <summary class="line-head">{head}</summary>
            <For each={differing()}>
              {({ field, saved, now }) => (
                <p class="line-difference">
                  {sim.difference(field, JSON.stringify(saved) ?? "–", JSON.stringify(now) ?? "–")}
                </p>
              )}
            </For>
            <pre class="line-fields">{JSON.stringify(fields(), undefined, 1)}</pre>
          </details>
        )}
      </Show>
    </li>
  );
}
