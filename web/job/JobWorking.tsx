import {
  type Accessor,
  createEffect,
  createMemo,
  createSignal,
  type JSX,
  on,
  onCleanup,
  Show,
} from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { Button } from "../ui/Button.tsx";
import { Battery, type Step, Stepper } from "../ui/Progress.tsx";
import type { TagJob } from "./create-tag-job.ts";
import { SupportCode } from "./ErrorPanel.tsx";
import { activePhase, type JobKind, type PhaseProgress } from "./job-progress.ts";
import { lineOf, stepLabel } from "./job-words.ts";
import { LOW_BATTERY } from "./run-tag-job.ts";
import { isCommitting, type JobState, jobAt, promptOf } from "./tag-job.ts";

/** The job while it runs: the drawing is its progress, with one line of words, and a cancel that is always there. */
export function Working(props: {
  readonly job: TagJob;
  readonly kind: JobKind;
  readonly drawing: JSX.Element;
}): JSX.Element {
  const { t } = useI18n();
  const cancelling = () => props.job.now().at === "cancelling";
  return (
    <div class="working">
      <div class="working-tag">{props.drawing}</div>
      <div class="working-words">
        <Line job={props.job} kind={props.kind} />
        <p class="soft small">{t("job.hold")}</p>
        <Button wide busy={cancelling()} onClick={props.job.cancel}>
          {cancelling() && !isCommitting(props.job.now()) ? t("job.cancelling") : t("app.cancel")}
        </Button>
        {/* Comes later: below the button, which stays where it is. */}
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

/** What happens now; it moves at least once a second. */
function Line(props: { readonly job: TagJob; readonly kind: JobKind }): JSX.Element {
  const { t } = useI18n();
  const line = () => lineOf(props.job.now(), props.kind, t);
  const seconds = createSeconds(line);
  const note = () => {
    const job = begun(props.job.now());
    const active = job && activePhase(job.progress);
    // It is the person's turn: nothing runs, and nothing hurries them.
    if (job?.at === "choosing") return "";
    if (active?.retrying) return t("job.retrying");
    const { fraction } = active ?? {};
    if (fraction !== undefined && fraction < 1) return t("job.percent", Math.round(fraction * 100));
    return seconds() > 0 ? t("job.seconds", seconds()) : "";
  };
  return (
    <p class="working-line" aria-hidden="true">
      {line()} <span class="step-note">{note()}</span>
    </p>
  );
}

/** The steps, and a failure's code for support, on demand. */
export function Details(props: { readonly job: TagJob; readonly kind: JobKind }): JSX.Element {
  const { t } = useI18n();
  return (
    <details class="details">
      <summary>{t("job.details")}</summary>
      <Steps job={props.job} kind={props.kind} />
      <Show when={jobAt(props.job.now(), "failed")}>
        {(failed) => <SupportCode error={failed().error} />}
      </Show>
    </details>
  );
}

/** The steps, with seconds or per cent beside the running one: something moves at least once a second. */
function Steps(props: { readonly job: TagJob; readonly kind: JobKind }): JSX.Element {
  const { t } = useI18n();
  const phases = () => begun(props.job.now())?.progress.phases ?? [];
  const seconds = createSeconds(() => {
    const running = jobAt(props.job.now(), "connecting", "working");
    return running && activePhase(running.progress)?.phase;
  });
  const note = (item: PhaseProgress) => {
    if (item.state === "done" && item.duration !== undefined) return t("job.seconds", tenths(item.duration));
    if (item.state !== "active") return undefined;
    if (item.retrying) return t("job.retrying");
    if (item.fraction !== undefined && item.fraction < 1)
      return t("job.percent", Math.round(item.fraction * 100));
    return seconds() > 0 ? t("job.seconds", seconds()) : undefined;
  };
  const steps = (): Step[] =>
    phases().map((item) => ({
      id: item.phase,
      label: t(stepLabel(props.kind, item.phase)),
      state:
        item.state === "active" && item.phase === "proof" && promptOf(props.job.now())
          ? "asking"
          : item.state,
      note: note(item),
    }));
  return (
    <Stepper
      label={t("job.steps")}
      steps={steps()}
      stateNames={{
        waiting: t("stepState.waiting"),
        active: t("stepState.active"),
        asking: t("stepState.asking"),
        done: t("stepState.done"),
        failed: t("stepState.failed"),
      }}
    />
  );
}

/** Undefined at the beginning: a screen that is just leaving may still ask. */
const begun = (job: JobState) => (job.at === "ready" ? undefined : job);

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

/** Whole seconds since `of` last changed; stays at 0 while it is undefined. */
function createSeconds(of: Accessor<unknown>): Accessor<number> {
  const [seconds, setSeconds] = createSignal(0);
  createEffect(
    on(createMemo(of), (subject) => {
      setSeconds(0);
      if (subject === undefined) return;
      const timer = setInterval(() => setSeconds((count) => count + 1), 1000);
      onCleanup(() => clearInterval(timer));
    }),
  );
  return seconds;
}
