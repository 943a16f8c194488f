import { For, Index, type JSX, type ParentProps, Show } from "solid-js";

export interface FlightLeg {
  readonly number: string;
  readonly day: string;
  readonly from: string;
  readonly to: string;
}

/** The route as a line from airport to airport, and one row per flight. `label` says it in one sentence. */
export function FlightLine(props: {
  readonly legs: readonly FlightLeg[];
  readonly label: string;
}): JSX.Element {
  const stops = () => [...props.legs.slice(0, 1).map((leg) => leg.from), ...props.legs.map((leg) => leg.to)];
  const via = (index: number) => index > 0 && index < stops().length - 1;
  return (
    <figure class="flight">
      <figcaption class="sr-only">{props.label}</figcaption>
      <div class="flight-line" aria-hidden="true">
        <Index each={stops()}>
          {(stop, index) => (
            <>
              <Show when={index > 0}>
                <span class="flight-path">
                  <svg class="flight-plane" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
                    <path d="M21.5 12c0-.8-.9-1.5-2.2-1.5h-4.6L9.6 3H7.4l2.4 7.5H5.3L3.6 8.2H2L3.2 12 2 15.8h1.6l1.7-2.3h4.5L7.4 21h2.2l5.1-7.5h4.6c1.3 0 2.2-.7 2.2-1.5z" />
                  </svg>
                </span>
              </Show>
              <span class="flight-airport" data-via={via(index) ? "" : undefined}>
                {stop()}
              </span>
            </>
          )}
        </Index>
      </div>
      <ol class="flight-legs">
        <For each={props.legs}>
          {(leg) => (
            <li class="flight-leg">
              <span class="flight-number">{leg.number}</span>
              <span class="flight-pair">{wayOf([leg.from, leg.to])}</span>
              <span class="flight-day">{leg.day}</span>
            </li>
          )}
        </For>
      </ol>
    </figure>
  );
}

/** Codes of airports from one to the next, each by itself (U+2066, U+2069): the way leads where the language reads. */
export const wayOf = (airports: readonly string[]) =>
  airports.map((code) => `\u2066${code}\u2069`).join(" – ");

/** One row of a list of facts (`<dl class="facts">`). */
export function Fact(props: ParentProps<{ readonly name: string }>): JSX.Element {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}
