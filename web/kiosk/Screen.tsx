import { type JSX, onMount, Show } from "solid-js";

export interface ScreenProps {
  readonly title: string;
  readonly lead?: string | undefined;
  /** Above the title of an outcome. */
  readonly mark?: JSX.Element;
  /** A form or a message: one column in the middle. */
  readonly narrow?: boolean;
  readonly centred?: boolean;
  readonly children: JSX.Element;
}

/** The frame of a kiosk's screen. Its heading takes the focus; the document's title never changes with it. */
export function Screen(props: ScreenProps): JSX.Element {
  let heading!: HTMLHeadingElement;
  // A field that asks for the focus has it already.
  onMount(() =>
    queueMicrotask(() => {
      const { activeElement } = document;
      if (!(activeElement instanceof HTMLInputElement)) heading.focus({ preventScroll: true });
    }),
  );
  return (
    <section
      class="kiosk-screen"
      data-narrow={props.narrow ? "" : undefined}
      data-centred={props.centred ? "" : undefined}
    >
      <header class="kiosk-head">
        {props.mark}
        <h1 ref={heading} tabindex="-1">
          {props.title}
        </h1>
        <Show when={props.lead}>
          <p class="page-lead">{props.lead}</p>
        </Show>
      </header>
      {props.children}
    </section>
  );
}
