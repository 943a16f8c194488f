import { type JSX, Show } from "solid-js";
import { sim } from "../../i18n/en-sim.ts";
import { faceOf } from "../../job/journey-view.ts";
import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { TagDrawing } from "../../ui/TagDrawing.tsx";
import type { Replay } from "./create-replay.ts";
import { TranscriptList } from "./TranscriptList.tsx";

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
