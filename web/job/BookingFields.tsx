import type { JSX } from "solid-js";
import { plainText } from "../../core/bag/typed-text.ts";
import type { I18n } from "../i18n/index.tsx";
import { Field } from "../ui/Field.tsx";
import type { BookingForm } from "./create-booking-form.ts";

/** The labels of the two fields, and the messages for an empty one. */
export interface BookingWords {
  readonly recordLocator: string;
  readonly recordLocatorHint?: string;
  readonly recordLocatorMissing: string;
  readonly surname: string;
  readonly surnameHint?: string;
  readonly surnameMissing: string;
}

/** The words for a person who looks for their own journey. */
export const bookingWords = (t: I18n["t"]): BookingWords => ({
  recordLocator: t("start.recordLocator"),
  recordLocatorHint: t("start.recordLocatorHint"),
  recordLocatorMissing: t("start.recordLocatorMissing"),
  surname: t("start.surname"),
  surnameHint: t("start.surnameHint"),
  surnameMissing: t("start.surnameMissing"),
});

interface BookingFieldsProps {
  readonly form: BookingForm;
  readonly words: BookingWords;
  readonly autofocus?: boolean;
  /** False at a kiosk: the browser must not remember the name, and the screen has keys of its own. */
  readonly autofill?: boolean;
}

/** Record locator and surname, the same wherever a booking is asked for. */
export function BookingFields(props: BookingFieldsProps): JSX.Element {
  const missing = (value: string, text: string) =>
    props.form.asked() && plainText(value).trim() === "" ? text : undefined;
  return (
    <>
      <Field
        name="recordLocator"
        label={props.words.recordLocator}
        hint={props.words.recordLocatorHint}
        value={props.form.recordLocator()}
        onInput={props.form.setRecordLocator}
        error={missing(props.form.recordLocator(), props.words.recordLocatorMissing)}
        maxLength={64}
        upper
        code
        ownKeys={props.autofill === false}
        autofocus={props.autofocus === true}
        input={(element) => (props.form.fields.recordLocator = element)}
      />
      <Field
        name="surname"
        label={props.words.surname}
        hint={props.words.surnameHint}
        value={props.form.surname()}
        onInput={props.form.setSurname}
        error={missing(props.form.surname(), props.words.surnameMissing)}
        autocomplete={props.autofill === false ? "off" : "family-name"}
        maxLength={128}
        upper
        ownKeys={props.autofill === false}
        input={(element) => (props.form.fields.surname = element)}
      />
    </>
  );
}
