import { type JSX, Show } from "solid-js";
import { encode } from "uqr";
import "./qr.css";

/** Modules of quiet around the code (ISO 18004, 9.1). */
const QUIET = 4;

/** Rows of modules, true is dark; correction level M, for a screen in the sun. Undefined where the text is too long. */
function modulesOf(text: string): readonly (readonly boolean[])[] | undefined {
  try {
    return encode(text, { ecc: "M", boostEcc: false, border: 0 }).data;
  } catch {
    return undefined;
  }
}

/** A QR code, dark on light in both schemes: many readers do not see the reverse. Nothing where the text is too long. */
export function QrImage(props: { readonly text: string; readonly label: string }): JSX.Element {
  return (
    <Show when={modulesOf(props.text)}>
      {(code) => (
        <svg
          class="qr"
          role="img"
          aria-label={props.label}
          viewBox={`${-QUIET} ${-QUIET} ${code().length + 2 * QUIET} ${code().length + 2 * QUIET}`}
          shape-rendering="crispEdges"
        >
          <path
            d={code()
              .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : "")))
              .join("")}
          />
        </svg>
      )}
    </Show>
  );
}
