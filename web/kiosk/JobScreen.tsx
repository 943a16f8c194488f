import { createEffect, createMemo, type JSX, Match, on, onCleanup, Show, Switch } from "solid-js";
import type { TaglatchErrorCode } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import type { TagJob } from "../job/create-tag-job.ts";
import { ErrorPanel } from "../job/ErrorPanel.tsx";
import { GivenUp, LowBattery, OutcomeMark, Spoken } from "../job/JobParts.tsx";
import { Steps, Working } from "../job/JobWorking.tsx";
import type { JobKind } from "../job/job-progress.ts";
import { type JobTexts, titleOf } from "../job/job-title.ts";
import { ProofDialog } from "../job/ProofDialog.tsx";
import { isBusy, type JobState } from "../job/tag-job.ts";
import { Button } from "../ui/Button.tsx";
import { useKiosk } from "./kiosk-state.tsx";
import { proofOfPass } from "./proof-of-pass.ts";
import { Screen } from "./Screen.tsx";

export interface JobScreenProps {
  readonly job: TagJob;
  readonly kind: JobKind;
  readonly texts: JobTexts;
  readonly drawing: JSX.Element;
  /** What comes next once it is done. */
  readonly after: JSX.Element;
  /** Where to go before it has begun. */
  readonly back: JSX.Element;
}

/** While the radio speaks nothing is cleared from the screen. Each of these ends by itself within seconds. */
const WRITING: readonly JobState[] = ["connecting", "working", "cancelling"];
/** Somebody else's lock is in the way: staff may open it. */
const LOCKED: readonly TaglatchErrorCode[] = [
  "custody_proof_required",
  "custody_proof_needed",
  "custody_proof_cancelled",
  "custody_proof_attempts_exceeded",
  "device_locked",
  "device_lost",
  "not_lock_holder",
];

/** One job at one tag, transfer or clear, from "choose" to "done". */
export function JobScreen(props: JobScreenProps): JSX.Element {
  const { t } = useI18n();
  const { hold } = useKiosk();
  const state = () => props.job.state();
  const settled = () => state() === "done" || state() === "pending";
  const isWriting = createMemo(() => WRITING.includes(state()));
  const view = createMemo(() => (isBusy(state()) && state() !== "warned" ? "working" : state()));
  const title = () => titleOf(state(), props.texts, t("error.title"));

  createEffect(() => {
    if (isWriting()) onCleanup(hold());
  });
  // The button that was pressed is gone with what it began: reading and tabbing go on at the heading.
  createEffect(
    on(view, () => queueMicrotask(() => document.querySelector<HTMLElement>("main h1")?.focus()), {
      defer: true,
    }),
  );

  return (
    <Screen
      title={title()}
      centred={settled()}
      mark={settled() ? <OutcomeMark pending={state() === "pending"} /> : undefined}
    >
      <Spoken job={props.job} kind={props.kind} title={title()} />
      <Switch>
        <Match when={state() === "warned"}>
          <LowBattery job={props.job} />
        </Match>
        <Match when={settled()}>
          <div class="kiosk-job" data-settled="">
            <div class="kiosk-job-tag">{props.drawing}</div>
            <div class="kiosk-job-words">
              <p class="page-lead">{state() === "done" ? props.texts.done : props.texts.pending}</p>
              {props.after}
            </div>
          </div>
        </Match>
        <Match when={state() === "failed"}>
          <Failed job={props.job} kind={props.kind} back={props.back} />
        </Match>
        <Match when={view() === "working"}>
          <Working job={props.job} kind={props.kind} drawing={props.drawing} />
        </Match>
        <Match when={state() === "ready"}>
          <div class="kiosk-job">
            <div class="kiosk-job-tag">{props.drawing}</div>
            <div class="kiosk-job-words">
              <p class="page-lead">{props.texts.ready}</p>
              <GivenUp job={props.job} />
              <Button kind="primary" wide onClick={props.job.choose}>
                {t("kiosk.release.choose")}
              </Button>
              <OpenLock job={props.job} />
              {props.back}
            </div>
          </div>
        </Match>
      </Switch>
      <Proof job={props.job} />
    </Screen>
  );
}

function Failed(props: {
  readonly job: TagJob;
  readonly kind: JobKind;
  readonly back: JSX.Element;
}): JSX.Element {
  const { t } = useI18n();
  return (
    <div class="kiosk-job" data-failed="">
      <Show when={props.job.error()}>
        {(error) => (
          <div class="kiosk-job-words">
            <ErrorPanel error={error()} paper={props.kind === "transfer"} />
            <Button kind="primary" wide onClick={props.job.choose}>
              {t("app.again")}
            </Button>
            <OpenLock job={props.job} />
            {props.back}
          </div>
        )}
      </Show>
      <div class="card">
        <Steps job={props.job} kind={props.kind} />
      </div>
    </div>
  );
}

/** The way of staff, where a lock of somebody else's stopped the job. */
function OpenLock(props: { readonly job: TagJob }): JSX.Element {
  const { t } = useI18n();
  const { release } = useKiosk();
  const isLocked = () => {
    const code = props.job.error()?.code;
    return code !== undefined && LOCKED.includes(code);
  };
  return (
    <Show when={isLocked()}>
      <Button wide icon="lock" onClick={() => release(props.job.tag())}>
        {t("kiosk.job.proofRelease")}
      </Button>
    </Show>
  );
}

/** The proof by hand, by the boarding pass of the journey on the tag, or by staff opening the lock. */
function Proof(props: { readonly job: TagJob }): JSX.Element {
  const { t } = useI18n();
  const { release, scans } = useKiosk();
  createEffect(() => {
    if (!props.job.prompt()) return;
    onCleanup(scans.divert((scanData) => props.job.prove(proofOfPass(scanData))));
  });
  return (
    <Show when={props.job.prompt()}>
      {(prompt) => (
        <ProofDialog
          prompt={prompt()}
          checking={props.job.checkingProof()}
          onAnswer={props.job.prove}
          autofill={false}
          others={
            <div class="kiosk-choices">
              <p class="soft">{t("kiosk.job.proofScan")}</p>
              <Button wide icon="lock" onClick={() => release(props.job.tag())}>
                {t("kiosk.job.proofRelease")}
              </Button>
            </div>
          }
        />
      )}
    </Show>
  );
}
