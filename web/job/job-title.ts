import type { JobState } from "./tag-job.ts";

/** What is said of a job at a tag, by how far it has come. */
export interface JobTexts {
  readonly readyTitle: string;
  readonly ready: string;
  readonly workingTitle: string;
  readonly doneTitle: string;
  readonly done: string;
  readonly pendingTitle: string;
  readonly pending: string;
}

/** The heading over the job; `failed` where it went wrong. */
export function titleOf(at: JobState["at"], texts: JobTexts, failed: string): string {
  switch (at) {
    case "ready":
      return texts.readyTitle;
    case "done":
      return texts.doneTitle;
    case "pending":
      return texts.pendingTitle;
    case "failed":
      return failed;
    case "choosing":
    case "connecting":
    case "warned":
    case "working":
    case "proving":
    case "cancelling":
      return texts.workingTitle;
  }
}
