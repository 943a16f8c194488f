import { For, type JSX, Show } from "solid-js";
import type { Journey } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { tagsToClear } from "../state/bags.ts";
import { Notice } from "../ui/Notice.tsx";
import { ClearLink } from "./ClearLink.tsx";

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
            {(tag, index) => <ClearLink device={tag} kind={index() === 0 ? "primary" : "secondary"} />}
          </For>
        }
      >
        <p>{t("passenger.arrival.body")}</p>
      </Notice>
    </Show>
  );
}
