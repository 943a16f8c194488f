import { For, type JSX } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import type { Journey } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { ButtonLink } from "../ui/Controls.tsx";

interface ClearLinkProps {
  /** The tag's id. */
  readonly device: string;
  /** Absent: "Clear tag EBT-0001". */
  readonly text?: string;
  readonly kind?: "primary" | "secondary";
  readonly wide?: boolean;
}

/** Link to the page that clears this tag; where nothing would be lost, that page does not ask again. */
export function ClearLink(props: ClearLinkProps): JSX.Element {
  const { t } = useI18n();
  return (
    <ButtonLink
      href={`/clear?tag=${encodeURIComponent(props.device)}`}
      state={{ start: true }}
      kind={props.kind ?? "secondary"}
      wide={props.wide === true}
    >
      {props.text ?? t("clear.titleOf", tagName(props.device))}
    </ButtonLink>
  );
}

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
