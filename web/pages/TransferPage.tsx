import { useLocation, useNavigate, useParams } from "@solidjs/router";
import { type Accessor, type JSX, Match, Show, Switch } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import type { Journey, RememberedTag } from "../../sdk/index.ts";
import { type I18n, useI18n } from "../i18n/index.tsx";
import { BagRun, NextBag, nextOf, OlderTags, OtherBag, otherBagTitle, type Turn } from "../job/BagRun.tsx";
import { createTransferJob } from "../job/create-tag-job.ts";
import { ErrorPanel, headingOf } from "../job/ErrorPanel.tsx";
import { createStart, type GuidedJob, guideChooser } from "../job/guide-chooser.ts";
import { JobDrawing } from "../job/JobWorking.tsx";
import { type JobTexts, stillOn } from "../job/job-words.ts";
import { destinationOf, previewOf, shownCity } from "../job/journey-view.ts";
import { ProofDialog } from "../job/ProofDialog.tsx";
import { useAppState } from "../state/app-state.tsx";
import { type Bag, olderTagsOf, tagsOfOthers } from "../state/bags.ts";
import { createJourneyLoad } from "../state/create-journey-load.ts";
import { Button, ButtonLink } from "../ui/Controls.tsx";
import { JobView } from "./JobView.tsx";
import { Page } from "./Page.tsx";
import { ClearLink } from "./TagLinks.tsx";

/** Puts one bag on a tag. `?device=` names the tag to whose id the chooser is narrowed; nothing begins by itself. */
export function TransferPage(): JSX.Element {
  const { t } = useI18n();
  const { journeys, journeyCache } = useAppState();
  const params = useParams<{ journeyId: string; baggageId: string }>();
  const { error, load } = createJourneyLoad(journeys, journeyCache, () => params.journeyId);
  const back = () => ({ href: `/journeys/${params.journeyId}`, label: t("job.toJourney") });

  const found = () => {
    const journey = journeys.known(params.journeyId);
    const bag = journey?.baggage.find((each) => String(each.baggageId) === params.baggageId);
    return journey && bag ? { journey, bag, key: bag.baggageId } : undefined;
  };

  return (
    <Switch
      fallback={
        // What needs no journey is shown while the cached one is being read.
        <Show when={journeyCache.isPending()} fallback={<p class="page soft">{t("journey.loading")}</p>}>
          <Page title={t("job.readyTitle")} back={back()}>
            <p class="page-lead">{t("job.ready")}</p>
          </Page>
        </Show>
      }
    >
      <Match when={error()}>
        {(problem) => (
          <Page title={headingOf(problem(), t)} back={back()}>
            <ErrorPanel
              error={problem()}
              headed
              actions={<Button onClick={() => void load()}>{t("app.again")}</Button>}
            />
          </Page>
        )}
      </Match>
      <Match when={found()?.key}>
        {/* Keyed by the bag: the next bag is a new job. */}
        <Show when={found()?.key} keyed>
          {(_key) => <Transfer found={found} />}
        </Show>
      </Match>
      <Match when={journeys.known(params.journeyId)}>
        <Page title={t("notFound.title")} back={back()}>
          <p class="soft">{t("passenger.bagMissing")}</p>
        </Page>
      </Match>
    </Switch>
  );
}

function Transfer(props: {
  readonly found: Accessor<{ journey: Journey; bag: Bag } | undefined>;
}): JSX.Element {
  const { t, locale } = useI18n();
  // These stay as they were when the job began, whatever is reloaded during it.
  const { journey, bag } = props.found() as { journey: Journey; bag: Bag };
  const face = previewOf(journey, bag);
  const shown = shownCity(journey);

  const { state, query } = useLocation<Begun>();
  const begun: Begun = { ...(query.device && { tag: String(query.device) }), ...state };
  const { journeys } = useAppState();
  const booking = () => [props.found()?.journey ?? journey, ...journeys.companions(journey.journeyId)];
  const isOneOfSeveral = booking().flatMap(({ baggage }) => baggage).length > 1;
  const job = createBagJob(booking(), bag, begun);
  // Made once: each screen of the job puts it in its place.
  const tag = (
    <>
      {/* Bags of one booking go to one place: their drawings differ in one digit. */}
      <Show when={isOneOfSeveral}>
        <BagRun journeys={booking()} bag={bag} job={job} />
      </Show>
      <JobDrawing
        job={job}
        before={face}
        after={face}
        label={t("bag.drawing", destinationOf(journey, locale()), bag.licencePlate)}
      />
    </>
  );

  return (
    <JobView
      job={job}
      kind="transfer"
      tagName={begun.tag ? tagName(begun.tag) : undefined}
      back={{ href: `/journeys/${journey.journeyId}`, label: t("job.toJourney") }}
      texts={{
        ...transferTexts(t, shown),
        carryingTitle: (baggageId) => otherBagTitle(t, booking(), baggageId),
        still: stillOn(t, () => props.found()?.bag ?? bag),
        ...(isOneOfSeveral && {
          done: t("passenger.run.done", journey.baggage.indexOf(bag) + 1, shown),
        }),
      }}
      drawing={
        <div class="tag-place" data-bag={bag.baggageId}>
          {tag}
        </div>
      }
      label={{ destination: destinationOf(journey, locale()), date: journey.flights[0]?.date ?? "" }}
      plateEnd={bag.licencePlate.slice(-3)}
      carrying={(baggageId) => <OtherBag job={job} booking={booking()} bag={bag} baggageId={baggageId} />}
      proof={(asked) => <ProofDialog asked={asked} />}
      after={<AfterTransfer booking={booking()} bag={props.found()?.bag ?? bag} />}
    />
  );
}

const transferTexts = (t: I18n["t"], destination: string): Omit<JobTexts, "carryingTitle"> => ({
  readyTitle: t("job.readyTitle"),
  ready: t("job.ready"),
  workingTitle: t("job.transferTitle"),
  doneTitle: t("job.doneTitle"),
  done: t("job.done", destination),
  pendingTitle: t("job.pendingTitle"),
  pending: t("job.pending"),
  stoppedTitle: t("passenger.written.stoppedTitle"),
});

/** How this screen was reached. */
interface Begun {
  readonly start?: boolean;
  readonly remembered?: RememberedTag;
  /** The id of the tag from which the page was opened: no other is offered. */
  readonly tag?: string;
}

function createBagJob(booking: readonly Journey[], bag: Bag, begun: Begun): GuidedJob {
  const { load, journeys, outbox, stillWriting, tries } = useAppState();
  const others = booking.flatMap((each) => tagsOfOthers(each, bag).map(tagName));
  const job = guideChooser(
    createTransferJob({
      load,
      only: () => begun.tag,
      outbox,
      journey: booking[0] as Journey,
      booking: () => booking,
      bag,
      tries,
      fits: (name) => !others.includes(name),
      onWritten: journeys.markAttached,
      onLeft: (over) => stillWriting(bag.baggageId, over),
    }),
  );
  if (begun.start) createStart(job, () => begun.remembered);
  return job;
}

/** The next bag of this passenger, then those of the same booking; else back. A tag on which the bag was before is to be cleared. */
function AfterTransfer(props: { readonly booking: readonly Journey[]; readonly bag: Bag }): JSX.Element {
  const { t } = useI18n();
  const navigate = useNavigate();
  const own = () => props.booking[0];
  const next = () => nextOf(props.booking);
  const pathOf = (journey: Journey | undefined) => `/journeys/${journey?.journeyId}`;
  const go = ({ journey, bag }: Turn) =>
    navigate(`${pathOf(journey)}/bags/${bag.baggageId}`, { state: { start: true } });
  return (
    <>
      <OlderTags bag={props.bag} clear={(tag) => <ClearLink device={tag} />} />
      <NextBag booking={props.booking} onNext={go} />
      {/* Where an old tag has to be cleared, two ways on are enough. */}
      <Show when={!next() || olderTagsOf(props.bag).length === 0}>
        <ButtonLink href={pathOf(own())} kind={next() ? "secondary" : "primary"} wide>
          {t("job.toJourney")}
        </ButtonLink>
      </Show>
    </>
  );
}
