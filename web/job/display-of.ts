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

/** The display during a job: what is to come is not drawn before the tag has said COMMITTED. */
export function displayOf(job: JobState): Display {
  if (job.at === "done" || job.at === "pending") return { shows: "after" };
  if (job.at === "ready" || !isBusy(job)) return { shows: "before" };
  // Only what the tag has committed is told to the airline. The end of `display` says less: a failure ends it too.
  if (hasBegun(job, "attach")) return { shows: "after" };
  if (hasBegun(job, "display")) return { shows: "changing", fill: 1, isFlashing: true };
  const write = job.progress.phases.find(({ phase }) => phase === "write");
  return { shows: "changing", fill: write?.fraction ?? 0 };
}
