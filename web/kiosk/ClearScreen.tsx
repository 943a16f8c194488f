import { type JSX, onMount, Show } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import { useI18n } from "../i18n/index.tsx";
import { createClearJob } from "../job/create-jobs.ts";
import { tagAt } from "../job/create-tag-job.ts";
import { JobDrawing } from "../job/JobDrawing.tsx";
import { Button } from "../ui/Button.tsx";
import { JobScreen } from "./JobScreen.tsx";
import { useKiosk } from "./kiosk-state.tsx";
import { FinishButton } from "./Screen.tsx";
import { NextBag, nextBagOf } from "./WriteScreen.tsx";

/** Empties a tag and opens its lock. */
export function ClearScreen(): JSX.Element {
  const { t } = useI18n();
  const { load, visit, outbox, send, clearing, clear, takeChosenTag } = useKiosk();
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
  const toJourney = (kind: "primary" | "quiet") => (
    <Show when={visit.journey()}>
      <Button kind={kind} wide onClick={() => send("journey")}>
        {t("kiosk.job.toJourney")}
      </Button>
    </Show>
  );
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
          {toJourney(goesOn() ? "quiet" : "primary")}
          <FinishButton kind={visit.journey() ? "secondary" : "primary"} />
        </>
      }
      back={toJourney("quiet")}
    />
  );
}
