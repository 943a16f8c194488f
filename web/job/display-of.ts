import type { Phase } from "../../sdk/index.ts";
import { hasBegun, isBusy, type JobState } from "./tag-job.ts";

/** What may be drawn of a tag's display. */
export interface Display {
  /** `changing`: nobody can say yet what it shows. */
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
