import type { Phase } from "../../sdk/index.ts";
import type { I18n } from "../i18n/index.tsx";
import { activePhase, type JobKind } from "./job-progress.ts";
import { isCommitting, type JobState, promptOf } from "./tag-job.ts";

const DOING = {
  connect: "doing.connect",
  secure: "doing.secure",
  lookup: "doing.lookup",
  proof: "doing.proof",
  authorise: "doing.authorise",
  write: "doing.write",
  display: "doing.display",
  attach: "doing.attach",
} as const satisfies Record<Phase, string>;

/** What happens now, in one line of plain words: shown beside the drawing, and spoken. */
export function lineOf(job: JobState, kind: JobKind, t: I18n["t"]): string {
  if (job.at === "ready") return "";
  // A remembered tag is listened for before anything connects.
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
