import type { JSX } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import type { Journey } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { Notice } from "../ui/Notice.tsx";

export type Ended = NonNullable<Journey["baggage"][number]["lockEnded"]>;

/** A bag's tag that no holder unlocked: when, by what kind of hand, and what to do. */
export function TakenNotice(props: { readonly ended: Ended; readonly actions?: JSX.Element }): JSX.Element {
  const { t, dateTime } = useI18n();
  const reason = () => {
    const { reason: end } = props.ended;
    return end === "holder" || end === "superseded" ? "voided" : end;
  };
  return (
    <Notice
      tone="warn"
      title={t("passenger.taken.title", tagName(props.ended.uniqueDeviceId))}
      actions={props.actions}
    >
      <p class="small">{t(`passenger.taken.${reason()}`, dateTime(Date.parse(props.ended.at)))}</p>
    </Notice>
  );
}
