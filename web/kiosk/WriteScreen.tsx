import { For, type JSX, onMount, Show } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import type { Journey } from "../../sdk/index.ts";
import { type I18n, useI18n } from "../i18n/index.tsx";
import { BagRun } from "../job/BagRun.tsx";
import { createTransferJob } from "../job/create-transfer-job.ts";
import { destinationOf } from "../job/destination.ts";
import { JobDrawing } from "../job/JobDrawing.tsx";
import type { JobTexts } from "../job/job-title.ts";
import { stillOn } from "../job/next-of-job.ts";
import { OtherBag } from "../job/OtherBag.tsx";
import { previewOf } from "../job/tag-face.ts";
import { type Bag, olderTagsOf } from "../state/bags.ts";
import { Button } from "../ui/Button.tsx";
import { Notice } from "../ui/Notice.tsx";
import { JobScreen } from "./JobScreen.tsx";
import { useKiosk } from "./kiosk-state.tsx";
import { bookingOf, NextBag, nextBagOf } from "./NextBag.tsx";

/** Puts the chosen bag on a tag. */
export function WriteScreen(): JSX.Element {
  const { t } = useI18n();
  const { load, visit, outbox, send, takeInHand } = useKiosk();
  // These stay as they were when the job began. The frame shows this screen only with both.
  const journey = visit.journey() as Journey;
  const bag = visit.bag() as Bag;
  const face = previewOf(journey, bag);
  const destination = destinationOf(journey);
  // Companions without a bag to write are nobody's turn.
  const booking = () => bookingOf(visit).filter(({ baggage }) => baggage.length > 0);

  const { tries, markAttached } = visit;
  const job = createTransferJob({ load, outbox, journey, booking, bag, tries, onWritten: markAttached });
  // One touch, or one scan of a bag label, leads from the bag to the chooser.
  onMount(() => {
    const inHand = takeInHand();
    if (inHand) job.reach(inHand);
    else if (navigator.userActivation?.isActive) job.choose();
  });

  return (
    <JobScreen
      job={job}
      kind="transfer"
      texts={{
        ...textsOf(t, destination, () => nextBagOf(visit) === undefined),
        still: stillOn(t, () => visit.bag() ?? bag),
      }}
      run={<BagRun journeys={booking()} bag={bag} job={job} />}
      airport={face.destination}
      drawing={
        <JobDrawing
          job={job}
          before={face}
          after={face}
          label={t("bag.drawing", destination, bag.licencePlate)}
        />
      }
      carrying={(baggageId) => (
        <OtherBag job={job} booking={bookingOf(visit)} bag={bag} baggageId={baggageId} />
      )}
      after={<Next />}
      back={
        <Button kind="quiet" wide onClick={() => send("journey")}>
          {t("kiosk.job.toJourney")}
        </Button>
      }
    />
  );
}

/** After the last bag they also say where to go with them. */
function textsOf(t: I18n["t"], destination: string, isLast: () => boolean): JobTexts {
  const last = (words: string) => (isLast() ? `${words} ${t("kiosk.job.drop")}` : words);
  return {
    readyTitle: t("job.readyTitle"),
    ready: t("kiosk.job.ready"),
    workingTitle: t("job.transferTitle", destination),
    doneTitle: t("kiosk.job.doneTitle"),
    get done() {
      return last(t("kiosk.job.done", destination));
    },
    pendingTitle: t("kiosk.job.pendingTitle"),
    get pending() {
      return last(t("kiosk.job.pending"));
    },
  };
}

/** The next bag, else the end. A tag on which the bag was before is to be cleared. */
function Next(): JSX.Element {
  const { t } = useI18n();
  const { visit, send, clear, finish } = useKiosk();
  const old = () => {
    const bag = visit.bag();
    return bag ? olderTagsOf(bag) : [];
  };
  return (
    <>
      <For each={old()}>
        {(tag) => (
          <Notice
            tone="warn"
            title={t("passenger.run.alsoOn", tagName(tag))}
            actions={<Button onClick={() => clear(tag)}>{t("clear.titleOf", tagName(tag))}</Button>}
          />
        )}
      </For>
      <NextBag />
      {/* Before the last bag, the bar's own button is enough. */}
      <Show when={!nextBagOf(visit)}>
        <Button kind="primary" wide onClick={finish}>
          {t("kiosk.journey.next")}
        </Button>
      </Show>
      <Button kind="quiet" wide onClick={() => send("journey")}>
        {t("kiosk.job.toJourney")}
      </Button>
    </>
  );
}
