import { type JSX, Show } from "solid-js";
import { transcriptFile } from "../../../sim/replay/replay.ts";
import { sim } from "../../i18n/en-sim.ts";
import { Button } from "../../ui/Button.tsx";
import { saveFile } from "../save-file.ts";
import type { WatchedTag } from "./create-virtual-tags.ts";
import { TranscriptList } from "./TranscriptList.tsx";

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
