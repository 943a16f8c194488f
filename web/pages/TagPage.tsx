import { useNavigate, useParams } from "@solidjs/router";
import {
  createResource,
  createSignal,
  For,
  type JSX,
  lazy,
  Match,
  onCleanup,
  onMount,
  Show,
  Suspense,
  Switch,
} from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import type { Journey } from "../../sdk/index.ts";
import { useI18n, Words } from "../i18n/index.tsx";
import { ErrorSlot } from "../job/ErrorPanel.tsx";
import { destinationOf } from "../job/journey-view.ts";
import { useAppState } from "../state/app-state.tsx";
import { type Bag, isSameTag, tagsOf } from "../state/bags.ts";
import { createRequest } from "../state/create-request.ts";
import type { LinkedBooking } from "../state/start.ts";
import { Button, ButtonLink, Notice } from "../ui/Controls.tsx";
import { Fact } from "../ui/FlightLine.tsx";
import { FindBooking } from "./FindBooking.tsx";
import { createHome, MissingBluetooth, NotFoundPage, Page } from "./Page.tsx";
import { BagList, ClearLink } from "./TagLinks.tsx";

const FoundForm = lazy(async () => ({ default: (await import("./FoundForm.tsx")).FoundForm }));

/**
 * Opened from a tag (`/t/<device id>`, as NFC or a QR code on it), or from the installed page's shortcut (`/t`). It does
 * nothing by itself: an attacker may have made the link.
 */
export function TagPage(): JSX.Element {
  const params = useParams<{ deviceId?: string }>();
  const device = () => idOf(params.deviceId ?? "");
  return (
    <Show when={params.deviceId === undefined || device()} fallback={<NotFoundPage />}>
      <Words part="passenger">
        <ForTag device={device()} />
      </Words>
    </Show>
  );
}

/** An id is at most 64 bytes, and its last four characters are a name to read. Undefined for anything else. */
function idOf(segment: string): string | undefined {
  try {
    return /^[\x21-\x7e]{4,64}$/.exec(decodeURIComponent(segment))?.[0];
  } catch {
    // Not percent-encoding.
    return undefined;
  }
}

function ForTag(props: { readonly device: string | undefined }): JSX.Element {
  const { t } = useI18n();
  const { journeys, journeyCache, dropLinked } = useAppState();
  const home = createHome();
  const ownJourney = () => journeys.latest()?.journey ?? journeyCache.cached()?.journey;
  /** Set once the person says that they found the bag of this tag. */
  const [found, setFound] = createSignal<string>();
  onCleanup(dropLinked);
  return (
    <Page
      title={props.device === undefined ? t("bag.put") : t("job.device", tagName(props.device))}
      lead={props.device === undefined && !ownJourney() ? t("passenger.link.lead") : undefined}
      back={home()}
    >
      <Show
        when={found()}
        fallback={<Owner device={props.device} ownJourney={ownJourney()} onFound={setFound} />}
      >
        {(device) => (
          <Suspense>
            <FoundForm device={device()} />
          </Suspense>
        )}
      </Show>
    </Page>
  );
}

interface OwnerProps {
  readonly device: string | undefined;
  readonly ownJourney: Journey | undefined;
  readonly onFound: (device: string) => void;
}

/** For the person who uses the tag for a bag of their own; a finder goes on from here. */
function Owner(props: OwnerProps): JSX.Element {
  const { t } = useI18n();
  const { journeyCache, linked } = useAppState();
  // Whether this device has a journey decides what a link may do: nothing is shown before it is known.
  const [restored] = createResource(() => journeyCache.restored().then(() => true));
  const isOther = () => {
    const booking = linked();
    return (
      booking !== undefined &&
      props.ownJourney !== undefined &&
      booking.recordLocator !== props.ownJourney.recordLocator
    );
  };
  const isOwn = () =>
    props.ownJourney?.baggage.some((bag) => tagsOf(bag).some((tag) => isSameTag(props.device, tag)));
  /** Set once the person says that the tag is theirs; a link with a booking comes from its owner. */
  const [isMine, setMine] = createSignal(linked() !== undefined);
  /** Nothing says yet whether an owner or a finder holds the tag. */
  const isOpen = () =>
    props.device !== undefined && props.ownJourney === undefined && linked() === undefined && !isMine();
  const finder = (kind: "secondary" | "quiet") => (
    <Show when={!isOwn() && props.device}>
      {(device) => (
        <Button kind={kind} wide onClick={() => props.onFound(device())}>
          {t("passenger.found.action")}
        </Button>
      )}
    </Show>
  );
  return (
    <Show when={restored()}>
      <Show
        when={!isOpen()}
        fallback={
          <div class="stack">
            <Button wide onClick={() => setMine(true)}>
              {t("passenger.link.mine")}
            </Button>
            {finder("secondary")}
          </div>
        }
      >
        <MissingBluetooth />
        <Switch fallback={<Finding device={props.device} />}>
          <Match when={props.ownJourney}>
            {(journey) => <BagsForTag journey={journey()} device={props.device} />}
          </Match>
          <Match when={linked()}>{(booking) => <LinkQuestion booking={booking()} />}</Match>
        </Switch>
        <Show when={isOther()}>
          <Notice tone="warn" title={t("passenger.link.otherTitle")}>
            <p>{t("passenger.link.other")}</p>
          </Notice>
        </Show>
        <Show when={!isMine()}>{finder("quiet")}</Show>
      </Show>
    </Show>
  );
}

function Finding(props: { readonly device: string | undefined }): JSX.Element {
  const { t } = useI18n();
  const scan = () =>
    props.device === undefined ? "/scan?tag" : `/scan?tag=${encodeURIComponent(props.device)}`;
  // This screen shows what was found.
  return (
    <>
      <Show when={props.device}>
        <p class="page-lead">{t("passenger.link.lead")}</p>
      </Show>
      <FindBooking scan={scan()} onFound={() => undefined} />
    </>
  );
}

/** The link's sender knows this booking. Nothing is requested before the person says that it is theirs. */
function LinkQuestion(props: { readonly booking: LinkedBooking }): JSX.Element {
  const { t } = useI18n();
  const { journeys, dropLinked } = useAppState();
  const request = createRequest();
  const find = (airline?: string) =>
    void request.send(() => journeys.find(props.booking.recordLocator, props.booking.surname, { airline }));
  return (
    <section class="card" aria-labelledby="yours">
      <h2 id="yours">{t("passenger.link.yours")}</h2>
      <dl class="facts">
        <Fact name={t("start.recordLocator")}>
          <bdi class="code">{props.booking.recordLocator}</bdi>
        </Fact>
        <Fact name={t("start.surname")}>
          <bdi>{props.booking.surname}</bdi>
        </Fact>
      </dl>
      <p class="soft small">{t("passenger.link.yoursBody")}</p>
      <ErrorSlot error={request.error()} onAirline={find} />
      <Button kind="primary" wide busy={request.working()} onClick={() => find()}>
        {request.working() ? t("start.finding") : t("passenger.link.yes")}
      </Button>
      <Button kind="quiet" wide onClick={dropLinked}>
        {t("passenger.link.no")}
      </Button>
    </section>
  );
}

interface BagsForTagProps {
  readonly journey: Journey;
  /** The tag whose link was opened, if the link names one. */
  readonly device: string | undefined;
}

/** Which bag goes on the tag. A touch opens the browser's list with this tag alone. */
function BagsForTag(props: BagsForTagProps): JSX.Element {
  const { t, day, locale } = useI18n();
  const { prepare } = useAppState();
  const navigate = useNavigate();
  onMount(prepare);

  const numbered = () => props.journey.baggage.map((bag, index) => ({ bag, number: index + 1 }));
  const carried = () => numbered().find(({ bag }) => tagsOf(bag).some((tag) => isSameTag(props.device, tag)));
  const open = () => numbered().filter(({ bag }) => tagsOf(bag).length === 0);
  const put = (bag: Bag) =>
    navigate(`/journeys/${props.journey.journeyId}/bags/${bag.baggageId}`, {
      state: { start: true, tag: props.device },
    });
  const words = (number: number) =>
    carried()
      ? { text: t("passenger.link.again"), label: `${t("passenger.link.again")}: ${t("bag.title", number)}` }
      : { text: t("bag.put"), label: t("bag.putLabel", number) };
  const choices = () => {
    const on = carried();
    return on ? [on] : open();
  };
  return (
    <section class="card" aria-labelledby="which">
      <div>
        <p class="soft small">
          {day(props.journey.flights[0]?.date ?? "")} · {props.journey.passenger.givenName}
        </p>
        <h2 id="which">{t("journey.title", destinationOf(props.journey, locale()))}</h2>
        <p class="soft">
          <Show
            when={carried()}
            fallback={t(open().length === 0 ? "passenger.link.allOnTags" : "passenger.link.which")}
          >
            {(on) => t("passenger.otherBag.title", on().number)}
          </Show>
        </p>
      </div>
      <Show when={choices().length === 0}>
        <BagList journey={props.journey} />
      </Show>
      <For each={choices()}>
        {({ bag, number }, index) => (
          <Button
            kind={carried() || index() > 0 ? "secondary" : "primary"}
            wide
            label={words(number).label}
            onClick={() => put(bag)}
          >
            {choices().length > 1 ? t("bag.title", number) : words(number).text}
          </Button>
        )}
      </For>
      <Show when={carried() && props.device}>{(device) => <ClearLink device={device()} wide />}</Show>
      <ButtonLink href={`/journeys/${props.journey.journeyId}`} kind="quiet" wide>
        {t("passenger.link.open")}
      </ButtonLink>
    </section>
  );
}
