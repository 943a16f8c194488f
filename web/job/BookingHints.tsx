import { For, type JSX, Show } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { withoutSpaces } from "./create-booking-form.ts";

/** Characters of a record locator (IATA Resolution 830d). */
const LENGTH = 6;

/** What may be wrong with a booking that nobody knows, as far as what was typed tells. */
export function BookingHints(props: {
  readonly recordLocator: string;
  readonly surname: string;
  /** Says in any case what a record locator looks like. */
  readonly always?: boolean;
}): JSX.Element {
  const { t } = useI18n();
  const hints = () => {
    const locator = withoutSpaces(props.recordLocator);
    return [
      locator.length !== LENGTH && t("passenger.hint.length", locator.length),
      (props.always || /[O0I1]/i.test(locator)) && t("passenger.hint.looks"),
      /[^\p{ASCII}]/u.test(props.surname) && t("passenger.hint.accents"),
      /\s/.test(props.surname.trim()) && t("passenger.hint.surname"),
    ].filter((hint) => typeof hint === "string");
  };
  return (
    <Show when={hints().length > 0}>
      <ul class="hint-list small">
        <For each={hints()}>{(hint) => <li>{hint}</li>}</For>
      </ul>
    </Show>
  );
}
