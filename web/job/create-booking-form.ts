import { createSignal } from "solid-js";
import { foldLocator } from "../../core/bag/record-locator.ts";
import { plainText } from "../../core/bag/typed-text.ts";

/** The two texts by which a booking is found, as a person types them. */
export interface BookingForm {
  readonly recordLocator: () => string;
  readonly surname: () => string;
  readonly setRecordLocator: (value: string) => void;
  readonly setSurname: (value: string) => void;
  /** Whether the form was sent once: before that, an empty field is no fault. */
  readonly asked: () => boolean;
  /** The fields set these when they are drawn. */
  readonly fields: { recordLocator?: HTMLInputElement; surname?: HTMLInputElement };
  /**
   * What was typed, as it was meant ({@link plainText}), the locator in capitals and without spaces. If a field is empty,
   * undefined, and that field gets the focus.
   */
  complete(): { readonly recordLocator: string; readonly surname: string } | undefined;
}

/** A form for record locator and surname. */
export function createBookingForm(
  prefill: { readonly recordLocator?: string; readonly surname?: string } = {},
): BookingForm {
  const [recordLocator, setRecordLocator] = createSignal(prefill.recordLocator ?? "");
  const [surname, setSurname] = createSignal(prefill.surname ?? "");
  const [asked, setAsked] = createSignal(false);
  const fields: BookingForm["fields"] = {};
  const complete = () => {
    setAsked(true);
    const typed = { recordLocator: foldLocator(recordLocator()), surname: plainText(surname()) };
    const empty = (["recordLocator", "surname"] as const).find((name) => !typed[name]);
    if (!empty) return typed;
    fields[empty]?.focus();
    return undefined;
  };
  return { recordLocator, surname, setRecordLocator, setSurname, asked, fields, complete };
}
