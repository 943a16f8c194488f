import type { JSX } from "solid-js";

/** 24-unit outlines; each is decoration: the words beside it carry the meaning. */
const PATHS = {
  check: "M5 12.5l4.5 4.5L19 7.5",
  cross: "M7 7l10 10M17 7L7 17",
  arrow: "M5 12h14M13 6l6 6-6 6",
  back: "M19 12H5M11 6l-6 6 6 6",
  info: "M12 11v6M12 7.2v.1M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z",
  alert: "M12 9v5M12 17.2v.1M12 3.5L2.5 20h19z",
  more: "M4.5 12h1M11.5 12h1M18.5 12h1",
  lock: "M7 11V8a5 5 0 0 1 10 0v3M5.5 11h13v9.5h-13z",
  clock: "M12 7v5l3.5 2M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z",
  globe: "M3 12h18M12 3c5 5 5 13 0 18M12 3c-5 5-5 13 0 18M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z",
  scan: "M4 8V4h4M16 4h4v4M20 16v4h-4M8 20H4v-4M8 9v6M12 9v6M16 9v6",
  tag: "M4 7.5h13l3.5 4.5L17 16.5H4zM7.5 12h.1",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon(props: { name: IconName; class?: string }): JSX.Element {
  return (
    <svg
      class={props.class ?? "icon"}
      viewBox="0 0 24 24"
      width="24"
      height="24"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[props.name]} />
    </svg>
  );
}
