import type { Phase } from "../../sdk/index.ts";
import type { JobKind } from "./job-progress.ts";

const LABELS = {
  transfer: {
    connect: "step.connect",
    secure: "step.secure",
    lookup: "step.lookup",
    proof: "step.proof",
    authorise: "step.authorise",
    write: "step.write",
    display: "step.display",
    attach: "step.attach",
  },
  clear: {
    connect: "step.connect",
    secure: "step.secure",
    lookup: "step.lookup",
    proof: "step.proof",
    authorise: "step.clearAuthorise",
    write: "step.clearWrite",
    display: "step.display",
    attach: "step.clearAttach",
  },
} as const satisfies Record<JobKind, Record<Phase, string>>;

/** The dictionary's key for a phase of this kind of job. */
export function stepLabel(kind: JobKind, phase: Phase) {
  return LABELS[kind][phase];
}
