import { type JSX, Show } from "solid-js";
import type { Journey } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import type { Bag } from "../state/bags.ts";
import { Button } from "../ui/Button.tsx";
import { Notice } from "../ui/Notice.tsx";
import type { TagJob } from "./create-tag-job.ts";

export interface OtherBagProps {
  readonly job: TagJob;
  /** The passenger's own journey, then those of the same booking: the tag may carry a bag of theirs. */
  readonly booking: readonly Journey[];
  /** The bag that is to be put on the tag. */
  readonly bag: Bag;
  /** The bag that is on it, which may be of another journey; undefined: another person's label. */
  readonly baggageId: number | undefined;
}

/** A tag shows one label: whether it is to show another one now is for the person to say. */
export function OtherBag(props: OtherBagProps): JSX.Element {
  const { t } = useI18n();
  const isLabel = () => props.baggageId === undefined;
  const numberIn = (journey: Journey | undefined, id: number) =>
    (journey?.baggage.findIndex(({ baggageId }) => baggageId === id) ?? -1) + 1;
  const title = () => {
    const { baggageId } = props;
    if (baggageId === undefined) return t("passenger.otherBag.labelTitle");
    const owner = props.booking.find((journey) => numberIn(journey, baggageId) > 0);
    if (owner === undefined) return t("errors.tag_carries_other_bag.what");
    const number = numberIn(owner, baggageId);
    return owner === props.booking[0]
      ? t("passenger.otherBag.title", number)
      : t("passenger.otherBag.titleOf", owner.passenger.givenName, number);
  };
  return (
    <Notice
      tone="warn"
      icon="tag"
      title={title()}
      actions={
        <>
          <Button kind="primary" onClick={props.job.choose}>
            {t("passenger.otherBag.another")}
          </Button>
          <Button onClick={props.job.accept}>
            {isLabel()
              ? t("passenger.otherBag.replace")
              : t("passenger.otherBag.move", numberIn(props.booking[0], props.bag.baggageId))}
          </Button>
          <Show when={!isLabel()}>
            <Button kind="quiet" onClick={props.job.cancel}>
              {t("app.cancel")}
            </Button>
          </Show>
        </>
      }
    >
      <p>{t(isLabel() ? "passenger.otherBag.labelBody" : "passenger.otherBag.body")}</p>
    </Notice>
  );
}
