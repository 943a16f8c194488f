import { batch, type JSX, Show } from "solid-js";
import type { Journey } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { nextOf } from "../job/BagRun.tsx";
import { Button } from "../ui/Button.tsx";
import type { Visit } from "./create-visit.ts";
import { useKiosk } from "./kiosk-state.tsx";

/** The passenger's own journey, then those of the same booking. */
export const bookingOf = ({ journey, companions }: Visit): readonly Journey[] => {
  const own = journey();
  return own ? [own, ...companions()] : [];
};

/** The first bag of the booking without a tag. */
export const nextBagOf = (visit: Visit) => nextOf(bookingOf(visit));

/** On to the next bag without a tag: of this passenger, then of the same booking. Nothing if there is none. */
export function NextBag(): JSX.Element {
  const { t } = useI18n();
  const { visit, send } = useKiosk();
  const next = () => nextBagOf(visit);
  const isOwn = (journey: Journey) => journey.journeyId === visit.journey()?.journeyId;
  const put = ({ journey, bag }: NonNullable<ReturnType<typeof next>>) =>
    batch(() => {
      if (!isOwn(journey)) visit.show(journey);
      visit.choose(bag.baggageId);
      send("put");
    });
  return (
    <Show when={next()}>
      {(bag) => (
        <Button kind="primary" wide onClick={() => put(bag())}>
          {isOwn(bag().journey)
            ? t("job.nextBag", bag().number)
            : t("job.nextBagOf", bag().journey.passenger.givenName, bag().number)}
        </Button>
      )}
    </Show>
  );
}
