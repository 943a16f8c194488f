import { For, type JSX, Show } from "solid-js";
import { useI18n } from "../i18n/index.tsx";

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
