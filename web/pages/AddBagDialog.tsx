import type { JSX } from "solid-js";
import type { Journey, TaglatchError } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { useAppState } from "../state/app-state.tsx";
import { createRequest } from "../state/create-request.ts";
import { Notice } from "../ui/Notice.tsx";
import { AskDialog } from "./AskDialog.tsx";

/** The one question before a bag is added. */
export function AddBagDialog(props: {
  readonly journey: Journey;
  /** Called with the new number of bags. */
  readonly onAdded: (count: number) => void;
  readonly onClose: () => void;
}): JSX.Element {
  const { t } = useI18n();
  const { journeys } = useAppState();
  const request = createRequest();
  // The next bag after those seen when the question was asked: however often it is sent, only one bag is
  // added.
  const slot = props.journey.baggage.length + 1;
  const add = () =>
    request.send(
      () => journeys.addBag(props.journey.journeyId, slot),
      ({ baggage }) => {
        props.onAdded(baggage.length);
        props.onClose();
      },
    );
  // An airline without a range of its own needs a licence plate (rules §4), and only staff have one.
  const explain = ({ code }: TaglatchError) =>
    code === "required_info_not_provided" && (
      <Notice tone="bad" title={t("passenger.addBag.noRange")}>
        <p>{t("passenger.addBag.noRangeNext")}</p>
      </Notice>
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
