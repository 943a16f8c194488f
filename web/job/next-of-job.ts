import type { Phase } from "../../sdk/index.ts";
import type { I18n } from "../i18n/index.tsx";
import { nextOf } from "./error-words.ts";
import type { JobState } from "./tag-job.ts";

/** After a job that failed, also what the tag shows, if it was reached and nothing was sent to it: shown, and spoken. */
export function nextOfJob(job: JobState, t: I18n["t"]): string | undefined {
  if (job.at !== "failed") return undefined;
  const { phases } = job.progress;
  const isAt = (name: Phase, state: string) =>
    phases.some((each) => each.phase === name && each.state === state);
  const isUnchanged = isAt("connect", "done") && isAt("write", "waiting");
  return [nextOf(job.error, t), ...(isUnchanged ? [t("passenger.unchanged")] : [])].join(" ");
}
