import { useLocation } from "@solidjs/router";
import { createEffect, type JSX, on, onMount } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { Button } from "../ui/Button.tsx";
import { Page } from "./Page.tsx";

/**
 * A page whose code did not load: the connection broke, or an old tab asks for files of an earlier version.
 * Loading the document again solves both. Its words are of the first load, because no others may be
 * available.
 */
export function NotLoaded(props: { readonly error: unknown; readonly onLeave: () => void }): JSX.Element {
  const { t } = useI18n();
  const here = useLocation();
  // Reported to the console as if nobody had caught it.
  onMount(() => reportError(props.error));
  createEffect(
    on(
      () => here.pathname,
      () => props.onLeave(),
      { defer: true },
    ),
  );
  return (
    <Page title={t("error.title")} lead={t("error.next")}>
      <div>
        <Button kind="primary" onClick={() => location.reload()}>
          {t("journey.reload")}
        </Button>
      </div>
    </Page>
  );
}
