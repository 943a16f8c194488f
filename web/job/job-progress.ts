import { PHASES, type Phase, type ProgressEvent, type TagDevice } from "../../sdk/index.ts";

/** What is known of one phase of a running job. Times in milliseconds since the operation began. */
export interface PhaseProgress {
  readonly phase: Phase;
  readonly state: "waiting" | "active" | "done" | "failed";
  readonly startedAt?: number;
  readonly duration?: number;
  /** 0…1, of `write`; 1 of `display` as the tag says COMMITTED. */
  readonly fraction?: number;
  readonly retrying?: boolean;
}

export interface JobProgress {
  readonly phases: readonly PhaseProgress[];
  readonly device?: TagDevice;
}

export type JobKind = "transfer" | "clear";

/** The phases shown from the start; `proof` joins only when a proof is required. */
const PLANNED: Record<JobKind, readonly Phase[]> = {
  transfer: ["connect", "secure", "lookup", "authorize", "write", "display", "attach"],
  clear: ["connect", "secure", "authorize", "write", "display", "attach"],
};

export function initialProgress(kind: JobKind): JobProgress {
  return { phases: PLANNED[kind].map((phase) => ({ phase, state: "waiting" })) };
}

/** The progress after one event of the SDK's stream. */
export function advance(progress: JobProgress, event: ProgressEvent): JobProgress {
  switch (event.type) {
    case "tag":
      return { ...progress, device: event.device };
    case "started":
      return change(withoutLater(progress, event.phase), event.phase, {
        state: "active",
        startedAt: event.at,
        retrying: false,
      });
    case "retrying":
      return change(progress, event.phase, { state: "active", retrying: true });
    case "progress":
      return change(progress, event.phase, { fraction: event.fraction });
    case "done":
      return change(progress, event.phase, { state: "done", duration: event.duration, retrying: false });
  }
}

/** Phases after one that starts are still to come: a refused token is asked for again after the proof. */
const withoutLater = (progress: JobProgress, phase: Phase): JobProgress => ({
  ...progress,
  phases: progress.phases.map((item) =>
    PHASES.indexOf(item.phase) > PHASES.indexOf(phase) ? { phase: item.phase, state: "waiting" } : item,
  ),
});

/**
 * The job failed. The SDK ends the current phase before it reports the failure, so the last phase that began
 * is where it failed.
 */
export function fail(progress: JobProgress): JobProgress {
  const last = progress.phases.findLast((item) => item.state !== "waiting");
  const mark = (item: PhaseProgress): PhaseProgress => (item === last ? { ...item, state: "failed" } : item);
  return { ...progress, phases: progress.phases.map(mark) };
}

export function activePhase(progress: JobProgress): PhaseProgress | undefined {
  return progress.phases.findLast((item) => item.state === "active");
}

function change(
  progress: JobProgress,
  phase: Phase,
  what: Omit<Partial<PhaseProgress>, "phase">,
): JobProgress {
  const known = progress.phases.some((item) => item.phase === phase);
  const all = known ? progress.phases : insert(progress.phases, { phase, state: "waiting" });
  return { ...progress, phases: all.map((item) => (item.phase === phase ? { ...item, ...what } : item)) };
}

function insert(phases: readonly PhaseProgress[], item: PhaseProgress): PhaseProgress[] {
  const order = (phase: Phase) => PHASES.indexOf(phase);
  return [...phases, item].sort((a, b) => order(a.phase) - order(b.phase));
}

/**
 * How long each phase usually lasts, in milliseconds: its share of the bar. `proof` has none, because a person's time is no
 * progress. What fills a phase without fractions is its elapsed time.
 */
const USUAL_MS: Readonly<Record<Phase, number>> = {
  connect: 2_000,
  secure: 800,
  lookup: 300,
  proof: 0,
  authorize: 500,
  write: 1_500,
  display: 3_000,
  attach: 500,
};
/** A phase that is not over is never drawn as complete. */
const MOST = 0.95;

/**
 * How much of the whole job is done, 0…1. `elapsed`: milliseconds since the active phase began; `displayMs`: how long this
 * tag's e-paper took the last time.
 */
export function shareDone({ phases }: JobProgress, elapsed: number, displayMs?: number): number {
  const usual = (phase: Phase) => (phase === "display" ? (displayMs ?? USUAL_MS.display) : USUAL_MS[phase]);
  const part = ({ phase, state, fraction }: PhaseProgress) => {
    if (state === "done" || fraction === 1) return 1;
    if (state !== "active") return 0;
    return Math.min(fraction ?? elapsed / Math.max(usual(phase), 1), MOST);
  };
  const sum = (of: (item: PhaseProgress) => number) => phases.reduce((all, item) => all + of(item), 0);
  return sum((item) => usual(item.phase) * part(item)) / sum((item) => usual(item.phase));
}

/**
 * How long each tag's e-paper took to change (milliseconds), on this device alone: the next progress bar fills as fast as the
 * tag does. It goes with everything else that a logout or a kiosk's wipe removes.
 */
const keyOf = (uniqueDeviceId: string) => `taglatch.display.${uniqueDeviceId}`;

/** Without one, and without storage, the usual time is assumed. */
export function displayTimeOf(uniqueDeviceId: string): number | undefined {
  try {
    return Number(localStorage.getItem(keyOf(uniqueDeviceId))) || undefined;
  } catch {
    return undefined;
  }
}

export function rememberDisplayTime(uniqueDeviceId: string, ms: number): void {
  try {
    localStorage.setItem(keyOf(uniqueDeviceId), String(ms));
  } catch {
    // Nothing depends on it.
  }
}
