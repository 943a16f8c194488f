import { createEffect, createMemo, For, type JSX, on, Show } from "solid-js";
import { sim } from "../../i18n/en-sim.ts";
import type { TagEvent } from "../../sim/tag-types.ts";
import { Button } from "../../ui/Button.tsx";
import type { WatchedTag } from "./create-virtual-tags.ts";
import { transcriptFile, transcriptLine } from "./transcript-line.ts";

/** Everything that passed between page and tag, newest last, decoded; a line opens to its fields. */
export function Transcript(props: { readonly watched: WatchedTag }): JSX.Element {
  let list!: HTMLOListElement;
  // Values of handshakes are for the file alone: they would bury what passed over the air.
  const shown = createMemo(() => props.watched.events().filter(({ type }) => type !== "trace"));
  const saveTranscript = () => {
    const { tag, events } = props.watched;
    save(`${tag.name}-transcript.jsonl`, transcriptFile(events()));
  };
  const saveHandshakes = async () => {
    const file = await props.watched.handshakes();
    save(`${props.watched.tag.name}-handshakes.json`, `${JSON.stringify(file, undefined, 2)}\n`);
  };
  createEffect(
    on(props.watched.events, () => {
      list.scrollTop = list.scrollHeight;
    }),
  );
  return (
    <section class="transcript">
      <div class="row row-spread">
        <h3>{sim.transcript}</h3>
        <span class="row transcript-actions">
          <Button kind="quiet" onClick={saveTranscript}>
            {sim.save}
          </Button>
          <Show when={props.watched.snapshot().generation === "2.1"}>
            <Button kind="quiet" onClick={saveHandshakes}>
              {sim.saveHandshakes}
            </Button>
          </Show>
          <Button kind="quiet" onClick={props.watched.forget}>
            {sim.clearTranscript}
          </Button>
        </span>
      </div>
      <ol class="transcript-list" dir="ltr" ref={list} tabindex="0" aria-label={sim.transcript}>
        <For each={shown()} fallback={<li class="soft">{sim.transcriptEmpty}</li>}>
          {(event) => <Line event={event} />}
        </For>
      </ol>
    </section>
  );
}

function Line(props: { readonly event: TagEvent }): JSX.Element {
  const line = transcriptLine(props.event);
  const head = (
    <>
      <span class="line-time">{(props.event.at / 1000).toFixed(3)}</span>
      <span class="line-arrow" aria-hidden="true">
        {line.arrow}
      </span>
      <span class="line-title">{line.title}</span>
      <span class="line-note">{line.note}</span>
    </>
  );
  return (
    <li class="line" data-kind={line.kind}>
      <Show when={line.fields} fallback={<div class="line-head">{head}</div>}>
        {(fields) => (
          <details>
            <summary class="line-head">{head}</summary>
            <pre class="line-fields">{JSON.stringify(fields(), undefined, 1)}</pre>
          </details>
        )}
      </Show>
    </li>
  );
}

function save(name: string, text: string): void {
  const type = name.endsWith(".json") ? "application/json" : "application/jsonl";
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
