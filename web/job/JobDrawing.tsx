import type { JSX } from "solid-js";
import type { Phase } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { TagDrawing, type TagFace } from "../ui/TagDrawing.tsx";
import type { TagJob } from "./create-tag-job.ts";
import { hasBegun, isBusy, type JobState } from "./tag-job.ts";

/** What may be drawn of a tag's display. */
export interface Display {
  /** `changing`: what it shows is not known yet. */
  readonly shows: "before" | "changing" | "after";
  /** How much of the label has been sent, 0…1. */
  readonly sent?: number;
  /** The tag has its commit: its e-paper turns black and white. */
  readonly isFlashing?: boolean;
}

/**
 * The display during a job: a label is drawn in as it is sent, softly, until the tag has said COMMITTED. A tag that is to be
 * cleared keeps its label until something has been sent.
 */
export function displayOf(job: JobState, clears = false): Display {
  if (job.at === "done" || job.at === "pending") return { shows: "after" };
  if (job.at === "ready" || !isBusy(job)) return { shows: "before" };
  const part = (name: Phase) => job.progress.phases.find(({ phase }) => phase === name)?.fraction ?? 0;
  // The end of the phase says less: a failure ends it too.
  if (part("display") === 1) return { shows: "after" };
  if (hasBegun(job, "display")) return { shows: "changing", sent: 1, isFlashing: true };
  const sent = part("write");
  return clears && sent === 0 ? { shows: "before" } : { shows: "changing", sent };
}

interface JobDrawingProps {
  readonly job: TagJob;
  /** What the tag shows before the job, as far as it is known; of a bag that is not on a tag, a preview. */
  readonly before: TagFace | undefined;
  /** What it shows once it has said so; undefined is a blank display. */
  readonly after: TagFace | undefined;
  /** `after` in one sentence. */
  readonly label: string;
  /** `before` in one sentence, where it is another. */
  readonly labelBefore?: string | undefined;
}

/** The tag during its job: the label appears or goes as it is sent, the display flashes, then shows the tag's content. */
export function JobDrawing(props: JobDrawingProps): JSX.Element {
  const { t } = useI18n();
  const clears = () => props.before !== undefined && props.after === undefined;
  const display = () => displayOf(props.job.now(), clears());
  const isChanging = () => display().shows === "changing";
  const faces = () => ({
    before: props.before,
    changing: props.after ?? props.before,
    after: props.after,
  });
  const labels = () => ({
    before: props.labelBefore ?? props.label,
    changing: t("bag.changingDrawing"),
    after: props.label,
  });
  const drawn = () => {
    const { sent = 0 } = display();
    return isChanging() ? (clears() ? 1 - sent : sent) : undefined;
  };
  const isPreview = () => display().shows === "before" && props.before !== undefined;
  return (
    <TagDrawing
      face={faces()[display().shows]}
      label={labels()[display().shows]}
      preview={isChanging() || (isPreview() && props.before === props.after)}
      drawn={drawn()}
      refreshing={display().isFlashing}
    />
  );
}
