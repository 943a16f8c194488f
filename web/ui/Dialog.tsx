import { createUniqueId, type JSX, onCleanup, onMount } from "solid-js";

interface DialogProps {
  readonly title: string;
  readonly children: JSX.Element;
  /** Escape, or the platform's back gesture. */
  readonly onCancel: () => void;
}

/** A modal made with the platform's own <dialog>, which holds the focus and gives it back. */
export function Dialog(props: DialogProps): JSX.Element {
  const titleId = createUniqueId();
  let element!: HTMLDialogElement;
  onMount(() => {
    element.showModal();
    // With large text the focused button lies below what is to be read first, and the browser has scrolled to it.
    element.scrollTop = 0;
  });
  onCleanup(() => element.close());
  return (
    <dialog
      ref={element}
      class="dialog"
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        props.onCancel();
      }}
    >
      <div class="dialog-body">
        <h2 id={titleId}>{props.title}</h2>
        {props.children}
      </div>
    </dialog>
  );
}

/** Rare actions behind one button: the platform's own disclosure, so that nothing floats over what is being read. */
export function More(props: {
  /** What they are about: there may be several on a screen. */
  readonly label: string;
  readonly children: JSX.Element;
}): JSX.Element {
  return (
    <details class="more">
      <summary class="button" data-kind="quiet" aria-label={props.label}>
        •••
      </summary>
      <div class="bag-actions">{props.children}</div>
    </details>
  );
}
