import { type JSX, Show } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { Battery } from "../ui/Battery.tsx";
import { Button } from "../ui/Button.tsx";
import { type Step, Stepper } from "../ui/Stepper.tsx";
import { createSeconds } from "./create-seconds.ts";
import { LOW_BATTERY, type TagJob } from "./create-tag-job.ts";
import { activePhase, type JobKind, type PhaseProgress } from "./job-progress.ts";
import { stepLabel } from "./step-labels.ts";

/** The job on its way: tag, battery, steps, and a cancel that is always there. */
export function Working(props: {
  readonly job: TagJob;
  readonly kind: JobKind;
  readonly drawing: JSX.Element;
}): JSX.Element {
  const { t } = useI18n();
  const lookingFor = () => {
    const tag = props.job.looking();
    return tag ? t("passenger.remembered.looking", tag.name) : t("job.choosing");
  };
  const cancelling = () => props.job.state() === "cancelling";
  return (
    <div class="working">
      <div class="working-tag">{props.drawing}</div>
      <div class="card">
        <div class="row row-spread working-device">
          <span>
            <Show when={props.job.tag()} fallback={lookingFor()}>
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

/** The steps, with seconds or per cent beside the one that runs: something moves at least once a second. */
export function Steps(props: { readonly job: TagJob; readonly kind: JobKind }): JSX.Element {
  const { t } = useI18n();
  const running = () => props.job.state() === "connecting" || props.job.state() === "working";
  const seconds = createSeconds(() => (running() ? activePhase(props.job.progress())?.phase : undefined));
  const note = (item: PhaseProgress) => {
    if (item.state === "done" && item.duration !== undefined) return t("job.seconds", tenths(item.duration));
    if (item.state !== "active") return undefined;
    if (item.retrying) return t("job.retrying");
    if (item.fraction !== undefined && item.fraction < 1)
      return t("job.percent", Math.round(item.fraction * 100));
    return seconds() > 0 ? t("job.seconds", seconds()) : undefined;
  };
  const steps = (): Step[] =>
    props.job.progress().phases.map((item) => ({
      id: item.phase,
      label: t(stepLabel(props.kind, item.phase)),
      state: item.state === "active" && props.job.prompt() && item.phase === "proof" ? "asking" : item.state,
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

const tenths = (milliseconds: number) => Math.max(1, Math.round(milliseconds / 100)) / 10;

function TagBattery(props: { readonly job: TagJob }): JSX.Element {
  const { t } = useI18n();
  const level = () => props.job.progress().device?.batteryLevel ?? props.job.tag()?.batteryLevel;
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
