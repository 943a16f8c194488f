import { createEffect, createSignal, For, type JSX, Show } from "solid-js";
import { sim } from "../../i18n/en-sim.ts";
import { Badge, Button, Notice } from "../../ui/Controls.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { createReplay, ReplayOpener, ReplayView, Transcript } from "./Transcript.tsx";
import { type Choosing, createVirtualTags, VirtualTagView, type WatchedTag } from "./VirtualTagView.tsx";
import "./sim.css";

/** Virtual tags beside the page: closing the panel removes them again. */
export function SimPanel(props: { readonly onClose: () => void }): JSX.Element {
  const virtual = createVirtualTags();
  const replay = createReplay();
  const [chosen, setChosen] = createSignal<string>();
  const shown = () => virtual.tags().find(({ tag }) => tag.id === chosen()) ?? virtual.tags()[0];
  // The tag that the page talks to comes to the front.
  createEffect(() => {
    const connected = virtual.tags().find(({ snapshot }) => snapshot().connected);
    if (connected) setChosen(connected.tag.id);
  });
  return (
    // A bench for developers, in English whatever the page's language.
    <aside class="sim" aria-label={sim.title} lang="en" dir="ltr">
      <header class="row row-spread">
        <h2>{sim.title}</h2>
        <Button kind="quiet" onClick={props.onClose}>
          {sim.close}
        </Button>
      </header>
      <p class="small soft">
        {sim.lead} <a href="/conformance">{sim.conformance}</a> · <a href="/diagnostics">{sim.diagnostics}</a>
      </p>
      <Show when={virtual.failed()}>
        <Notice tone="bad" title={sim.failed} />
      </Show>
      <Show when={replay.name() !== undefined}>
        <ReplayView replay={replay} />
      </Show>
      <Show
        when={replay.name() === undefined && shown()}
        fallback={<Loading quiet={virtual.failed() !== undefined || shown() !== undefined} />}
        keyed
      >
        {(watched) => (
          <>
            <TagList tags={virtual.tags()} shown={watched} onShow={setChosen} />
            <VirtualTagView watched={watched} />
            <Transcript watched={watched} />
            <ReplayOpener replay={replay} />
          </>
        )}
      </Show>
      <Show when={virtual.choosing()}>
        {(choosing) => <Chooser choosing={choosing()} tags={virtual.tags()} />}
      </Show>
    </aside>
  );
}

function Loading(props: { readonly quiet: boolean }): JSX.Element {
  return (
    <Show when={!props.quiet}>
      <p class="soft">{sim.loading}</p>
    </Show>
  );
}

interface TagListProps {
  readonly tags: readonly WatchedTag[];
  readonly shown: WatchedTag;
  readonly onShow: (id: string) => void;
}

function TagList(props: TagListProps): JSX.Element {
  return (
    <ul class="sim-tags">
      <For each={props.tags}>
        {(watched) => (
          <li>
            <button
              type="button"
              class="sim-tag"
              aria-pressed={watched === props.shown}
              onClick={() => props.onShow(watched.tag.id)}
            >
              <span>{watched.tag.name}</span>
              <span class="sim-generation">{sim.generation(watched.snapshot().generation)}</span>
            </button>
          </li>
        )}
      </For>
    </ul>
  );
}

function Chooser(props: { readonly choosing: Choosing; readonly tags: readonly WatchedTag[] }): JSX.Element {
  const snapshotOf = (id: string) => props.tags.find(({ tag }) => tag.id === id)?.snapshot();
  return (
    <Dialog title={sim.chooser} onCancel={() => props.choosing.answer(undefined)}>
      <p class="soft">{sim.chooserBody}</p>
      <ul class="stack stack-s">
        <For each={props.choosing.tags}>
          {(tag) => (
            <li>
              <button type="button" class="choice" onClick={() => props.choosing.answer(tag)}>
                <span class="choice-name">{tag.name}</span>
                <span class="small soft">{sim.generation(snapshotOf(tag.id)?.generation ?? "")}</span>
                <Show when={snapshotOf(tag.id)?.display.content}>
                  {(label) => (
                    <Badge tone="good">{label().segments?.at(-1)?.airport ?? label().licencePlate}</Badge>
                  )}
                </Show>
              </button>
            </li>
          )}
        </For>
      </ul>
      <Button onClick={() => props.choosing.answer(undefined)}>{sim.cancel}</Button>
    </Dialog>
  );
}
