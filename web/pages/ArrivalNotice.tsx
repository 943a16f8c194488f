import { For, type JSX, Show } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import type { Journey } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { tagsToClear } from "../state/arrival.ts";
import { ButtonLink } from "../ui/Button.tsx";
import { Notice } from "../ui/Notice.tsx";

/** After the last flight: tags that still show it should be cleared. */
export function ArrivalNotice(props: { readonly journey: Journey }): JSX.Element {
  const { t } = useI18n();
  const tags = () => tagsToClear(props.journey, Date.now());
  return (
    <Show when={tags().length > 0}>
      <Notice
        tone="warn"
        icon="tag"
        title={t("passenger.arrival.title")}
        actions={
          <For each={tags()}>
            {(tag, index) => (
              <ButtonLink
                kind={index() === 0 ? "primary" : "secondary"}
                href={`/clear?tag=${encodeURIComponent(tag)}`}
              >
                {t("clear.titleOf", tagName(tag))}
              </ButtonLink>
            )}
          </For>
        }
      >
        <p>{t("passenger.arrival.body")}</p>
      </Notice>
    </Show>
  );
}
