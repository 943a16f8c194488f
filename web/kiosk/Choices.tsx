import { createUniqueId, For, type JSX, Show } from "solid-js";

interface ChoicesProps<Value extends string> {
  readonly legend: string;
  readonly values: readonly Value[];
  readonly labelOf: (value: Value) => string;
  readonly value: Value | undefined;
  readonly onChange: (value: Value) => void;
  readonly error?: string | undefined;
  /** Side by side where there is room: for short words. */
  readonly row?: boolean;
}

/** A choice of a few, each as large as a button: the whole row is the radio button. */
export function Choices<Value extends string>(props: ChoicesProps<Value>): JSX.Element {
  const id = createUniqueId();
  return (
    <fieldset
      class="choices"
      data-row={props.row ? "" : undefined}
      aria-describedby={props.error ? `${id}-error` : undefined}
    >
      <legend class="field-label">{props.legend}</legend>
      <For each={props.values}>
        {(value) => (
          <label class="choice">
            <input
              type="radio"
              name={id}
              value={value}
              checked={props.value === value}
              onChange={() => props.onChange(value)}
            />
            <span>{props.labelOf(value)}</span>
          </label>
        )}
      </For>
      <Show when={props.error}>
        <p class="field-error" id={`${id}-error`}>
          {props.error}
        </p>
      </Show>
    </fieldset>
  );
}
