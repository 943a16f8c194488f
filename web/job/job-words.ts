import { tagName } from "../../core/gatt/tag-name.ts";
import type { Phase, PickedTag } from "../../sdk/index.ts";
import type { I18n } from "../i18n/index.tsx";
import { type Bag, isSameTag } from "../state/bags.ts";
import { headingOf, nextOf } from "./ErrorPanel.tsx";
import { activePhase, hasBegun, isCommitting, type JobKind, type JobState, promptOf } from "./tag-job.ts";

/** Another person's trip has locked the tag after it took the label. */
export const isReused = (job: JobState): boolean =>
  job.at === "failed" && job.error.code === "device_locked" && hasBegun(job, "attach");

/** The headings of a job at a tag, by its state. */
export interface JobTexts {
  readonly readyTitle: string;
  readonly ready: string;
  readonly workingTitle: string;
  readonly doneTitle: string;
  readonly done: string;
  readonly pendingTitle: string;
  readonly pending: string;
  /** Of a tag that carries another bag, or another person's label. */
  readonly carryingTitle?: (baggageId: number | undefined) => string;
  /** Of a job that was done before it could be stopped. */
  readonly stoppedTitle?: string;
  /** After a job that changed nothing at `tag`: where the bag still is. */
  readonly still?: (tag: PickedTag | undefined) => string | undefined;
}

/** The heading over the job: what it does, what it asks, or what has happened. */
export function titleOf(job: JobState, texts: JobTexts, t: I18n["t"]): string {
  switch (job.at) {
    case "ready":
    case "choosing":
      return texts.readyTitle;
    case "warned":
      return t("job.batteryLowTitle", job.tag.batteryLevel ?? 0);
    case "carrying":
      return texts.carryingTitle?.(job.baggageId) ?? texts.readyTitle;
    case "done":
    case "pending":
      if (job.stopped && texts.stoppedTitle) return texts.stoppedTitle;
      return job.at === "done" ? texts.doneTitle : texts.pendingTitle;
    case "failed":
      if (job.known && job.error.code === "out_of_reach")
        return t("passenger.remembered.away", job.known.name);
      return isReused(job) ? t("passenger.reused.title", job.tag?.name ?? "") : headingOf(job.error, t);
    case "connecting":
    case "working":
    case "proving":
    case "cancelling":
      return texts.workingTitle;
  }
}

const DOING = {
  connect: "doing.connect",
  secure: "doing.secure",
  lookup: "doing.lookup",
  proof: "doing.proof",
  authorize: "doing.authorize",
  write: "doing.write",
  display: "doing.display",
  attach: "job.putDown",
} as const satisfies Record<Phase, string>;

/** What happens now, in one line of plain words: shown beside the drawing, and spoken. */
export function lineOf(job: JobState, kind: JobKind, t: I18n["t"]): string {
  if (job.at === "ready") return "";
  // A remembered tag must advertise before it can be connected.
  if (job.known && (job.at === "choosing" || job.at === "connecting"))
    return t("passenger.remembered.looking", job.known.name);
  if (job.at === "choosing") return t("job.choosing");
  if (job.at === "cancelling") return t(isCommitting(job) ? "job.tooLate" : "job.cancelling");
  if (promptOf(job) && job.at === "proving") return t("doing.proof");
  const phase = activePhase(job.progress)?.phase ?? lastPhase(job.progress.phases);
  return phase === "write" && kind === "clear" ? t("doing.clear") : t(DOING[phase]);
}

/** Between two phases, the one that has just ended. */
const lastPhase = (phases: readonly { readonly phase: Phase; readonly state: string }[]): Phase =>
  phases.findLast(({ state }) => state !== "waiting")?.phase ?? "connect";

/** Where the steps of a clear have words of their own. */
const CLEARS = {
  authorize: "clearAuthorize",
  write: "clearWrite",
  attach: "clearAttach",
} as const satisfies Partial<Record<Phase, string>>;

/** The dictionary's key for a phase of this kind of job. */
export const stepLabel = (kind: JobKind, phase: Phase) =>
  `passenger.step.${kind === "clear" && phase in CLEARS ? CLEARS[phase as keyof typeof CLEARS] : phase}` as const;

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
  if (isReused(job)) return t("passenger.reused.dropped");
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
