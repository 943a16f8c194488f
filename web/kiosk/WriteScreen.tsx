import { type JSX, onMount, Show } from "solid-js";
import type { Journey } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { createTransferJob } from "../job/create-transfer-job.ts";
import { destinationOf } from "../job/destination.ts";
import { JobDrawing } from "../job/JobDrawing.tsx";
import { OtherBag } from "../job/OtherBag.tsx";
import { previewOf } from "../job/tag-face.ts";
import type { Bag } from "../state/bag-tags.ts";
import { Button } from "../ui/Button.tsx";
import { JobScreen } from "./JobScreen.tsx";
import { useKiosk } from "./kiosk-state.tsx";

/** Puts the chosen bag on a tag. */
export function WriteScreen(): JSX.Element {
  const { t } = useI18n();
  const { load, visit, outbox, send } = useKiosk();
  // These stay as they were when the job began. The frame shows this screen only with both.
  const journey = visit.journey() as Journey;
  const bag = visit.bag() as Bag;
  const face = previewOf(journey, bag);
  const destination = destinationOf(journey);

  const job = createTransferJob({ load, outbox, journey, bag, onWritten: visit.markAttached });
  // One touch, or one scan of a bag label, leads from the bag to the chooser.
  onMount(() => {
    if (navigator.userActivation?.isActive) job.choose();
  });

  return (
    <JobScreen
      job={job}
      kind="transfer"
      texts={{
        readyTitle: t("kiosk.job.readyTitle", destination),
        ready: t("kiosk.job.ready"),
        workingTitle: t("job.transferTitle", destination),
        doneTitle: t("kiosk.job.doneTitle"),
        done: t("kiosk.job.done", destination),
        pendingTitle: t("kiosk.job.pendingTitle"),
        pending: t("kiosk.job.pending"),
      }}
      drawing={
        <JobDrawing
          job={job}
          before={face}
          after={face}
          label={t("bag.drawing", destination, bag.licencePlate)}
        />
      }
      carrying={(baggageId) => <OtherBag job={job} journey={journey} bag={bag} baggageId={baggageId} />}
      after={<Next />}
      back={
        <Button kind="quiet" wide onClick={() => send("journey")}>
          {t("kiosk.job.toJourney")}
        </Button>
      }
    />
  );
}

/** The next bag of this journey, else the next passenger. */
function Next(): JSX.Element {
  const { t } = useI18n();
  const { visit, send, home } = useKiosk();
  const nextBag = () => visit.journey()?.baggage.find((bag) => bag.attachedDevice === undefined);
  const put = (bag: Bag) => {
    visit.choose(bag.baggageId);
    send("put");
  };
  return (
    <>
      <Show when={nextBag()}>
        {(bag) => (
          <Button kind="primary" wide onClick={() => put(bag())}>
            {t("kiosk.job.nextBag")}
          </Button>
        )}
      </Show>
      <Button kind={nextBag() ? "secondary" : "primary"} wide onClick={home}>
        {t("kiosk.journey.next")}
      </Button>
      <Button kind="quiet" wide onClick={() => send("journey")}>
        {t("kiosk.job.toJourney")}
      </Button>
    </>
  );
}
