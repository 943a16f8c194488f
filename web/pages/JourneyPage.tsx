import { useNavigate, useParams } from "@solidjs/router";
import { createEffect, type JSX, lazy, Match, onCleanup, onMount, Show, Suspense, Switch } from "solid-js";
import type { Journey, TaglatchError } from "../../sdk/index.ts";
import { useI18n, Words } from "../i18n/index.tsx";
import { ErrorPanel, headingOf } from "../job/ErrorPanel.tsx";
import { destinationOf, legsOf, routeOf } from "../job/journey-view.ts";
import { Remedy } from "../job/Remedy.tsx";
import { useAppState } from "../state/app-state.tsx";
import { cannotReachTags, createOnline, listen, whenIdle } from "../state/browser.ts";
import { createJourneyLoad, isUnreachable } from "../state/create-journey-load.ts";
import { Button, ButtonLink, Icon, Notice } from "../ui/Controls.tsx";
import { Fact, FlightLine } from "../ui/FlightLine.tsx";
import { FindBooking } from "./FindBooking.tsx";
import { Forget } from "./Forget.tsx";
import { Bags, TripEnd } from "./JourneyBags.tsx";
import { createDeferredFlag, optional, prefetch } from "./later.ts";
import { createHome, MissingBluetooth, Page, Statements } from "./Page.tsx";

const DelegateNotice = lazy(async () => ({
  default: (await import("./RareNotices.tsx")).DelegateNotice,
}));

const NotListed = optional(async () => (await import("../job/Acceptance.tsx")).NotListed);

/** Loaded after the screen: few people get notifications. */
const keepNews = (words: string) =>
  whenIdle(() => {
    import("../service-worker/news.ts").then(({ keepWords }) => keepWords(words)).catch(() => undefined);
  });

/** The journey of the address. */
export function JourneyPage(): JSX.Element {
  const params = useParams<{ journeyId: string }>();
  return <JourneyScreen journeyId={params.journeyId} />;
}

/** One passenger's journey: each bag as the tag it will become, and the route. */
export function JourneyScreen(props: { readonly journeyId: string }): JSX.Element {
  const { t, warmFormats } = useI18n();
  const { journeys, journeyCache } = useAppState();
  // Before the first drawing, not in the task that draws the journey.
  warmFormats();
  const { error, load } = createJourneyLoad(journeys, journeyCache, () => props.journeyId);
  const journey = () => journeys.known(props.journeyId);
  const other = () => ({ href: "/find", label: t("journey.other") });
  // A notification comes while no page is open, in the language that the last one had.
  createEffect(() => keepNews(t("passenger.found.news")));

  return (
    <Switch fallback={<p class="page soft">{t("journey.loading")}</p>}>
      <Match when={journey()}>
        {(known) => (
          <JourneyView
            journey={known()}
            asOf={journeys.isOld(props.journeyId) ? journeyCache.cached()?.asOf : undefined}
            failed={error()}
            onReload={() => void load()}
          />
        )}
      </Match>
      <Match when={error()?.code === "journey_not_found"}>
        <UnknownHere />
      </Match>
      <Match when={error()}>
        {(problem) => (
          <Page title={headingOf(problem(), t)} back={other()}>
            <ErrorPanel
              error={problem()}
              headed
              actions={<Remedy error={problem()} again={() => void load()} leave={other()} />}
            />
          </Page>
        )}
      </Match>
    </Switch>
  );
}

const inOneLine = (text: string) => text.replaceAll(" ", "\u00a0");

interface JourneyViewProps {
  readonly journey: Journey;
  /** When the journey was last confirmed, if this visit has not loaded it (milliseconds since 1970). */
  readonly asOf: number | undefined;
  /** Why it could not be loaded again. */
  readonly failed: TaglatchError | undefined;
  readonly onReload: () => void;
}

function JourneyView(props: JourneyViewProps): JSX.Element {
  const { t, day, locale } = useI18n();
  const { journeys } = useAppState();
  const online = createOnline();
  if (!cannotReachTags()) prefetch(() => import("./TransferPage.tsx"));
  // Drawn from the stored copy, the first bag is there before the browser makes the rest.
  const isWhole = createDeferredFlag(props.asOf === undefined);
  const isCutOff = () => props.asOf !== undefined && isUnreachable(props.failed);
  /** The first flight; in a family also whose, since their journeys look alike. Isolated: U+2068, U+2069. */
  const when = () => {
    const [first] = legsOf(props.journey, day);
    const inFamily = journeys.companions(props.journey.journeyId).length > 0;
    const whose = inFamily ? [`\u2068${props.journey.passenger.givenName}\u2069`] : [];
    return first && [...whose, inOneLine(first.number), inOneLine(first.day)].join(" · ");
  };
  return (
    <Page wide title={t("journey.title", destinationOf(props.journey, locale()))} lead={when()}>
      <Show when={props.journey.delegationId}>
        {(id) => (
          <Suspense>
            <DelegateNotice delegationId={id()} />
          </Suspense>
        )}
      </Show>
      <MissingBluetooth>
        <Show when={!props.journey.delegationId}>
          <ToDelegate kind="primary" journeyId={props.journey.journeyId} />
        </Show>
      </MissingBluetooth>
      <Show when={!online() || isCutOff()} fallback={<Refused {...props} />}>
        <Offline asOf={props.asOf} onReload={online() ? props.onReload : undefined} />
      </Show>
      <Show when={props.journey.acceptsTags === false}>
        <Suspense>
          <NotListed airport={props.journey.departureAirport} />
        </Suspense>
      </Show>
      <TripEnd journey={props.journey} />
      <Bags {...props} online={online() && !isCutOff()} isWhole={isWhole()} />
      <Show when={isWhole()}>
        <section class="card journey">
          <FlightLine legs={legsOf(props.journey, day)} label={t("journey.route", routeOf(props.journey))} />
          <dl class="facts">
            <Fact name={t("journey.passenger")}>
              <bdi>
                {props.journey.passenger.givenName} {props.journey.passenger.surname}
              </bdi>
            </Fact>
            <Show when={!props.journey.delegationId}>
              <Fact name={t("start.recordLocator")}>
                <bdi class="code">{props.journey.recordLocator}</bdi>
              </Fact>
            </Show>
          </dl>
        </section>
        <JourneyFoot>
          <Show when={!(props.journey.delegationId || cannotReachTags())}>
            <ToDelegate kind="quiet" journeyId={props.journey.journeyId} />
          </Show>
        </JourneyFoot>
        <Statements />
        <Looks journeyId={props.journey.journeyId} />
      </Show>
    </Page>
  );
}

/** Link to the page that delegates to another person's phone. */
function ToDelegate(props: { readonly kind: "primary" | "quiet"; readonly journeyId: string }): JSX.Element {
  const { t } = useI18n();
  return (
    <Words part="passenger">
      <ButtonLink
        href={`/journeys/${props.journeyId}/with`}
        kind={props.kind}
        wide={props.kind === "primary"}
      >
        {t("passenger.delegate.action")}
      </ButtonLink>
    </Words>
  );
}

/** The service no longer has the journey, or the session. */
function Refused(props: Pick<JourneyViewProps, "asOf" | "failed" | "onReload">): JSX.Element {
  const { t } = useI18n();
  return (
    <Show when={props.asOf !== undefined && props.failed}>
      {(error) => (
        <ErrorPanel
          error={error()}
          actions={
            <Remedy
              error={error()}
              again={props.onReload}
              leave={{ href: "/find", label: t("journey.other") }}
            />
          }
        />
      )}
    </Show>
  );
}

function Offline(props: {
  readonly asOf: number | undefined;
  /** Absent: there is no network to load it over. */
  readonly onReload: (() => void) | undefined;
}): JSX.Element {
  const { t, dateTime } = useI18n();
  return (
    <Notice
      icon="clock"
      title={t("start.offline")}
      actions={
        <Show when={props.onReload}>
          {(reload) => <Button onClick={reload()}>{t("journey.reload")}</Button>}
        </Show>
      }
    >
      <Show when={props.asOf}>{(moment) => <p>{t("passenger.cached.offline", dateTime(moment()))}</p>}</Show>
      <p>{t("job.offline")}</p>
    </Notice>
  );
}

/** The address of a journey that this device may not see: it came from another device, or its session has ended. */
function UnknownHere(): JSX.Element {
  const { t } = useI18n();
  const navigate = useNavigate();
  const home = createHome();
  return (
    <Words part="passenger">
      <Page title={t("passenger.unknownHere.title")} lead={t("passenger.unknownHere.lead")} back={home()}>
        <MissingBluetooth />
        <FindBooking scan="/scan" onFound={(found) => navigate(`/journeys/${found}`, { replace: true })} />
      </Page>
    </Words>
  );
}

/** Rare actions behind one: another journey, a tag of an earlier one, and to make this device forget. */
function JourneyFoot(props: { readonly children?: JSX.Element }): JSX.Element {
  const { t } = useI18n();
  return (
    <details class="foot">
      <summary class="button" data-kind="quiet">
        <Icon name="more" />
        {t("journey.foot")}
      </summary>
      <nav aria-label={t("journey.foot")}>
        <ButtonLink href="/find" kind="quiet">
          {t("journey.other")}
        </ButtonLink>
        {props.children}
        <ButtonLink href="/clear" kind="quiet">
          {t("start.clearAction")}
        </ButtonLink>
        <Forget />
      </nav>
    </details>
  );
}

/** How old an answer is when the person comes back and the page asks again, and while they stay (milliseconds). */
const SINCE_RETURN = 5_000;
const SINCE_LOOKING = 60_000;

/**
 * Renders nothing: keeps the journey on the screen up to date. It asks when the person comes back to the page, and every
 * minute while it is in sight: what other people did to a bag shows without a reload.
 */
function Looks(props: { readonly journeyId: string }): undefined {
  const { journeys, jobs, outbox } = useAppState();
  // What waits here is unknown to the service, whose answer would undo it on the screen.
  const canLook = () => navigator.onLine && jobs() === 0 && outbox.entries().length === 0;
  let last = Date.now();
  const lookAfter = (wait: number) => {
    if (document.hidden || !canLook() || Date.now() - last < wait) return;
    last = Date.now();
    // What cannot be loaded now stays as it is: the next look, or the person, asks again.
    void journeys.refresh(props.journeyId).catch(() => undefined);
  };
  onMount(() => {
    const timer = setInterval(() => lookAfter(SINCE_LOOKING), SINCE_LOOKING);
    onCleanup(() => clearInterval(timer));
  });
  listen(["focus"], () => lookAfter(SINCE_RETURN));
  listen(["visibilitychange"], () => lookAfter(SINCE_RETURN));
}
