import { useSearchParams } from "@solidjs/router";
import { type JSX, onMount } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import { useI18n } from "../i18n/index.tsx";
import { createClearJob } from "../job/create-clear-job.ts";
import { guideChooser } from "../job/guide-chooser.ts";
import { JobDrawing } from "../job/JobDrawing.tsx";
import { useAppState } from "../state/app-state.tsx";
import { ButtonLink } from "../ui/Button.tsx";
import { JobView } from "./JobView.tsx";

/** Empties a tag after the trip and releases its lock. `?tag=` narrows the chooser to one tag. */
export function ClearPage(): JSX.Element {
  const { t } = useI18n();
  const { load, prepare, journeys, outbox } = useAppState();
  const [search] = useSearchParams<{ tag?: string }>();

  const job = guideChooser(
    createClearJob({ load, outbox, only: () => search.tag, onCleared: journeys.markCleared }),
  );
  onMount(prepare);

  return (
    <JobView
      job={job}
      kind="clear"
      tagName={search.tag === undefined ? undefined : tagName(search.tag)}
      back={{ href: "/", label: t("job.toStart") }}
      texts={{
        readyTitle: t("clear.title"),
        ready: t("clear.lead"),
        workingTitle: t("clear.workingTitle"),
        doneTitle: t("clear.doneTitle"),
        done: t("clear.done"),
        pendingTitle: t("clear.pendingTitle"),
        pending: t("clear.pending"),
      }}
      drawing={<JobDrawing job={job} before={undefined} after={undefined} label={t("bag.blankDrawing")} />}
      after={
        <ButtonLink href="/" kind="primary" wide>
          {t("job.toStart")}
        </ButtonLink>
      }
    />
  );
}
