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
  /** How much of the label has arrived, 0…1. */
  readonly fill?: number;
  /** The tag has its commit: its e-paper turns black and white. */
  readonly isFlashing?: boolean;
}

/**
 * The display during a job: what is to come is not drawn before the tag has said COMMITTED. A tag that is to be
 * cleared keeps its label until something has been sent.
 */
export function displayOf(job: JobState, clears = false): Display {
  if (job.at === "done" || job.at === "pending") return { shows: "after" };
  if (job.at === "ready" || !isBusy(job)) return { shows: "before" };
  const part = (name: Phase) => job.progress.phases.find(({ phase }) => phase === name)?.fraction ?? 0;
  // The end of the phase says less: a failure ends it too.
  if (part("display") === 1) return { shows: "after" };
  if (hasBegun(job, "display")) return { shows: "changing", fill: 1, isFlashing: true };
  const fill = part("write");
  return clears && fill === 0 ? { shows: "before" } : { shows: "changing", fill };
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

/** The tag as the progress of its job: grey paper that fills, flashes as e-paper does, and then shows what it shows. */
export function JobDrawing(props: JobDrawingProps): JSX.Element {
  const { t } = useI18n();
  const display = () => displayOf(props.job.now(), props.before !== undefined && props.after === undefined);
  const faces = () => ({ before: props.before, changing: undefined, after: props.after })[display().shows];
  const labels = () => ({
    before: props.labelBefore ?? props.label,
    changing: t("bag.changingDrawing"),
    after: props.label,
  });
  return (
    <TagDrawing
      face={faces()}
      label={labels()[display().shows]}
      preview={display().shows === "before" && props.before !== undefined && props.before === props.after}
      fill={display().fill}
      refreshing={display().isFlashing}
    />
  );
}
