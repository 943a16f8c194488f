import type { PickedTag } from "../../sdk/index.ts";
import type { JobState } from "./tag-job.ts";

/** The headings of a job at a tag, by its state. */
export interface JobTexts {
  readonly readyTitle: string;
  readonly ready: string;
  readonly workingTitle: string;
  readonly doneTitle: string;
  readonly done: string;
  readonly pendingTitle: string;
  readonly pending: string;
  /** Of a job that was done before it could be stopped. */
  readonly stoppedTitle?: string;
  /** After a job that did nothing at `tag`: that the bag is where it was. */
  readonly still?: (tag: PickedTag | undefined) => string | undefined;
}

/** The heading over the job; `failed` is the one after a failure. */
export function titleOf(at: JobState["at"], texts: JobTexts, failed: string): string {
  switch (at) {
    case "ready":
    case "choosing":
    case "warned":
    case "carrying":
      return texts.readyTitle;
    case "done":
      return texts.doneTitle;
    case "pending":
      return texts.pendingTitle;
    case "failed":
      return failed;
    case "connecting":
    case "working":
    case "proving":
    case "cancelling":
      return texts.workingTitle;
  }
}
