import { For, type JSX } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import type { KnownTag } from "../state/cached-journey.ts";
import { Fact } from "../ui/FlightLine.tsx";

/** What is known of the tags of this device. */
export function MyTags(props: { readonly tags: readonly KnownTag[] }): JSX.Element {
  const { t, day } = useI18n();
  const words = ({ battery, label }: KnownTag) => [
    label ? t("passenger.tags.last", label.destination, day(label.date)) : t("passenger.tags.blank"),
    ...(battery === undefined ? [] : [t("job.battery", battery)]),
  ];
  return (
    <dl class="facts">
      <For each={props.tags}>{(tag) => <Fact name={tag.name}>{words(tag).join(" · ")}</Fact>}</For>
    </dl>
  );
}
