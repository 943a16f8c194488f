import type { JSX } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { ButtonLink } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";
import { Forget } from "./Forget.tsx";

/** Rare actions behind one: another journey, a tag of an earlier one, and to make this device forget. */
export function JourneyFoot(props: { readonly children?: JSX.Element }): JSX.Element {
  const { t } = useI18n();
  return (
    <details class="foot">
      <summary class="button" data-kind="quiet">
        <Icon name="more" />
        {t("journey.foot")}
      </summary>
      <nav aria-label={t("journey.foot")}>
        <ButtonLink href="/find" kind="quiet">
          {t("journey.other")}
        </ButtonLink>
        {props.children}
        <ButtonLink href="/clear" kind="quiet">
          {t("start.clearAction")}
        </ButtonLink>
        <Forget />
      </nav>
    </details>
  );
}
