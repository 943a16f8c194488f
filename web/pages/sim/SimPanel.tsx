import type { JSX } from "solid-js";
export function SimPanel(props: { readonly onClose: () => void }): JSX.Element {
  return (
    <aside>
      <button type="button" onClick={props.onClose}>
        x
      </button>
    </aside>
  );
}
