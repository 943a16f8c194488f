import { For, type JSX, Show } from "solid-js";
import { foldLocator } from "../../core/bag/record-locator.ts";
import { plainText } from "../../core/bag/typed-text.ts";
import { useI18n } from "../i18n/index.tsx";

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
    const locator = foldLocator(props.recordLocator);
    const surname = plainText(props.surname).trim();
    return [
      locator.length !== LENGTH && t("passenger.hint.length", locator.length),
      (props.always || /[O0I1]/i.test(locator)) && t("passenger.hint.looks"),
      /[^\p{ASCII}]/u.test(surname) && t("passenger.hint.accents"),
      /\s/.test(surname) && t("passenger.hint.surname"),
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
