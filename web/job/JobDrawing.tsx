import type { JSX } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { TagDrawing, type TagFace } from "../ui/TagDrawing.tsx";
import type { TagJob } from "./create-tag-job.ts";
import { displayOf } from "./display-of.ts";

export interface JobDrawingProps {
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
