import {
  type RouteSectionProps,
  useBeforeLeave,
  useCurrentMatches,
  useIsRouting,
  useLocation,
} from "@solidjs/router";
import { createEffect, ErrorBoundary, type JSX, on, Show, Suspense } from "solid-js";
import { createVirtualTagSwitch } from "../desk/virtual-tags/create-virtual-tag-switch.ts";
import { VirtualTags } from "../desk/virtual-tags/VirtualTags.tsx";
import { useI18n } from "../i18n/index.tsx";
import { useAppState } from "../state/app-state.tsx";
import { Button } from "../ui/Button.tsx";
import { useAirlineBrand, Wordmark } from "../ui/Wordmark.tsx";
import { LanguagePicker } from "./LanguagePicker.tsx";
import { OutboxNotice } from "./OutboxNotice.tsx";
import { NotFoundPage, NotLoaded } from "./Page.tsx";
import { UpdateNotice } from "./UpdateNotice.tsx";

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
          <UpdateNotice isJobRunning={jobs() > 0} />
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

/**
 * Longest time (milliseconds) that the old screen waits for the new one; a slower one comes without a
 * transition.
 */
const PATIENCE = 250;

/**
 * One screen turns into the next by a view transition, if the browser can do it and the person has not asked
 * for reduced motion. Back and forward do without: the browser has gestures of its own for them.
 */
function createViewTransitions(): void {
  const routing = useIsRouting();
  let arrived = () => undefined as unknown;
  createEffect(
    on(routing, (under) => {
      if (!under) arrived();
    }),
  );
  useBeforeLeave((leaving) => {
    if (leaving.defaultPrevented || typeof leaving.to !== "string" || !isWanted()) return;
    if (new URL(leaving.to, location.href).pathname === location.pathname) return;
    leaving.preventDefault();
    const transition = document.startViewTransition(
      () =>
        new Promise<void>((resolve) => {
          arrived = () => resolve();
          setTimeout(resolve, PATIENCE);
          leaving.retry(true);
          // A screen that had nothing to load is already there.
          if (!routing()) resolve();
        }),
    );
    // A transition that the next one overtakes is no failure.
    transition.ready.catch(() => undefined);
    transition.finished.catch(() => undefined);
  });
}

function isWanted(): boolean {
  return (
    typeof document.startViewTransition === "function" &&
    !document.hidden &&
    !matchMedia("(prefers-reduced-motion: reduce)").matches
  );
}
