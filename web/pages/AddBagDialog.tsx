import type { JSX } from "solid-js";
import type { Journey, TaglatchError } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { createWeight, RefusedBag } from "../job/Acceptance.tsx";
import { useAppState } from "../state/app-state.tsx";
import { createRequest } from "../state/create-request.ts";
import { Notice } from "../ui/Controls.tsx";
import { AskDialog } from "./AskDialog.tsx";

/** The one question before a bag is added. */
export function AddBagDialog(props: {
  readonly journey: Journey;
  /** Called with what is to be said of it. */
  readonly onAdded: (words: string) => void;
  readonly onClose: () => void;
}): JSX.Element {
  const { t } = useI18n();
  const { journeys } = useAppState();
  const request = createRequest();
  const weight = createWeight();
  // The next bag after those seen when the question was asked: however often it is sent, only one bag is
  // added.
  const slot = props.journey.baggage.length + 1;
  const add = () =>
    request.send(
      () => journeys.addBag(props.journey.journeyId, slot),
      ({ baggage, allowed }) => {
        const words = [t("passenger.addBag.added", baggage.length)];
        if (allowed?.kilograms !== undefined) words.push(weight(allowed.kilograms));
        props.onAdded(words.join(" "));
        props.onClose();
      },
    );
  // An airline without a range of its own needs a licence plate (rules §4), and only staff have one.
  const explain = (error: TaglatchError) =>
    error.code === "required_info_not_provided" ? (
      <Notice tone="bad" title={t("passenger.addBag.noRange")}>
        <p>{t("passenger.addBag.noRangeNext")}</p>
      </Notice>
    ) : (
      error.code === "bag_refused" && <RefusedBag error={error} />
    );
  return (
    <AskDialog
      title={t("passenger.addBag.title")}
      request={request}
      yes={t("passenger.addBag.action")}
      working={t("passenger.addBag.working")}
      onYes={() => void add()}
      onClose={props.onClose}
      explain={explain}
    >
      <p>{t("passenger.addBag.body")}</p>
    </AskDialog>
  );
}
