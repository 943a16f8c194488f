import { useParams } from "@solidjs/router";
import { For, type JSX, Match, Show, Switch } from "solid-js";
import type { Journey } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { destinationOf } from "../job/destination.ts";
import { ErrorPanel } from "../job/ErrorPanel.tsx";
import { legsOf, routeOf } from "../job/route-of.ts";
import { useAppState } from "../state/app-state.tsx";
import { createJourneyLoad } from "../state/create-journey-load.ts";
import { Button } from "../ui/Button.tsx";
import { FlightLine } from "../ui/FlightLine.tsx";
import { Notice } from "../ui/Notice.tsx";
import { AddBag } from "./AddBag.tsx";
import { ArrivalNotice } from "./ArrivalNotice.tsx";
import { BagCard } from "./BagCard.tsx";
import { Page } from "./Page.tsx";

/** One passenger's journey: the route, and each bag as the tag it will become. */
export function JourneyPage(): JSX.Element {
  const { t } = useI18n();
  const { journeys, keeping } = useAppState();
  const params = useParams<{ journeyId: string }>();
  const { error, load } = createJourneyLoad(journeys, keeping, () => params.journeyId);
  const journey = () => journeys.known(params.journeyId);

  return (
    <Switch fallback={<p class="page soft">{t("journey.loading")}</p>}>
      <Match when={journey()}>
        {(known) => (
          <JourneyView
            journey={known()}
            asOf={error() && journeys.isOld(params.journeyId) ? keeping.kept()?.asOf : undefined}
            onReload={() => void load()}
          />
        )}
      </Match>
      <Match when={error()}>
        {(problem) => (
          <Page title={t("error.title")} back={{ href: "/", label: t("journey.other") }}>
            <ErrorPanel
              error={problem()}
              actions={<Button onClick={() => void load()}>{t("app.again")}</Button>}
            />
          </Page>
        )}
      </Match>
    </Switch>
  );
}

interface JourneyViewProps {
  readonly journey: Journey;
  /** When the journey was last confirmed, if it could not be loaded again (milliseconds since 1970). */
  readonly asOf: number | undefined;
  readonly onReload: () => void;
}

function JourneyView(props: JourneyViewProps): JSX.Element {
  const { t, day, dateTime } = useI18n();
  return (
    <Page
      wide
      title={t("journey.title", destinationOf(props.journey))}
      back={{ href: "/", label: t("journey.other") }}
    >
      <Show when={props.asOf}>
        {(asOf) => (
          <Notice
            icon="clock"
            title={t("passenger.kept.offlineTitle")}
            actions={<Button onClick={props.onReload}>{t("journey.reload")}</Button>}
          >
            <p>{t("passenger.kept.offline", dateTime(asOf()))}</p>
          </Notice>
        )}
      </Show>
      <ArrivalNotice journey={props.journey} />
      <section class="card journey">
        <FlightLine legs={legsOf(props.journey, day)} label={t("journey.route", routeOf(props.journey))} />
        <dl class="facts">
          <div>
            <dt>{t("journey.passenger")}</dt>
            <dd>
              <bdi>
                {props.journey.passenger.givenName} {props.journey.passenger.surname}
              </bdi>
            </dd>
          </div>
          <div>
            <dt>{t("journey.recordLocator")}</dt>
            <dd>
              <bdi class="code">{props.journey.recordLocator}</bdi>
            </dd>
          </div>
        </dl>
      </section>
      <section class="bags" aria-labelledby="bags">
        <h2 id="bags">{t("journey.bags", props.journey.baggage.length)}</h2>
        <Show
          when={props.journey.baggage.length > 0}
          fallback={
            <Notice
              title={t("journey.noBags")}
              actions={<Button onClick={props.onReload}>{t("journey.reload")}</Button>}
            >
              <p>{t("journey.noBagsNext")}</p>
            </Notice>
          }
        >
          <ul class="bag-grid">
            <For each={props.journey.baggage}>
              {(bag, index) => <BagCard journey={props.journey} bag={bag} number={index() + 1} />}
            </For>
          </ul>
        </Show>
        <AddBag journey={props.journey} />
      </section>
    </Page>
  );
}
