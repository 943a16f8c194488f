import { type JSX, onMount, Show } from "solid-js";

interface ScreenProps {
  readonly title: string;
  readonly lead?: string | undefined;
  /** Above the title of an outcome. */
  readonly mark?: JSX.Element;
  /** A form or a message: one column in the middle. */
  readonly narrow?: boolean;
  readonly centred?: boolean;
  readonly children: JSX.Element;
}

/**
 * The frame of a kiosk's screen. Its heading, or the field that requests it, takes the focus; the document's
 * title never changes with the screen.
 */
export function Screen(props: ScreenProps): JSX.Element {
  let section!: HTMLElement;
  let heading!: HTMLHeadingElement;
  // Set by code: the attribute alone works once in the life of a document.
  onMount(() =>
    queueMicrotask(() => {
      const field = section.querySelector<HTMLElement>("[autofocus]");
      (field ?? heading).focus({ preventScroll: true });
    }),
  );
  return (
    <section
      ref={section}
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
