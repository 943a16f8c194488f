import { createSignal, type JSX, Show } from "solid-js";
import { useI18n, Words } from "../i18n/index.tsx";
import { destinationOf } from "../job/destination.ts";
import type { KeptJourney } from "../state/kept-journey.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { ArrivalNotice } from "./ArrivalNotice.tsx";
import { ForgetDialog } from "./ForgetDialog.tsx";

/** The journey that this device remembers, and a way to make it forget. */
export function KeptJourneyCard(props: { readonly kept: KeptJourney }): JSX.Element {
  const { t, day } = useI18n();
  const [forgetting, setForgetting] = createSignal(false);
  const journey = () => props.kept.journey;
  return (
    <Words part="passenger">
      <ArrivalNotice journey={journey()} />
      <section class="card kept" aria-labelledby="kept">
        <div>
          <p class="soft small">{t("passenger.kept.title")}</p>
          <h2 id="kept">{t("journey.title", destinationOf(journey()))}</h2>
          <p class="soft">
            {day(journey().flights[0]?.date ?? "")} · {journey().passenger.givenName}
          </p>
        </div>
        <ButtonLink href={`/journeys/${journey().journeyId}`} kind="primary" wide>
          {t("passenger.kept.open")}
        </ButtonLink>
        <Button kind="quiet" wide onClick={() => setForgetting(true)}>
          {t("passenger.kept.forget")}
        </Button>
        <Show when={forgetting()}>
          <ForgetDialog onClose={() => setForgetting(false)} />
        </Show>
      </section>
    </Words>
  );
}
