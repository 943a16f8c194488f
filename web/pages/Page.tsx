import { createEffect, type JSX, Show } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { Icon } from "../ui/Icon.tsx";
import { useAirlineBrand } from "../ui/Wordmark.tsx";

export interface PageProps {
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
