import type { JSX } from "solid-js";

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
