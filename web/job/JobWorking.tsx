import { type JSX, Show } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { Battery } from "../ui/Battery.tsx";
import { Button } from "../ui/Button.tsx";
import { type Step, Stepper } from "../ui/Stepper.tsx";
import { createSeconds } from "./create-seconds.ts";
import type { TagJob } from "./create-tag-job.ts";
import { activePhase, type JobKind, type PhaseProgress } from "./job-progress.ts";
import { LOW_BATTERY } from "./run-tag-job.ts";
import { stepLabel } from "./step-labels.ts";
import { type JobState, jobAt, promptOf } from "./tag-job.ts";

/** The job while it runs: tag, battery, steps, and a cancel that is always there. */
export function Working(props: {
  readonly job: TagJob;
  readonly kind: JobKind;
  readonly drawing: JSX.Element;
}): JSX.Element {
  const { t } = useI18n();
  const job = () => begun(props.job.now());
  const lookingFor = () => {
    const known = job()?.known;
    return known ? t("passenger.remembered.looking", known.name) : t("job.choosing");
  };
  const cancelling = () => job()?.at === "cancelling";
  return (
    <div class="working">
      <div class="working-tag">{props.drawing}</div>
      <div class="card">
        <div class="row row-spread working-device">
          <span>
            <Show when={job()?.tag} fallback={lookingFor()}>
              {(tag) => t("job.device", tag().name)}
            </Show>
          </span>
          <TagBattery job={props.job} />
        </div>
        <Steps job={props.job} kind={props.kind} />
        <Button wide busy={cancelling()} onClick={props.job.cancel}>
          {cancelling() ? t("job.cancelling") : t("app.cancel")}
        </Button>
      </div>
      <p class="soft small working-hold">{t("job.hold")}</p>
    </div>
  );
}

/** The steps, with seconds or per cent beside the running one: something moves at least once a second. */
export function Steps(props: { readonly job: TagJob; readonly kind: JobKind }): JSX.Element {
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
