import { For, type JSX } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import type { Journey } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";

/** Which bag is on which tag, in words. */
export function BagList(props: { readonly journey: Journey }): JSX.Element {
  const { t } = useI18n();
  return (
    <ul>
      <For each={props.journey.baggage}>
        {(bag, index) => (
          <li>
            {t("bag.title", index() + 1)}:{" "}
            {bag.attachedDevice ? t("bag.onTag", tagName(bag.attachedDevice)) : t("bag.notOnTag")}
          </li>
        )}
      </For>
    </ul>
  );
}
