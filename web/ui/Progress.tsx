import type { JSX } from "solid-js";

/** A charge level in per cent, as a drawing and as text. */
export function Battery(props: {
  readonly level: number;
  readonly low: boolean;
  readonly label: string;
}): JSX.Element {
  return (
    <span class="battery" data-low={props.low ? "" : undefined}>
      <svg
        class="battery-icon"
        viewBox="0 0 28 14"
        width="28"
        height="14"
        stroke-width="1.5"
        aria-hidden="true"
      >
        <rect x="0.75" y="0.75" width="23.5" height="12.5" rx="3" />
        <path d="M26.5 4.5v5" stroke-linecap="round" />
        <rect
          class="battery-level"
          x="3"
          y="3"
          width={Math.max(1.5, (19 * props.level) / 100)}
          height="8"
          rx="1"
        />
      </svg>
      <span>{props.label}</span>
    </span>
  );
}
