import type { JSX } from "solid-js";
import { plainText } from "../../core/bag/typed-text.ts";
import { useI18n } from "../i18n/index.tsx";
import { Field } from "../ui/Field.tsx";
import type { BookingForm } from "./create-booking-form.ts";

interface BookingFieldsProps {
  readonly form: BookingForm;
  /** Of another person's booking: the messages for an empty field, and no hints. */
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
