import { useSearchParams } from "@solidjs/router";
import { createMemo, type JSX, onMount } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import { useI18n } from "../i18n/index.tsx";
import { createClearJob } from "../job/create-clear-job.ts";
import { destinationOf } from "../job/destination.ts";
import { guideChooser } from "../job/guide-chooser.ts";
import { JobDrawing } from "../job/JobDrawing.tsx";
import { previewOf } from "../job/tag-face.ts";
import { useAppState } from "../state/app-state.tsx";
import { isSameTag, tagsOf } from "../state/bag-tags.ts";
import { ButtonLink } from "../ui/Button.tsx";
import { JobView } from "./JobView.tsx";

/** Empties a tag after the trip and releases its lock. `?tag=` narrows the chooser to one tag. */
export function ClearPage(): JSX.Element {
  const { t } = useI18n();
  const { load, prepare, journeys, outbox } = useAppState();
  const [search] = useSearchParams<{ tag?: string }>();
  const { shown, label, back } = createShown(() => search.tag);
  const name = () => (search.tag === undefined ? undefined : tagName(search.tag));

  const job = guideChooser(
    createClearJob({ load, outbox, only: () => search.tag, onCleared: journeys.markCleared }),
  );
  onMount(prepare);

  return (
    <JobView
      job={job}
      kind="clear"
      tagName={name()}
      back={back()}
      texts={{
        readyTitle: name() ? t("clear.titleOf", name() ?? "") : t("start.clearAction"),
        ready: t("clear.lead"),
        workingTitle: t("clear.workingTitle"),
        doneTitle: t("clear.doneTitle"),
        done: t("clear.done"),
        pendingTitle: t("clear.pendingTitle"),
        pending: t("clear.pending"),
      }}
      drawing={
        <JobDrawing
          job={job}
          before={shown()?.face}
          after={undefined}
          label={t("bag.blankDrawing")}
          labelBefore={label()}
        />
      }
      after={
        <ButtonLink href={back().href} kind="primary" wide>
          {back().label}
        </ButtonLink>
      }
    />
  );
}

/** The journey and the bag that the tag shows, as far as this device knows; they stay once the tag is clear. */
function createShown(device: () => string | undefined) {
  const { t } = useI18n();
  const { journeys, keeping } = useAppState();
  const find = () => {
    const tag = device();
    const journey = journeys.latest()?.journey ?? keeping.kept()?.journey;
    const bag = tag && journey?.baggage.find((each) => tagsOf(each).some((one) => isSameTag(one, tag)));
    return journey && bag ? { journey, bag, face: previewOf(journey, bag) } : undefined;
  };
  const shown = createMemo<ReturnType<typeof find>>((before) => before ?? find());
  const label = () => {
    const known = shown();
    return known && t("bag.drawing", destinationOf(known.journey), known.bag.licencePlate);
  };
  const back = () => {
    const journey = shown()?.journey;
    return journey
      ? { href: `/journeys/${journey.journeyId}`, label: t("job.toJourney") }
      : { href: "/", label: t("job.toStart") };
  };
  return { shown, label, back };
}
