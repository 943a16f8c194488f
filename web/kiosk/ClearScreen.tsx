import { type JSX, Show } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { createClearJob } from "../job/create-clear-job.ts";
import { tagAt } from "../job/create-tag-job.ts";
import { JobDrawing } from "../job/JobDrawing.tsx";
import { Button } from "../ui/Button.tsx";
import { JobScreen } from "./JobScreen.tsx";
import { useKiosk } from "./kiosk-state.tsx";

/** Empties a tag and opens its lock. */
export function ClearScreen(): JSX.Element {
  const { t } = useI18n();
  const { load, visit, outbox, send, finish } = useKiosk();
  const job = createClearJob({ load, outbox, booking: visit.journey, onCleared: visit.markCleared });
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
        readyTitle: t("start.clearAction"),
        ready: t("kiosk.job.clearLead"),
        workingTitle: t("clear.workingTitle"),
        doneTitle: t("kiosk.job.clearedTitle"),
        get done() {
          return t("clear.done", tagAt(job) ?? "");
        },
        pendingTitle: t("clear.pendingTitle"),
        pending: t("kiosk.job.clearedPending"),
      }}
      drawing={<JobDrawing job={job} before={undefined} after={undefined} label={t("bag.blankDrawing")} />}
      after={
        <>
          <Button kind={visit.journey() ? "secondary" : "primary"} wide onClick={job.reset}>
            {t("kiosk.job.another")}
          </Button>
          {toJourney("primary")}
          <Button wide onClick={finish}>
            {t("kiosk.journey.next")}
          </Button>
        </>
      }
      back={toJourney("quiet")}
    />
  );
}
