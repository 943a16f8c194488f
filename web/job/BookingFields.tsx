import { createSignal, For, type JSX, Show } from "solid-js";
import { foldLocator, plainText } from "../../core/bag/record-locator.ts";
import { useI18n } from "../i18n/index.tsx";
import { Field } from "../ui/Controls.tsx";

export type BookingForm = ReturnType<typeof createBookingForm>;

/** The two texts by which a booking is found, as a person types them. */
export function createBookingForm(
  prefill: { readonly recordLocator?: string; readonly surname?: string } = {},
) {
  const [recordLocator, setRecordLocator] = createSignal(prefill.recordLocator ?? "");
  const [surname, setSurname] = createSignal(prefill.surname ?? "");
  /** Whether the form was sent once: before that, an empty field is no fault. */
  const [asked, setAsked] = createSignal(false);
  /** The fields set these when they are drawn. */
  const fields: { recordLocator?: HTMLInputElement; surname?: HTMLInputElement } = {};
  /**
   * What was typed, as it was meant ({@link plainText}), the locator in capitals and without spaces. If a field is empty,
   * undefined, and that field gets the focus.
   */
  const complete = () => {
    setAsked(true);
    const typed = { recordLocator: foldLocator(recordLocator()), surname: plainText(surname()) };
    const empty = (["recordLocator", "surname"] as const).find((name) => !typed[name]);
    if (!empty) return typed;
    fields[empty]?.focus();
    return undefined;
  };
  /** Empties the record locator for another try: that is no fault yet. */
  const clearRecordLocator = () => {
    setRecordLocator("");
    setAsked(false);
  };
  return {
    recordLocator,
    surname,
    setRecordLocator,
    setSurname,
    asked,
    fields,
    complete,
    clearRecordLocator,
  };
}

interface BookingFieldsProps {
  readonly form: BookingForm;
  /** For another person's booking: messages for empty fields, and no hints. */
  readonly missing?: { readonly recordLocator: string; readonly surname: string };
  readonly autofocus?: boolean;
  /** False at a kiosk: the browser must not remember the name, and the screen has keys of its own. */
  readonly autofill?: boolean;
}

/** Record locator and surname, the same wherever a booking is asked for. */
export function BookingFields(props: BookingFieldsProps): JSX.Element {
  const { t } = useI18n();
  const missing = (value: string, text: string) =>
    props.form.asked() && !plainText(value) ? text : undefined;
  const hint = (text: string) => (props.missing ? undefined : text);
  return (
    <>
      <Field
        name="recordLocator"
        label={t("start.recordLocator")}
        hint={hint(t("start.recordLocatorHint"))}
        value={props.form.recordLocator()}
        onInput={props.form.setRecordLocator}
        error={missing(
          props.form.recordLocator(),
          props.missing?.recordLocator ?? t("start.recordLocatorMissing"),
        )}
        maxLength={64}
        upper
        code
        ownKeys={props.autofill === false}
        autofocus={props.autofocus === true}
        input={(element) => (props.form.fields.recordLocator = element)}
      />
      <Field
        name="surname"
        label={t("start.surname")}
        hint={hint(t("start.surnameHint"))}
        value={props.form.surname()}
        onInput={props.form.setSurname}
        error={missing(props.form.surname(), props.missing?.surname ?? t("start.surnameMissing"))}
        autocomplete={props.autofill === false ? "off" : "family-name"}
        maxLength={128}
        upper
        ownKeys={props.autofill === false}
        input={(element) => (props.form.fields.surname = element)}
      />
    </>
  );
}

/** What may be wrong with a booking that was not found, by the text that the form completed. */
export function BookingHints(props: {
  readonly recordLocator: string;
  readonly surname: string;
  /** Says in any case what a record locator looks like. */
  readonly always?: boolean;
}): JSX.Element {
  const { t } = useI18n();
  const hints = () => {
    const { recordLocator: locator, surname } = props;
    return [
      // The characters of a record locator (IATA Resolution 830d).
      locator.length !== 6 && t("passenger.hint.length", locator.length),
      (props.always || /[O0I1]/i.test(locator)) && t("passenger.hint.looks"),
      /\P{ASCII}/u.test(surname) && t("passenger.hint.accents"),
      /\s/.test(surname) && t("passenger.hint.surname"),
    ].filter(Boolean);
  };
  return (
    <Show when={hints().length}>
      <ul class="hint-list small">
        <For each={hints()}>{(hint) => <li>{hint}</li>}</For>
      </ul>
    </Show>
  );
}
