import { type JSX, Show } from "solid-js";
import type { BagRefusedError, TaglatchError } from "../../sdk/index.ts";
import { withDigits } from "../i18n/forms.ts";
import { useI18n } from "../i18n/index.tsx";
import { Notice } from "../ui/Controls.tsx";

/** What the airline says of a bag and of an airport (docs/acceptance.md), on page and kiosk. */

/** Why the airline refuses the bag (`bag_refused`) in the reader's language, then its own sentence as it is. */
export function RefusedBag(props: { readonly error: TaglatchError }): JSX.Element {
  const { t } = useI18n();
  const error = () => props.error as BagRefusedError;
  return (
    <Notice tone="bad" title={t(`passenger.addBag.refused.${error().refusal}.what`)}>
      <p>{t(`passenger.addBag.refused.${error().refusal}.next`)}</p>
      <Show when={error().sentence}>
        {(sentence) => (
          <p class="small" dir="auto">
            {sentence()}
          </p>
        )}
      </Show>
    </Notice>
  );
}

/** "It may weigh up to 23 kg." */
export function createWeight(): (kilograms: number) => string {
  const { t, locale } = useI18n();
  return (kilograms) => {
    const unit = { style: "unit", unit: "kilogram" } as const;
    return t("passenger.addBag.upTo", new Intl.NumberFormat(withDigits(locale()), unit).format(kilograms));
  };
}

/** The same, for a screen that loads this later. */
export function Weight(props: { readonly kilograms: number }): JSX.Element {
  const weight = createWeight();
  return <>{weight(props.kilograms)}</>;
}

/** Said before a tag is written for an airport that is not listed; it may be written all the same. */
export function NotListed(props: { readonly airport: string }): JSX.Element {
  const { t } = useI18n();
  return (
    <Notice tone="warn" title={t("passenger.notListed.title", props.airport)}>
      <p>{t("passenger.notListed.body")}</p>
    </Notice>
  );
}
