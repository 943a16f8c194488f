import { createEffect, createMemo, createSignal, For, type JSX, on, Show } from "solid-js";
import { type Bytes, toHex } from "../../../core/encoding/bytes.ts";
import {
  differences,
  ReplayError,
  readTranscript,
  standings,
  transcriptFile,
} from "../../../sim/replay/replay.ts";
import type { TagEvent, TranscriptValue } from "../../../sim/tag/tag-types.ts";
import { sim } from "../../i18n/en-sim.ts";
import { Button, Notice } from "../../ui/Controls.tsx";
import { TagDrawing } from "../../ui/TagDrawing.tsx";
import { saveFile } from "../save-file.ts";
import { drawn, type WatchedTag } from "./VirtualTagView.tsx";

/** Everything that passes between page and tag, live; can be saved as a file. */
export function Transcript(props: { readonly watched: WatchedTag }): JSX.Element {
  const saveTranscript = () => {
    const { tag, events } = props.watched;
    saveFile(`${tag.name}-transcript.jsonl`, transcriptFile(events()));
  };
  const saveHandshakes = async () => {
    const file = await props.watched.handshakes();
    saveFile(`${props.watched.tag.name}-handshakes.json`, `${JSON.stringify(file, undefined, 2)}\n`);
  };
  return (
    <section class="transcript">
      <h3>{sim.transcript}</h3>
      <div class="row transcript-actions">
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
      </div>
      <TranscriptList events={props.watched.events()} empty={sim.transcriptEmpty} />
    </section>
  );
}

interface TranscriptListProps {
  readonly events: readonly TagEvent[];
  readonly empty: string;
  /** Decodes saved bytes again and shows what today's code reads differently. */
  readonly compare?: boolean;
}

/** What passed between page and tag, newest last, decoded and coloured; a line opens to show its fields. */
function TranscriptList(props: TranscriptListProps): JSX.Element {
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

/** One line of the transcript as the panel shows it. */
interface TranscriptLine {
  readonly kind: TagEvent["type"];
  /** → into the tag, ← out of it. */
  readonly arrow: "→" | "←" | "";
  readonly title: string;
  readonly note: string;
  /** What opens under the line. */
  readonly fields?: { readonly [name: string]: TranscriptValue };
}

function transcriptLine(event: TagEvent): TranscriptLine {
  const kind = event.type;
  switch (event.type) {
    case "link":
      return { kind, arrow: "", title: event.change, note: `by ${event.by}` };
    case "gatt":
      return {
        kind,
        arrow: event.operation === "write" ? "→" : "←",
        title: `${event.operation} ${event.characteristic}`,
        note: event.error ?? `${event.value.length} B`,
        ...(event.value.length > 0 ? { fields: { value: toHex(event.value) } } : {}),
      };
    case "frame":
      return {
        kind,
        arrow: arrow(event.direction),
        title: `frame ${event.sequence} ${event.characteristic}`,
        note: [event.first && "first", event.last && "last", `${event.length} B`].filter(Boolean).join(" · "),
      };
    case "message":
      return {
        kind,
        arrow: arrow(event.direction),
        title: event.name,
        note: `${event.bytes.length} B`,
        fields: { ...event.fields, bytes: toHex(event.bytes) },
      };
    case "record":
      return { kind, arrow: arrow(event.direction), title: event.name, note: "record", fields: event.fields };
    case "state":
      return { kind, arrow: "", title: `${event.from} → ${event.to}`, note: event.because };
    case "timer":
      return { kind, arrow: "", title: `timer ${event.name}`, note: "" };
    case "trace":
      return { kind, arrow: "", title: event.name, ...hidden(event) };
    case "refusal":
      return { kind, arrow: "←", title: `refused: ${event.reason}`, note: `sent ${event.sent}` };
    case "display":
      return { kind, arrow: "", title: `display ${event.state}`, note: "" };
  }
}

/** A value that opens under its line. */
const hidden = ({ value }: { readonly value: Bytes }) => ({
  note: `${value.length} B`,
  fields: { value: toHex(value) },
});

const arrow = (direction: "in" | "out") => (direction === "in" ? "→" : "←");

/**
 * Replays a saved transcript step by step, in the view it had live, with its bytes decoded by today's code.
 */
export function ReplayView(props: { readonly replay: Replay }): JSX.Element {
  const face = () => props.replay.display()?.content ?? undefined;
  const compared = () => {
    const { compared, differing } = props.replay.comparison();
    return differing === 0 ? sim.replaySame(compared) : sim.replayDiffers(differing, compared);
  };
  return (
    <section class="virtual-tag replay" aria-label={sim.replayTitle}>
      <div class="row row-spread">
        <h3>{sim.replayTitle}</h3>
        <Button kind="quiet" onClick={props.replay.close}>
          {sim.replayClose}
        </Button>
      </div>
      <p class="small soft">{props.replay.name()}</p>
      <Notice tone={props.replay.comparison().differing === 0 ? "good" : "warn"} title={compared()} />
      <div class="virtual-face">
        <TagDrawing
          face={face()}
          label={drawn(face())}
          refreshing={props.replay.display()?.state === "REFRESHING"}
        />
        <Steps replay={props.replay} />
      </div>
      <TranscriptList events={props.replay.passed()} empty={sim.replayStart} compare />
    </section>
  );
}

function Steps(props: { readonly replay: Replay }): JSX.Element {
  const { goTo, step, length } = props.replay;
  return (
    <div class="replay-steps">
      <input
        type="range"
        class="replay-range"
        min="0"
        max={length()}
        value={step()}
        aria-label={sim.replaySteps}
        aria-valuetext={props.replay.position()}
        onInput={(event) => goTo(event.currentTarget.valueAsNumber)}
      />
      <p class="small" role="status">
        {props.replay.position()}
      </p>
      <div class="row replay-buttons">
        <Button onClick={() => goTo(0)}>{sim.replayFirst}</Button>
        <Button onClick={() => goTo(step() - 1)}>{sim.replayBack}</Button>
        <Button kind="primary" onClick={() => goTo(step() + 1)}>
          {sim.replayNext}
        </Button>
        <Button onClick={() => goTo(length())}>{sim.replayLast}</Button>
      </div>
    </div>
  );
}

/** Chooses a file to replay. */
export function ReplayOpener(props: { readonly replay: Replay }): JSX.Element {
  const choose = (event: Event & { readonly currentTarget: HTMLInputElement }) => {
    const [file] = event.currentTarget.files ?? [];
    if (file) void props.replay.open(file);
    // Lets the same file be chosen again.
    event.currentTarget.value = "";
  };
  return (
    <div class="replay-opener">
      <label class="fault">
        <span>{sim.replayOpen}</span>
        <input type="file" accept=".jsonl,application/jsonl" onChange={choose} />
      </label>
      <Show when={props.replay.problem()}>
        {(problem) => (
          <div role="alert">
            <Notice tone="bad" title={problem()} />
          </div>
        )}
      </Show>
    </div>
  );
}

type Replay = ReturnType<typeof createReplay>;

/** A saved transcript, step by step. Values of handshakes (`trace`) are not steps. */
export function createReplay() {
  // The file's, while one is open.
  const [name, setName] = createSignal<string>();
  const [events, setEvents] = createSignal<readonly TagEvent[]>([]);
  // How many events have passed.
  const [step, setStep] = createSignal(0);
  const [problem, setProblem] = createSignal<string>();
  const places = createMemo(() => standings(events()));
  const passed = createMemo(() => events().slice(0, step()));
  // How many messages and records had their bytes decoded again, and how many of them read differently today.
  const comparison = createMemo(() => {
    const all = events().flatMap((event) => differences(event) ?? []);
    const compared = events().filter((event) => differences(event) !== undefined).length;
    return { compared, differing: all.length };
  });

  const close = () => {
    setName(undefined);
    setEvents([]);
    setStep(0);
    setProblem(undefined);
  };

  const open = async (file: File) => {
    close();
    try {
      setEvents(readTranscript(await file.text()).filter(({ type }) => type !== "trace"));
      setName(file.name);
    } catch (error) {
      if (!(error instanceof ReplayError)) throw error;
      setProblem(sim.replayProblem[error.code](error.line));
    }
  };

  const goTo = (to: number) => setStep(Math.min(Math.max(to, 0), events().length));
  /** The tag's state after the last event that passed. */
  const position = () => {
    const [event, place] = [events()[step() - 1], places()[step() - 1]];
    if (event === undefined || place === undefined) return sim.replayStart;
    return sim.replayAt(step(), events().length, (event.at / 1000).toFixed(3), place.phase, place.state);
  };
  /** What the e-paper shows at that point. */
  const display = () => passed().findLast((event) => event.type === "display");

  return {
    name,
    problem,
    length: () => events().length,
    step,
    goTo,
    passed,
    comparison,
    position,
    display,
    open,
    close,
  };
}
