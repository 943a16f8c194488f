import { createEffect, createMemo, type JSX, Match, on, onCleanup, Show, Switch } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { OperationError, type TaglatchError } from "../sdk/errors.ts";
import { useAppState } from "../state/app-state.tsx";
import { createSeconds } from "../state/create-seconds.ts";
import type { TagJob } from "../state/create-tag-job.ts";
import type { JobKind } from "../state/job-progress.ts";
import { activePhase } from "../state/job-progress.ts";
import { isBusy } from "../state/tag-job.ts";
import { Battery } from "../ui/Battery.tsx";
import { Button } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";
import { Notice } from "../ui/Notice.tsx";
import { type Step, Stepper } from "../ui/Stepper.tsx";
import { ErrorPanel } from "./ErrorPanel.tsx";
import { Page } from "./Page.tsx";
import { ProofDialog } from "./ProofDialog.tsx";
import { stepLabel } from "./step-labels.ts";

export interface JobTexts {
  readonly readyTitle: string;
  readonly ready: string;
  readonly workingTitle: string;
  readonly doneTitle: string;
  readonly done: string;
  readonly pendingTitle: string;
  readonly pending: string;
}

export interface JobViewProps {
  readonly job: TagJob;
  readonly kind: JobKind;
  readonly texts: JobTexts;
  readonly back?: { readonly href: string; readonly label: string } | undefined;
  /** The tag as it is, or as it will be. */
  readonly drawing: JSX.Element;
  /** Where to go once it is done. */
  readonly after: JSX.Element;
}

/** One job at a tag from "choose" to "done": the same view for transfer and clear. */
export function JobView(props: JobViewProps): JSX.Element {
  const { t } = useI18n();
  const { jobStarted } = useAppState();
  const busy = () => isBusy(props.job.state());
  const settled = () => props.job.state() === "done" || props.job.state() === "pending";
  const title = () => titleOf(props.job.state(), props.texts, t("error.title"));

  createEffect(() => {
    if (busy()) onCleanup(jobStarted());
  });
  createEffect(on(props.job.state, announceEnd, { defer: true }));

  return (
    <Page
      title={title()}
      back={busy() || settled() ? undefined : props.back}
      working={busy()}
      mark={settled() ? <OutcomeMark pending={props.job.state() === "pending"} /> : undefined}
    >
      <Spoken job={props.job} kind={props.kind} title={title()} />
      <Switch>
        <Match when={props.job.state() === "ready"}>
          <p class="page-lead">{props.texts.ready}</p>
          <GivenUp job={props.job} />
          {props.drawing}
          <Button kind="primary" wide onClick={props.job.choose}>
            {t("job.choose")}
          </Button>
        </Match>
        <Match when={props.job.state() === "warned"}>
          <LowBattery job={props.job} />
        </Match>
        <Match when={props.job.state() === "done"}>
          <Outcome text={props.texts.done} drawing={props.drawing} after={props.after} />
        </Match>
        <Match when={props.job.state() === "pending"}>
          <Outcome text={props.texts.pending} drawing={props.drawing} after={props.after} />
        </Match>
        <Match when={props.job.state() === "failed" && props.job.error()}>
          {(error) => (
            <>
              <ErrorPanel
                error={error()}
                paper={props.kind === "transfer"}
                actions={
                  <Button kind="primary" onClick={props.job.choose}>
                    {t("app.again")}
                  </Button>
                }
              />
              <Steps job={props.job} kind={props.kind} />
            </>
          )}
        </Match>
        <Match when={busy()}>
          <Working job={props.job} kind={props.kind} drawing={props.drawing} />
        </Match>
      </Switch>
      <Show when={props.job.prompt()}>
        {(prompt) => (
          <ProofDialog prompt={prompt()} checking={props.job.checkingProof()} onAnswer={props.job.prove} />
        )}
      </Show>
    </Page>
  );
}

function titleOf(state: ReturnType<TagJob["state"]>, texts: JobTexts, failed: string): string {
  switch (state) {
    case "ready":
      return texts.readyTitle;
    case "done":
      return texts.doneTitle;
    case "pending":
      return texts.pendingTitle;
    case "failed":
      return failed;
    case "choosing":
    case "connecting":
    case "warned":
    case "working":
    case "proving":
    case "cancelling":
      return texts.workingTitle;
  }
}

/** The end can be felt without looking, and the reading position moves to the new heading. */
function announceEnd(state: ReturnType<TagJob["state"]>): void {
  if (state === "done" || state === "pending") navigator.vibrate?.([60, 60, 140]);
  if (state === "failed") navigator.vibrate?.([220]);
  if (!isBusy(state)) queueMicrotask(() => document.querySelector<HTMLElement>("main h1")?.focus());
}

/** What a screen reader hears: each step as it begins, then the outcome. */
function Spoken(props: {
  readonly job: TagJob;
  readonly kind: JobKind;
  readonly title: string;
}): JSX.Element {
  const { t } = useI18n();
  const words = createMemo(() => {
    if (props.job.state() === "choosing") return t("job.choosing");
    const phase = activePhase(props.job.progress())?.phase;
    if (isBusy(props.job.state())) return phase ? t(stepLabel(props.kind, phase)) : "";
    const error = props.job.state() === "failed" ? props.job.error() : undefined;
    return error ? `${t(`errors.${error.code}.what`)} ${t(`errors.${error.code}.next`)}` : props.title;
  });
  return (
    <p class="sr-only" role="status">
      {words()}
    </p>
  );
}

function Working(props: {
  readonly job: TagJob;
  readonly kind: JobKind;
  readonly drawing: JSX.Element;
}): JSX.Element {
  const { t } = useI18n();
  const cancelling = () => props.job.state() === "cancelling";
  return (
    <div class="working">
      <div class="working-tag">{props.drawing}</div>
      <div class="card">
        <div class="row row-spread working-device">
          <span>
            <Show when={props.job.tag()} fallback={t("job.choosing")}>
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

function Steps(props: { readonly job: TagJob; readonly kind: JobKind }): JSX.Element {
  const { t } = useI18n();
  const running = () => props.job.state() === "connecting" || props.job.state() === "working";
  const seconds = createSeconds(() => (running() ? activePhase(props.job.progress())?.phase : undefined));
  const note = (item: ReturnType<TagJob["progress"]>["phases"][number]) => {
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

const tenths = (milliseconds: number) => Math.round(milliseconds / 100) / 10;

function TagBattery(props: { readonly job: TagJob }): JSX.Element {
  const { t } = useI18n();
  const level = () => props.job.progress().device?.batteryLevel ?? props.job.tag()?.batteryLevel;
  return (
    <Show when={level() !== undefined ? { level: level() ?? 0 } : undefined}>
      {(known) => (
        <Battery level={known().level} low={known().level <= 20} label={t("job.battery", known().level)} />
      )}
    </Show>
  );
}

function LowBattery(props: { readonly job: TagJob }): JSX.Element {
  const { t } = useI18n();
  return (
    <Notice
      tone="warn"
      title={t("job.batteryLowTitle", props.job.tag()?.batteryLevel ?? 0)}
      actions={
        <>
          <Button kind="primary" onClick={props.job.accept}>
            {t("job.batteryGo")}
          </Button>
          <Button onClick={props.job.cancel}>{t("app.cancel")}</Button>
        </>
      }
    >
      <p>{t("job.batteryLow")}</p>
    </Notice>
  );
}

/** Stopping is not an error: one quiet line says where things stand. */
function GivenUp(props: { readonly job: TagJob }): JSX.Element {
  const { t } = useI18n();
  const settling = (error: TaglatchError) => error instanceof OperationError && error.settling;
  return (
    <Show when={props.job.error()}>
      {(error) => (
        <Notice title={settling(error()) ? t("job.settling") : t(`errors.${error().code}.what`)}>
          <p>{settling(error()) ? t("job.settlingNext") : t(`errors.${error().code}.next`)}</p>
        </Notice>
      )}
    </Show>
  );
}

/** The sign of an outcome: settled, or settled on the tag and still on its way to the airline. */
function OutcomeMark(props: { readonly pending: boolean }): JSX.Element {
  return (
    <span class="outcome-mark" data-tone={props.pending ? "plain" : "good"}>
      <Icon name={props.pending ? "clock" : "check"} />
    </span>
  );
}

interface OutcomeProps {
  readonly text: string;
  readonly drawing: JSX.Element;
  readonly after: JSX.Element;
}

function Outcome(props: OutcomeProps): JSX.Element {
  return (
    <div class="outcome">
      <p class="page-lead">{props.text}</p>
      {props.drawing}
      <div class="outcome-after">{props.after}</div>
    </div>
  );
}
