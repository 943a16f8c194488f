import { For, type JSX, Show } from "solid-js";
import { Icon, type IconName } from "./Controls.tsx";

type StepState = "waiting" | "active" | "asking" | "done" | "failed";

export interface Step {
  readonly id: string;
  readonly label: string;
  readonly state: StepState;
  /** To the right of the label: seconds, per cent, "trying again". */
  readonly note?: string | undefined;
}

const ICONS: Partial<Record<StepState, IconName>> = { done: "check", failed: "cross", asking: "lock" };

interface StepperProps {
  readonly label: string;
  readonly steps: readonly Step[];
  /** The word a screen reader adds to each state. */
  readonly nameOf: (state: StepState) => string;
}

/** The steps of a job from first to last; exactly one is running. */
export function Stepper(props: StepperProps): JSX.Element {
  return (
    <ol class="steps" aria-label={props.label}>
      <For each={props.steps}>
        {(step) => (
          <li
            class="step"
            data-step={step.id}
            data-state={step.state}
            aria-current={step.state === "active" || step.state === "asking" ? "step" : undefined}
          >
            <span class="step-mark">
              <Show when={ICONS[step.state]}>{(name) => <Icon name={name()} class="step-icon" />}</Show>
            </span>
            <span>
              {step.label}
              <span class="sr-only">, {props.nameOf(step.state)}</span>
            </span>
            <Show when={step.note}>
              <span class="step-note">{step.note}</span>
            </Show>
          </li>
        )}
      </For>
    </ol>
  );
}

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
