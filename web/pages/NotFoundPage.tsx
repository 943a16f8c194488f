import type { JSX } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { ButtonLink } from "../ui/Button.tsx";
import { Page } from "./Page.tsx";

export function NotFoundPage(): JSX.Element {
  const { t } = useI18n();
  return (
    <Page title={t("notFound.title")}>
      <p class="page-lead">{t("notFound.body")}</p>
      <div class="row">
        <ButtonLink href="/" kind="primary">
          {t("job.toStart")}
        </ButtonLink>
      </div>
    </Page>
  );
}
