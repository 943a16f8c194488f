import { createUniqueId, type JSX, Show } from "solid-js";
import { Icon } from "./Icon.tsx";

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly type?: "text" | "password";
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly autocomplete?: string;
  readonly maxLength?: number;
  /** Shows capitals, however the text is typed; the value stays as typed. */
  readonly upper?: boolean;
  /** Fixed-width letters, for codes; always left to right. */
  readonly code?: boolean;
  /** Digits only: a touch screen shows no letters. */
  readonly numeric?: boolean;
  /** The page has keys of its own: the system's would lie over them. */
  readonly ownKeys?: boolean;
  /** Words, not a code or a name: no capitals by themselves. */
  readonly prose?: boolean;
  readonly autofocus?: boolean;
  readonly input?: (element: HTMLInputElement) => void;
}

/** One labelled text field. Paste and autofill are allowed everywhere. */
export function Field(props: FieldProps): JSX.Element {
  const id = createUniqueId();
  const described = () =>
    [props.error && `${id}-error`, props.hint && `${id}-hint`].filter(Boolean).join(" ") || undefined;
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {props.label}
      </label>
      <input
        id={id}
        ref={(element) => props.input?.(element)}
        class="field-input"
        type={props.type ?? "text"}
        name={props.name}
        value={props.value}
        autocomplete={props.autocomplete ?? "off"}
        autocapitalize={props.type === "password" ? "off" : props.prose ? "sentences" : "characters"}
        spellcheck={false}
        enterkeyhint="go"
        inputmode={props.ownKeys ? "none" : props.numeric ? "numeric" : undefined}
        maxLength={props.maxLength}
        dir={props.code ? "ltr" : "auto"}
        data-upper={props.upper ? "" : undefined}
        data-code={props.code ? "" : undefined}
        aria-invalid={props.error ? "true" : undefined}
        aria-describedby={described()}
        autofocus={props.autofocus}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
      <Show when={props.error}>
        <p class="field-error" id={`${id}-error`}>
          <Icon name="alert" />
          <span>{props.error}</span>
        </p>
      </Show>
      <Show when={props.hint}>
        <p class="field-hint" id={`${id}-hint`}>
          {props.hint}
        </p>
      </Show>
    </div>
  );
}
