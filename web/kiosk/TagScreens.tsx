import { batch, type JSX, onMount, Show } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import type { Journey } from "../../sdk/index.ts";
import { type I18n, useI18n } from "../i18n/index.tsx";
import { BagRun, NextBag as NextOfBooking, nextOf, OlderTags, type Turn } from "../job/BagRun.tsx";
import { createClearJob, createTransferJob } from "../job/create-jobs.ts";
import { tagAt } from "../job/create-tag-job.ts";
import { JobDrawing } from "../job/JobDrawing.tsx";
import { type JobTexts, stillOn } from "../job/job-words.ts";
import { destinationOf, previewOf, shownCity } from "../job/journey-view.ts";
import { OtherBag, otherBagTitle } from "../job/OtherBag.tsx";
import type { Bag } from "../state/bags.ts";
import { Button } from "../ui/Button.tsx";
import { JobScreen } from "./JobScreen.tsx";
import { useKiosk } from "./kiosk-state.tsx";
import { FinishButton, ToJourney } from "./Screen.tsx";
import type { Visit } from "./visit.ts";

/** Puts the chosen bag on a tag. */
export function WriteScreen(): JSX.Element {
  const { t, locale } = useI18n();
  const { load, visit, outbox, takeChosenTag } = useKiosk();
  // These stay as they were when the job began. The frame shows this screen only with both.
  const journey = visit.journey() as Journey;
  const bag = visit.bag() as Bag;
  const face = previewOf(journey, bag);
  const shown = shownCity(journey);
  // Skip companions without a bag to write.
  const booking = () => bookingOf(visit).filter(({ baggage }) => baggage.length > 0);

  const { tries, markAttached } = visit;
  const job = createTransferJob({ load, outbox, journey, booking, bag, tries, onWritten: markAttached });
  // One touch, or one scan of a bag label, leads from the bag to the chooser.
  onMount(() => {
    const chosenTag = takeChosenTag();
    if (chosenTag) job.connectTo(chosenTag);
    else if (navigator.userActivation?.isActive) job.choose();
  });

  return (
    <JobScreen
      job={job}
      kind="transfer"
      texts={{
        ...textsOf(t, shown, () => nextBagOf(visit) === undefined),
        carryingTitle: (baggageId) => otherBagTitle(t, bookingOf(visit), baggageId),
        still: stillOn(t, () => visit.bag() ?? bag),
      }}
      run={<BagRun journeys={booking()} bag={bag} job={job} />}
      airport={face.destination}
      drawing={
        <JobDrawing
          job={job}
          before={face}
          after={face}
          label={t("bag.drawing", destinationOf(journey, locale()), bag.licencePlate)}
        />
      }
      carrying={(baggageId) => (
        <OtherBag job={job} booking={bookingOf(visit)} bag={bag} baggageId={baggageId} />
      )}
      after={<Next />}
      back={<ToJourney />}
    />
  );
}

/** After the last bag they also say where to go with them. */
function textsOf(t: I18n["t"], destination: string, isLast: () => boolean): Omit<JobTexts, "carryingTitle"> {
  const last = (words: string) => (isLast() ? `${words} ${t("kiosk.job.drop")}` : words);
  return {
    readyTitle: t("job.readyTitle"),
    ready: t("kiosk.job.ready"),
    workingTitle: t("job.transferTitle"),
    doneTitle: t("kiosk.job.doneTitle"),
    get done() {
      return last(t("kiosk.job.done", destination));
    },
    pendingTitle: t("job.pendingTitle"),
    get pending() {
      return last(t("kiosk.job.pending"));
    },
  };
}

/** The next bag, else the end. A tag on which the bag was before is to be cleared. */
function Next(): JSX.Element {
  const { t } = useI18n();
  const { visit, clear } = useKiosk();
  const clearing = (tag: string) => (
    <Button onClick={() => clear(tag)}>{t("clear.titleOf", tagName(tag))}</Button>
  );
  return (
    <>
      <Show when={visit.bag()}>{(bag) => <OlderTags bag={bag()} clear={clearing} />}</Show>
      <NextBag />
      {/* Before the last bag, the bar's own button is enough. */}
      <Show when={!nextBagOf(visit)}>
        <FinishButton kind="primary" />
      </Show>
      <ToJourney />
    </>
  );
}

/** The passenger's own journey, then those of the same booking. */
const bookingOf = ({ journey, companions }: Visit): readonly Journey[] => {
  const own = journey();
  return own ? [own, ...companions()] : [];
};

/** The first bag of the booking without a tag. */
const nextBagOf = (visit: Visit) => nextOf(bookingOf(visit));

/** On to the next bag of the booking. */
function NextBag(): JSX.Element {
  const { visit, send } = useKiosk();
  const put = ({ journey, bag }: Turn) =>
    batch(() => {
      if (journey.journeyId !== visit.journey()?.journeyId) visit.show(journey);
      visit.choose(bag.baggageId);
      send("put");
    });
  return <NextOfBooking booking={bookingOf(visit)} onNext={put} />;
}

/** Empties a tag and opens its lock. */
export function ClearScreen(): JSX.Element {
  const { t } = useI18n();
  const { load, visit, outbox, clearing, clear, takeChosenTag } = useKiosk();
  const { journey: booking, markCleared: onCleared } = visit;
  const job = createClearJob({ load, outbox, booking, only: clearing, onCleared });
  onMount(() => {
    const chosenTag = takeChosenTag();
    if (chosenTag) job.connectTo(chosenTag);
  });
  // A person who takes a bag's tag off has other plans for that bag than the next tag.
  const idOfNext = () => nextBagOf(visit)?.bag.baggageId;
  const before = idOfNext();
  const goesOn = () => before !== undefined && idOfNext() === before;
  const another = () => {
    clear();
    job.reset();
  };
  return (
    <JobScreen
      job={job}
      kind="clear"
      texts={{
        get readyTitle() {
          const tag = clearing();
          return tag ? t("clear.titleOf", tagName(tag)) : t("start.clearAction");
        },
        get ready() {
          // The lock of a named tag is known.
          return clearing()
            ? t("kiosk.job.clearLead")
            : `${t("kiosk.job.clearLead")} ${t("kiosk.job.clearLocked")}`;
        },
        workingTitle: t("clear.workingTitle"),
        doneTitle: t("kiosk.job.clearedTitle"),
        get done() {
          return `${t("clear.done", tagAt(job) ?? "")} ${t("kiosk.job.clearedBooking")}`;
        },
        pendingTitle: t("clear.pendingTitle"),
        pending: t("kiosk.job.clearedPending"),
      }}
      drawing={<JobDrawing job={job} before={undefined} after={undefined} label={t("bag.blankDrawing")} />}
      after={
        <>
          <Show when={goesOn()}>
            <NextBag />
          </Show>
          <Button wide onClick={another}>
            {t("kiosk.job.another")}
          </Button>
          <ToJourney kind={goesOn() ? "quiet" : "primary"} />
          <FinishButton kind={visit.journey() ? "secondary" : "primary"} />
        </>
      }
      back={<ToJourney />}
    />
  );
}
