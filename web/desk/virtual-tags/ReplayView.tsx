import { createMemo, createSignal, type JSX, Show } from "solid-js";
import { differences, ReplayError, readTranscript, standings } from "../../../sim/replay/replay.ts";
import type { TagEvent } from "../../../sim/tag/tag-types.ts";
import { sim } from "../../i18n/en-sim.ts";
import { faceOf } from "../../job/journey-view.ts";
import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { TagDrawing } from "../../ui/TagDrawing.tsx";
import { TranscriptList } from "./Transcript.tsx";

/**
 * Replays a saved transcript step by step, in the view it had live, with its bytes decoded by today's code.
 */
export function ReplayView(props: { readonly replay: Replay }): JSX.Element {
  const face = () => {
    const content = props.replay.display()?.content;
    return content ? faceOf(content) : undefined;
  };
  const drawn = () => {
    const shown = face();
    return shown ? sim.bagDrawing(shown.city ?? shown.destination, shown.plate ?? "") : sim.blankDrawing;
  };
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
          label={drawn()}
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
