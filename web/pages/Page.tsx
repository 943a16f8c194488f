import { useLocation } from "@solidjs/router";
import { type Accessor, createEffect, type JSX, lazy, on, onMount, Show, Suspense } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { useAppState } from "../state/app-state.tsx";
import { isOver } from "../state/bags.ts";
import { cannotReachTags } from "../state/browser.ts";
import { Button, ButtonLink, Icon } from "../ui/Controls.tsx";
import { useAirlineBrand } from "../ui/Wordmark.tsx";
import type { WithoutBluetoothProps } from "./WithoutBluetooth.tsx";

interface PageProps {
  readonly title: string;
  readonly lead?: string | undefined;
  readonly back?: { readonly href: string; readonly label: string } | undefined;
  /** Shown above the title of an outcome; the page is then centred. */
  readonly mark?: JSX.Element;
  readonly wide?: boolean;
  /** Words and drawing on one side, the form on the other, where there is room. */
  readonly split?: boolean;
  /** Something runs: the heading is smaller so that everything fits one screen. */
  readonly working?: boolean;
  readonly children: JSX.Element;
}

/** The frame of a page: a way back, one heading, and the document's title to match. */
export function Page(props: PageProps): JSX.Element {
  const { t } = useI18n();
  const brand = useAirlineBrand();
  createEffect(() => {
    document.title = `${props.title} – ${brand().name ?? t("app.name")}`;
  });
  return (
    <div
      class="page"
      data-wide={props.wide ? "" : undefined}
      data-job={props.working ? "" : undefined}
      data-split={props.split ? "" : undefined}
    >
      <header class="page-head">
        <Show when={props.back}>
          {(back) => (
            <a class="page-back" href={back().href}>
              <Icon name="back" class="page-back-arrow" />
              {back().label}
            </a>
          )}
        </Show>
        {props.mark}
        <h1 tabindex="-1">{props.title}</h1>
        <Show when={props.lead}>
          <p class="page-lead">{props.lead}</p>
        </Show>
      </header>
      {props.children}
    </div>
  );
}

/** The way to the first screen, by what is there: the cached journey, or the form that finds one. */
export function createHome(): Accessor<{ readonly href: string; readonly label: string }> {
  const { t } = useI18n();
  const { journeyCache } = useAppState();
  const isJourney = () => {
    const cached = journeyCache.cached()?.journey;
    return cached !== undefined && !isOver(cached, Date.now());
  };
  return () => ({ href: "/", label: t(isJourney() ? "job.toJourney" : "job.toStart") });
}

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

const WithoutBluetooth = lazy(async () => ({
  default: (await import("./WithoutBluetooth.tsx")).WithoutBluetooth,
}));

/** Renders and loads nothing where the browser has Bluetooth. Its children come first among the alternatives. */
export function MissingBluetooth(props: WithoutBluetoothProps): JSX.Element {
  return (
    <Show when={cannotReachTags()}>
      <Suspense>
        <WithoutBluetooth {...props} />
      </Suspense>
    </Show>
  );
}

/**
 * A page whose code did not load: the connection broke, or an old tab asks for files of an earlier version.
 * Loading the document again solves both. Its words are of the first load, because no others may be
 * available.
 */
export function NotLoaded(props: { readonly error: unknown; readonly onLeave: () => void }): JSX.Element {
  const { t } = useI18n();
  const here = useLocation();
  // Reported to the console like an uncaught error.
  onMount(() => reportError(props.error));
  createEffect(
    on(
      () => here.pathname,
      () => props.onLeave(),
      { defer: true },
    ),
  );
  return (
    <Page title={t("error.notLoaded")} lead={t("error.next")}>
      <div>
        <Button kind="primary" onClick={() => location.reload()}>
          {t("journey.reload")}
        </Button>
      </div>
    </Page>
  );
}

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
