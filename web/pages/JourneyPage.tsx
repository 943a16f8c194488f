import { useNavigate, useParams } from "@solidjs/router";
import { For, type JSX, Match, Show, Switch } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import type { Journey } from "../sdk/types.ts";
import { useAppState } from "../state/app-state.tsx";
import { createJourneyLoad } from "../state/create-journey-load.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { FlightLine } from "../ui/FlightLine.tsx";
import { Badge, Notice } from "../ui/Notice.tsx";
import { TagDrawing } from "../ui/TagDrawing.tsx";
import { destinationOf } from "./destination.ts";
import { ErrorPanel } from "./ErrorPanel.tsx";
import { Page } from "./Page.tsx";
import { previewOf } from "./tag-face.ts";

/** One passenger's journey: the route, and each bag as the tag it will become. */
export function JourneyPage(): JSX.Element {
  const { t } = useI18n();
  const { journeys } = useAppState();
  const params = useParams<{ journeyId: string }>();
  const { error, load } = createJourneyLoad(journeys, () => params.journeyId);
  const journey = () => journeys.known(params.journeyId);

  return (
    <Switch fallback={<p class="page soft">{t("journey.loading")}</p>}>
      <Match when={journey()}>
        {(known) => <JourneyView journey={known()} onReload={() => void load()} />}
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

function JourneyView(props: { readonly journey: Journey; readonly onReload: () => void }): JSX.Element {
  const { t, day } = useI18n();
  const legs = () =>
    props.journey.flights.map((flight) => ({
      number: `${flight.carrier} ${flight.number}`,
      day: day(flight.date),
      from: flight.from,
      to: flight.to,
    }));
  const route = () =>
    [props.journey.departureAirport, ...props.journey.flights.map((flight) => flight.to)].join(" – ");
  return (
    <Page
      wide
      title={t("journey.title", destinationOf(props.journey))}
      back={{ href: "/", label: t("journey.other") }}
    >
      <section class="card journey">
        <FlightLine legs={legs()} label={t("journey.route", route())} />
        <dl class="facts">
          <div>
            <dt>{t("journey.passenger")}</dt>
            <dd>
              {props.journey.passenger.givenName} {props.journey.passenger.surname}
            </dd>
          </div>
          <div>
            <dt>{t("journey.recordLocator")}</dt>
            <dd class="code" dir="ltr">
              {props.journey.recordLocator}
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
      </section>
    </Page>
  );
}

interface BagCardProps {
  readonly journey: Journey;
  readonly bag: Journey["baggage"][number];
  readonly number: number;
}

function BagCard(props: BagCardProps): JSX.Element {
  const { t } = useI18n();
  const navigate = useNavigate();
  const face = () => previewOf(props.journey, props.bag);
  const put = () =>
    navigate(`/journeys/${props.journey.journeyId}/bags/${props.bag.baggageId}`, { state: { start: true } });
  return (
    <li class="card bag">
      <div class="row row-spread">
        <h3>{t("bag.title", props.number)}</h3>
        <Show when={props.bag.attachedDevice} fallback={<Badge>{t("bag.notOnTag")}</Badge>}>
          {(device) => <Badge tone="good">{t("bag.onTag", device())}</Badge>}
        </Show>
      </div>
      <TagDrawing
        face={face()}
        label={t("bag.drawing", destinationOf(props.journey), props.bag.licencePlate)}
      />
      <Show
        when={props.bag.attachedDevice}
        fallback={
          <Button kind="primary" wide label={t("bag.putLabel", props.number)} onClick={put}>
            {t("bag.put")}
          </Button>
        }
      >
        {(device) => (
          <div class="bag-actions">
            <ButtonLink href={`/clear?tag=${encodeURIComponent(device())}`}>{t("bag.clear")}</ButtonLink>
            <Button kind="quiet" label={t("bag.putAgainLabel", props.number)} onClick={put}>
              {t("bag.putAgain")}
            </Button>
          </div>
        )}
      </Show>
    </li>
  );
}
