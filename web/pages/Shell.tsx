import { type RouteSectionProps, useCurrentMatches, useLocation } from "@solidjs/router";
import { createEffect, ErrorBoundary, type JSX, lazy, on, Show, Suspense } from "solid-js";
import { createVirtualTagSwitch } from "../desk/virtual-tags/create-virtual-tag-switch.ts";
import { VirtualTags } from "../desk/virtual-tags/VirtualTags.tsx";
import { useI18n } from "../i18n/index.tsx";
import { useAppState } from "../state/app-state.tsx";
import { createViewTransitions } from "../state/create-view-transitions.ts";
import { useAirlineBrand } from "../ui/airline-brand.tsx";
import { Button } from "../ui/Button.tsx";
import { Wordmark } from "../ui/Wordmark.tsx";
import { LanguagePicker } from "./LanguagePicker.tsx";
import { NotLoaded } from "./NotLoaded.tsx";
import { OutboxNotice } from "./OutboxNotice.tsx";
import { UpdateNotice } from "./UpdateNotice.tsx";

const NotFoundPage = lazy(async () => ({ default: (await import("./NotFoundPage.tsx")).NotFoundPage }));

/** What surrounds every page. */
export function Shell(props: RouteSectionProps): JSX.Element {
  const { t } = useI18n();
  const { jobs, isDevelopment } = useAppState();
  const brand = useAirlineBrand();
  const location = useLocation();
  const matches = useCurrentMatches();
  const virtualTags = createVirtualTagSwitch(isDevelopment);
  createViewTransitions();
  let main!: HTMLElement;

  // A new page is read from its top, on the screen and by a screen reader.
  createEffect(
    on(
      () => location.pathname,
      () => {
        scrollTo(0, 0);
        main.focus({ preventScroll: true });
      },
      { defer: true },
    ),
  );

  return (
    <div class="shell" data-panel={virtualTags.open() ? "" : undefined}>
      <button type="button" class="skip" onClick={() => main.focus()}>
        {t("app.skip")}
      </button>
      <div class="shell-page">
        <header class="bar">
          <a class="bar-home" href="/" aria-label={t("app.home", brand().name ?? t("app.name"))}>
            <Wordmark />
          </a>
          <div class="bar-tools">
            <Show when={virtualTags.offered() && !virtualTags.open()}>
              <Button kind="quiet" icon="tag" onClick={virtualTags.show}>
                {t("app.virtualTag")}
              </Button>
            </Show>
            <LanguagePicker />
          </div>
        </header>
        <main id="main" ref={main} tabindex="-1">
          <UpdateNotice held={jobs() > 0} />
          <OutboxNotice />
          <ErrorBoundary fallback={(error, reset) => <NotLoaded error={error} onLeave={reset} />}>
            <Suspense fallback={<p class="page soft">{t("app.loading")}</p>}>
              {/* A route `*` does not match a path with an empty segment. */}
              {matches()[0] ? props.children : <NotFoundPage />}
            </Suspense>
          </ErrorBoundary>
        </main>
      </div>
      <VirtualTags tags={virtualTags} />
    </div>
  );
}
