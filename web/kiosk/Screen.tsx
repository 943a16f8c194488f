import { createUniqueId, For, type JSX, onCleanup, onMount, Show } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { Button } from "../ui/Controls.tsx";
import { useKiosk } from "./kiosk-state.tsx";

interface ScreenProps {
  readonly title: string;
  readonly lead?: string | undefined;
  /** Above the title of an outcome. */
  readonly mark?: JSX.Element;
  /** A form or a message: one column in the middle. */
  readonly narrow?: boolean;
  readonly centred?: boolean;
  readonly children: JSX.Element;
}

/**
 * The frame of a kiosk's screen. Its heading, or the field that requests it, takes the focus; the document's
 * title never changes with the screen.
 */
export function Screen(props: ScreenProps): JSX.Element {
  let section!: HTMLElement;
  let heading!: HTMLHeadingElement;
  // Set by code: the attribute alone works once in the life of a document.
  onMount(() =>
    queueMicrotask(() => {
      const field = section.querySelector<HTMLElement>("[autofocus]");
      (field ?? heading).focus({ preventScroll: true });
    }),
  );
  return (
    <section
      ref={section}
      class="kiosk-screen"
      data-narrow={props.narrow ? "" : undefined}
      data-centred={props.centred ? "" : undefined}
    >
      <header class="kiosk-head">
        {props.mark}
        <h1 ref={heading} tabindex="-1">
          {props.title}
        </h1>
        <Show when={props.lead}>
          <p class="page-lead">{props.lead}</p>
        </Show>
      </header>
      {props.children}
    </section>
  );
}

/** Back to the visit's journey, if it has one. */
export function ToJourney(props: { readonly kind?: "primary" | "quiet" }): JSX.Element {
  const { t } = useI18n();
  const { visit, send } = useKiosk();
  return (
    <Show when={visit.journey()}>
      <Button kind={props.kind ?? "quiet"} wide onClick={() => send("journey")}>
        {t("kiosk.job.toJourney")}
      </Button>
    </Show>
  );
}

/** Ends the visit, in place of the bar's button. */
export function FinishButton(props: { readonly kind: "primary" | "secondary" }): JSX.Element {
  const { t } = useI18n();
  const { finish, finishing } = useKiosk();
  onMount(() => onCleanup(finishing.hold()));
  return (
    <div class="kiosk-finish">
      <Button kind={props.kind} wide onClick={finish}>
        {t("kiosk.journey.done")}
      </Button>
    </div>
  );
}

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
