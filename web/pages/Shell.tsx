import { type RouteSectionProps, useBeforeLeave, useCurrentMatches, useLocation } from "@solidjs/router";
import {
  createEffect,
  createSignal,
  createUniqueId,
  ErrorBoundary,
  For,
  type JSX,
  on,
  onMount,
  Show,
  Suspense,
} from "solid-js";
import { createVirtualTagSwitch, VirtualTags } from "../desk/virtual-tags/VirtualTags.tsx";
import { useI18n } from "../i18n/index.tsx";
import { LANGUAGES, type Language } from "../i18n/languages.ts";
import { type InstallUpdate, useAppState } from "../state/app-state.tsx";
import { Button, Icon, Notice } from "../ui/Controls.tsx";
import { useAirlineBrand, Wordmark } from "../ui/Wordmark.tsx";
import { movingTags } from "./moving-tags.ts";
import { OutboxNotice } from "./OutboxNotice.tsx";
import { NotFoundPage, NotLoaded } from "./Page.tsx";

/** What surrounds every page. */
export function Shell(props: RouteSectionProps): JSX.Element {
  const { t } = useI18n();
  const { jobs, isDevelopment } = useAppState();
  const brand = useAirlineBrand();
  const location = useLocation();
  const matches = useCurrentMatches();
  const virtualTags = createVirtualTagSwitch(isDevelopment);
  const tags = movingTags();
  let main!: HTMLElement;

  useBeforeLeave(({ to }) => tags.leave(typeof to === "number"));
  // A new page is read from its top, on the screen and by a screen reader.
  createEffect(
    on(
      () => location.pathname,
      () => {
        scrollTo(0, 0);
        main.focus({ preventScroll: true });
        tags.arrive();
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

/** A quiet button with the page's language; the platform's popover lists the others. */
function LanguagePicker(): JSX.Element {
  const { t, language: current, setLocale } = useI18n();
  const id = createUniqueId();
  let list!: HTMLElement;
  const choose = (event: MouseEvent, language: Language) => {
    // A link, so that it can be saved and sent; here it changes language without leaving the screen.
    event.preventDefault();
    list.hidePopover?.();
    // If the words cannot load, the language stays as it is and can be chosen again.
    void setLocale(language.locale).catch(() => undefined);
  };
  return (
    <div class="languages">
      <button type="button" class="button languages-button" data-kind="quiet" popovertarget={id}>
        <Icon name="globe" />
        <span class="sr-only">
          {t("app.language")}: {current().name},
        </span>
        <span class="languages-code">{current().locale}</span>
      </button>
      <nav id={id} ref={list} popover class="languages-list" aria-label={t("app.language")}>
        <ul>
          <For each={LANGUAGES}>
            {(language) => (
              <li>
                <a
                  class="languages-choice"
                  href={`?lang=${language.locale}`}
                  hreflang={language.tag}
                  lang={language.tag}
                  aria-current={language.locale === current().locale ? "true" : undefined}
                  onClick={(event) => choose(event, language)}
                >
                  <span dir={language.dir}>{language.name}</span>
                </a>
              </li>
            )}
          </For>
        </ul>
      </nav>
    </div>
  );
}

/**
 * Says that a new version waits; hidden while a job runs, which an update must never interrupt. If a job runs
 * in another window, the update waits for it, and the notice says so.
 */
function UpdateNotice(props: { readonly isJobRunning: boolean }): JSX.Element {
  const { t } = useI18n();
  const { watchUpdates } = useAppState();
  const [update, setUpdate] = createSignal<InstallUpdate>();
  /** Aborts the wait. */
  const [waiting, setWaiting] = createSignal<AbortController>();

  onMount(() => watchUpdates((install) => setUpdate(() => install)));

  const install = () => {
    const turn = new AbortController();
    void update()?.({ onWait: () => setWaiting(turn), signal: turn.signal });
  };
  const stop = () => {
    waiting()?.abort();
    setWaiting(undefined);
  };
  const later = () => {
    stop();
    setUpdate(undefined);
  };
  // If a job begins here, the question comes again after it.
  createEffect(() => {
    if (props.isJobRunning) stop();
  });

  return (
    <Show when={!props.isJobRunning && update()}>
      <div class="notices" role="status">
        <Notice
          title={t("update.title")}
          actions={
            <>
              <Button busy={waiting() !== undefined} onClick={install}>
                {t("update.action")}
              </Button>
              <Button kind="quiet" onClick={later}>
                {t("update.later")}
              </Button>
            </>
          }
        >
          <Show when={waiting()}>
            <p class="small">{t("update.waiting")}</p>
          </Show>
        </Notice>
      </div>
    </Show>
  );
}
