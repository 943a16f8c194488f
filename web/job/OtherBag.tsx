import { type JSX, Show } from "solid-js";
import type { Journey } from "../../sdk/index.ts";
import { type I18n, useI18n } from "../i18n/index.tsx";
import type { Bag } from "../state/bags.ts";
import { Button } from "../ui/Button.tsx";
import { Notice } from "../ui/Notice.tsx";
import type { TagJob } from "./create-tag-job.ts";

interface OtherBagProps {
  readonly job: TagJob;
  /** The passenger's own journey, then those of the same booking: the tag may carry a bag of theirs. */
  readonly booking: readonly Journey[];
  /** The bag that is to be put on the tag. */
  readonly bag: Bag;
  /** The bag that is on it, which may be of another journey; undefined: another person's label. */
  readonly baggageId: number | undefined;
}

const numberIn = (journey: Journey | undefined, id: number | undefined) =>
  (journey?.baggage.findIndex(({ baggageId }) => baggageId === id) ?? -1) + 1;

/** What the tag shows: the heading above {@link OtherBag}. */
export function otherBagTitle(
  t: I18n["t"],
  booking: readonly Journey[],
  baggageId: number | undefined,
): string {
  if (baggageId === undefined) return t("passenger.otherBag.labelTitle");
  const owner = booking.find((journey) => numberIn(journey, baggageId) > 0);
  if (owner === undefined) return t("passenger.otherBag.titleOther");
  const number = numberIn(owner, baggageId);
  return owner === booking[0]
    ? t("passenger.otherBag.title", number)
    : t("passenger.otherBag.titleOf", owner.passenger.givenName, number);
}

/** A tag shows one label: the person decides whether it is replaced. */
export function OtherBag(props: OtherBagProps): JSX.Element {
  const { t } = useI18n();
  const isLabel = () => props.baggageId === undefined;
  const body = () => {
    if (isLabel()) return t("passenger.otherBag.labelBody");
    const own = numberIn(props.booking[0], props.baggageId);
    return own > 0 ? t("passenger.otherBag.body", own) : t("passenger.otherBag.bodyOther");
  };
  return (
    <Notice
      tone="warn"
      icon="tag"
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
      <p>{body()}</p>
    </Notice>
  );
}
