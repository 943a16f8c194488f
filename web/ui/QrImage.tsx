import { type JSX, Show } from "solid-js";
import { qrCode } from "./qr.ts";
import "./qr.css";

/** Modules of quiet around the code (ISO 18004, 9.1). */
const QUIET = 4;

/** A QR code, dark on light in both schemes: many readers do not see the reverse. Nothing where the text is too long. */
export function QrImage(props: { readonly text: string; readonly label: string }): JSX.Element {
  return (
    <Show when={qrCode(props.text)}>
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
