import type { JSX } from "solid-js";
import { useI18n } from "../i18n/index.tsx";

/** The operator's documents beside this page, in English; `external`: they are no screens of it. */
export function Statements(): JSX.Element {
  const { t } = useI18n();
  return (
    <p class="small statements">
      <a href="/privacy" rel="external" hreflang="en">
        {t("app.privacy")}
      </a>
      <a href="/accessibility" rel="external" hreflang="en">
        {t("app.accessibility")}
      </a>
    </p>
  );
}
