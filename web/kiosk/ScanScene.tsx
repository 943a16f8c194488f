import type { JSX } from "solid-js";

/**
 * A boarding pass that moves towards the scanner: below the screen, or, where only a camera reads, above it. Under reduced
 * motion it is half way there.
 */
export function ScanScene(props: { readonly up: boolean }): JSX.Element {
  return (
    <svg class="scene" data-up={props.up ? "" : undefined} viewBox="0 0 240 200" aria-hidden="true">
      <path class="scene-way" d="M102 128l18 14 18-14M102 146l18 14 18-14" />
      <g class="scene-pass">
        <rect class="scene-paper" x="66" y="6" width="108" height="104" rx="10" />
        <path class="scene-print" d="M80 22h52M80 34h34M146 22h14" />
        <path
          class="scene-code"
          d="M82 56v42M89 56v42M100 56v42M107 56v42M118 56v42M129 56v42M136 56v42M147 56v42M158 56v42"
        />
      </g>
      <rect class="scene-scanner" x="30" y="176" width="180" height="16" rx="8" />
    </svg>
  );
}
