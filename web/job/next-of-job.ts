import { tagName } from "../../core/gatt/tag-name.ts";
import type { Phase } from "../../sdk/index.ts";
import type { I18n } from "../i18n/index.tsx";
import { type Bag, isSameTag } from "../state/bags.ts";
import { nextOf } from "./error-words.ts";
import type { JobTexts } from "./job-title.ts";
import type { JobState } from "./tag-job.ts";

/**
 * After a job that failed, also what the tag shows, if it was reached and nothing was sent to it, and where the bag is: shown,
 * and spoken.
 */
export function nextOfJob(
  job: JobState,
  t: I18n["t"],
  { still }: Pick<JobTexts, "still">,
): string | undefined {
  if (job.at !== "failed") return undefined;
  const { phases } = job.progress;
  const isAt = (name: Phase, state: string) =>
    phases.some((each) => each.phase === name && each.state === state);
  const isUnchanged = isAt("connect", "done") && isAt("write", "waiting");
  const facts = [isUnchanged && t("passenger.unchanged"), still?.(job.tag)];
  return [nextOf(job.error, t), ...facts].filter(Boolean).join(" ");
}

/** What {@link JobTexts.still} says of a bag that is on a tag already. */
export const stillOn =
  (t: I18n["t"], bag: () => Bag): NonNullable<JobTexts["still"]> =>
  (tag) => {
    const { attachedDevice } = bag();
    if (attachedDevice === undefined || isSameTag(tag?.uniqueDeviceId, attachedDevice)) return undefined;
    return t("passenger.run.still", tagName(attachedDevice));
  };
