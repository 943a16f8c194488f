import {
  type Accessor,
  createEffect,
  createMemo,
  createSignal,
  For,
  type JSX,
  on,
  onCleanup,
  Show,
} from "solid-js";
import type { LabelPayload } from "../../core/bag/payload.ts";
import type { Phase } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { Button, Icon, type IconName } from "../ui/Controls.tsx";
import { Battery } from "../ui/Progress.tsx";
import { TagDrawing } from "../ui/TagDrawing.tsx";
import type { TagJob } from "./create-tag-job.ts";
import { SupportCode } from "./ErrorPanel.tsx";
import { lineOf, stepLabel } from "./job-words.ts";
import { LOW_BATTERY } from "./run-tag-job.ts";
import {
  activePhase,
  displayTimeOf,
  hasBegun,
  isBusy,
  isCommitted,
  type JobKind,
  type JobState,
  jobAt,
  type PhaseProgress,
  promptOf,
  shareDone,
} from "./tag-job.ts";

/** The job while it runs: the tag's drawing, if there is one, one bar, one line of words, and a cancel until the tag has its commit. */
export function Working(props: {
  readonly job: TagJob;
  readonly kind: JobKind;
  readonly drawing: JSX.Element;
}): JSX.Element {
  const { t } = useI18n();
  const cancelling = () => props.job.now().at === "cancelling";
  const elapsed = createPhaseElapsed(props.job);
  const hint = () => {
    const active = activeOf(props.job.now());
    if (active?.retrying) return t("job.retrying");
    if (!hasBegun(props.job.now(), "attach")) return t("job.hold");
    return elapsed() >= CONFIRMING_AFTER_MS ? t("doing.attach") : "\u00a0";
  };
  createEffect(
    on(
      () => isCommitted(props.job.now()),
      // The button goes: reading and tabbing continue at the heading.
      (committed) => committed && document.querySelector<HTMLElement>("main h1")?.focus(),
      { defer: true },
    ),
  );
  return (
    <div class="working">
      <Show when={props.drawing}>{(drawing) => <div class="working-tag">{drawing()}</div>}</Show>
      <div class="working-words">
        <p class="working-line" aria-hidden="true">
          {lineOf(props.job.now(), props.kind, t)}
        </p>
        <Bar job={props.job} elapsed={elapsed()} />
        <p class="soft small">{hint()}</p>
        {/* Its place stays, so that nothing below it moves. */}
        <div>
          <Show when={!isCommitted(props.job.now())}>
            <Button wide busy={cancelling()} onClick={props.job.cancel}>
              {t(cancelling() ? "job.cancelling" : "app.cancel")}
            </Button>
          </Show>
        </div>
        <Show when={begun(props.job.now())?.tag}>
          {(tag) => (
            <p class="row working-device">
              <bdi>{t("job.device", tag().name)}</bdi>
              <TagBattery job={props.job} />
            </p>
          )}
        </Show>
        <Details job={props.job} kind={props.kind} />
      </div>
    </div>
  );
}
/** One bar over all phases. It never goes back within one job: a phase that begins again has cost time, not work. */
function Bar(props: { readonly job: TagJob; readonly elapsed: number }): JSX.Element {
  const { t } = useI18n();
  const share = createMemo<number>((before) => {
    const job = begun(props.job.now());
    if (job === undefined || job.at === "choosing") return 0;
    return Math.max(
      before,
      shareDone(job.progress, props.elapsed, job.tag && displayTimeOf(job.tag.uniqueDeviceId)),
    );
  }, 0);
  return <progress class="working-bar" aria-label={t("job.steps")} max={1} value={share()} />;
}

/** The steps, and a failure's code for support, on demand. Steps change with each packet: they are made when they are seen. */
export function Details(props: { readonly job: TagJob; readonly kind: JobKind }): JSX.Element {
  const { t } = useI18n();
  const [isOpen, setOpen] = createSignal(false);
  return (
    <details class="details" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t("job.details")}</summary>
      <Show when={isOpen()}>
        <Steps job={props.job} kind={props.kind} />
      </Show>
      <Show when={jobAt(props.job.now(), "failed")}>
        {(failed) => <SupportCode error={failed().error} />}
      </Show>
    </details>
  );
}

/** The steps, with seconds or per cent beside the running one: something moves at least once a second. */
function Steps(props: { readonly job: TagJob; readonly kind: JobKind }): JSX.Element {
  const i18n = useI18n();
  const { t } = i18n;
  const phases = () => begun(props.job.now())?.progress.phases ?? [];
  const elapsed = createPhaseElapsed(props.job);
  const seconds = () => Math.floor(elapsed() / 1_000);
  const note = (item: PhaseProgress) => {
    if (item.state === "done" && item.duration !== undefined) return i18n.seconds(tenths(item.duration));
    if (item.state !== "active") return undefined;
    if (item.retrying) return t("job.retrying");
    if (item.fraction !== undefined && item.fraction < 1)
      return i18n.percent(Math.round(item.fraction * 100));
    return seconds() > 0 ? i18n.seconds(seconds()) : undefined;
  };
  const stateOf = ({ phase, state }: PhaseProgress) =>
    state === "active" && phase === "proof" && promptOf(props.job.now()) ? "asking" : state;
  return (
    <ol class="steps" aria-label={t("job.steps")}>
      <For each={phases()}>
        {(item) => (
          <li
            class="step"
            data-step={item.phase}
            data-state={stateOf(item)}
            aria-current={item.state === "active" ? "step" : undefined}
          >
            <span class="step-mark">
              <Show when={ICONS[stateOf(item)]}>{(name) => <Icon name={name()} class="step-icon" />}</Show>
            </span>
            <span>
              {t(stepLabel(props.kind, item.phase))}
              <span class="sr-only">, {t(`stepState.${stateOf(item)}`)}</span>
            </span>
            <Show when={note(item)}>{(words) => <span class="step-note">{words()}</span>}</Show>
          </li>
        )}
      </For>
    </ol>
  );
}

const ICONS: Partial<Record<PhaseProgress["state"] | "asking", IconName>> = {
  done: "check",
  failed: "cross",
  asking: "lock",
};

/** Undefined at the beginning: a screen that is just leaving may still ask. */
const begun = (job: JobState) => (job.at === "ready" ? undefined : job);

const activeOf = (job: JobState) => {
  const running = begun(job);
  return running && activePhase(running.progress);
};

const tenths = (milliseconds: number) => Math.max(1, Math.round(milliseconds / 100)) / 10;

function TagBattery(props: { readonly job: TagJob }): JSX.Element {
  const { t } = useI18n();
  const level = () => {
    const job = begun(props.job.now());
    return job?.progress.device?.batteryLevel ?? job?.tag?.batteryLevel;
  };
  return (
    <Show when={level() !== undefined ? { level: level() ?? 0 } : undefined}>
      {(known) => (
        <Battery
          level={known().level}
          low={known().level <= LOW_BATTERY}
          label={t("job.battery", known().level)}
        />
      )}
    </Show>
  );
}

const TICK_MS = 200;

/** A confirmation by the service usually takes less: nothing is shown or spoken of it before. */
export const CONFIRMING_AFTER_MS = 2_000;

/** Milliseconds since the job's phase began; 0 while none runs. */
export function createPhaseElapsed(job: TagJob): Accessor<number> {
  const [elapsed, setElapsed] = createSignal(0);
  const phase = createMemo(() => {
    const running = jobAt(job.now(), "connecting", "working", "cancelling");
    return running && activePhase(running.progress)?.phase;
  });
  createEffect(
    on(phase, (active) => {
      setElapsed(0);
      if (active === undefined) return;
      const timer = setInterval(() => setElapsed((ms) => ms + TICK_MS), TICK_MS);
      onCleanup(() => clearInterval(timer));
    }),
  );
  return elapsed;
}

/** What may be drawn of a tag's display. */
interface Display {
  /** `changing`: what it shows is not known yet. */
  readonly shows: "before" | "changing" | "after";
  /** How much of the label has been sent, 0…1. */
  readonly sent?: number;
  /** The tag has its commit: its e-paper turns black and white. */
  readonly isFlashing?: boolean;
}

/**
 * The display during a job: a label is drawn in as it is sent, softly, until the tag has said COMMITTED. A tag that is to be
 * cleared keeps its label until something has been sent.
 */
export function displayOf(job: JobState, clears = false): Display {
  if (job.at === "done" || job.at === "pending") return { shows: "after" };
  if (job.at === "ready" || !isBusy(job)) return { shows: "before" };
  const part = (name: Phase) => job.progress.phases.find(({ phase }) => phase === name)?.fraction ?? 0;
  // The end of the phase says less: a failure ends it too.
  if (part("display") === 1) return { shows: "after" };
  if (hasBegun(job, "display")) return { shows: "changing", sent: 1, isFlashing: true };
  const sent = part("write");
  return clears && sent === 0 ? { shows: "before" } : { shows: "changing", sent };
}

interface JobDrawingProps {
  readonly job: TagJob;
  /** What the tag shows before the job, as far as it is known; of a bag that is not on a tag, a preview. */
  readonly before: LabelPayload | undefined;
  /** What it shows once it has said so; undefined is a blank display. */
  readonly after: LabelPayload | undefined;
  /** `after` in one sentence. */
  readonly label: string;
  /** `before` in one sentence, where it is another. */
  readonly labelBefore?: string | undefined;
}

/** The tag during its job: the label appears or goes as it is sent, the display flashes, then shows the tag's content. */
export function JobDrawing(props: JobDrawingProps): JSX.Element {
  const { t } = useI18n();
  const clears = () => props.before !== undefined && props.after === undefined;
  const display = () => displayOf(props.job.now(), clears());
  const isChanging = () => display().shows === "changing";
  const faces = () => ({
    before: props.before,
    changing: props.after ?? props.before,
    after: props.after,
  });
  const labels = () => ({
    before: props.labelBefore ?? props.label,
    changing: t("bag.changingDrawing"),
    after: props.label,
  });
  const drawn = () => {
    const { sent = 0 } = display();
    return isChanging() ? (clears() ? 1 - sent : sent) : undefined;
  };
  const isPreview = () => display().shows === "before" && props.before !== undefined;
  return (
    <TagDrawing
      face={faces()[display().shows]}
      label={labels()[display().shows]}
      preview={isChanging() || (isPreview() && props.before === props.after)}
      drawn={drawn()}
      refreshing={display().isFlashing}
    />
  );
}
