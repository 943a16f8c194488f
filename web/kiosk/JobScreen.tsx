import { createEffect, createMemo, type JSX, onCleanup, Show } from "solid-js";
import { mayUnlock, type TaglatchError, type TaglatchErrorCode } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { type TagJob, tagAt } from "../job/create-tag-job.ts";
import { ErrorPanel } from "../job/ErrorPanel.tsx";
import { createJobStage, JobBody, type JobProps } from "../job/JobBody.tsx";
import { CancelledNotice } from "../job/JobParts.tsx";
import { Details } from "../job/JobWorking.tsx";
import { nextOfJob } from "../job/job-words.ts";
import { ProofDialog } from "../job/ProofDialog.tsx";
import { actionOf, Remedy } from "../job/Remedy.tsx";
import { type JobState, jobAt, promptOf } from "../job/tag-job.ts";
import { Button } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";
import { Keyboard } from "./Keyboard.tsx";
import { useKiosk } from "./kiosk-state.tsx";
import { Screen } from "./Screen.tsx";
import { proofOf, proofOfPass } from "./scans.ts";

interface JobScreenProps extends JobProps {
  /** Which bag this is, and on which tag, at every step. */
  readonly run?: JSX.Element;
  /** Where the bag goes: read from afar once it is done. */
  readonly airport?: string;
  /** Where to go before the job has begun. */
  readonly back: JSX.Element;
}

/**
 * While the radio is in use, nothing is cleared from the screen. Each of these states ends by itself within
 * seconds.
 */
const WRITING: readonly JobState["at"][] = ["connecting", "working", "cancelling"];
/** Another journey's lock is in the way: staff may open it. */
const LOCKED: readonly TaglatchErrorCode[] = [
  "custody_proof_required",
  "custody_proof_needed",
  "custody_proof_cancelled",
  "custody_proof_attempts_exceeded",
  "device_locked",
  "device_lost",
  "not_lock_holder",
];

/** A job at a tag with staff nearby: the same screen for transfer and clear. */
export function JobScreen(props: JobScreenProps): JSX.Element {
  const { t } = useI18n();
  const { hold, scans, visit } = useKiosk();
  const stage = createJobStage(props);
  const isWriting = createMemo(() => WRITING.includes(stage.at()));
  const isAsking = createMemo(() => promptOf(props.job.now()) !== undefined);
  createEffect(() => {
    if (isWriting()) onCleanup(hold());
  });
  // The proof may come by hand, by the boarding pass of the journey on the tag, or by staff opening the lock.
  createEffect(() => {
    if (isAsking()) onCleanup(scans.divert((scanData) => props.job.prove(proofOfPass(scanData))));
  });
  // Staff are holder for a while only: then the tag demands a proof, and the open booking gives it.
  createEffect(() => {
    const prompt = promptOf(props.job.now());
    const own = proofOf(visit.journey());
    if (!own || prompt?.attempt !== 1 || visit.tries.has(prompt.uniqueDeviceId)) return;
    if (mayUnlock(prompt.hints, own)) props.job.prove(own);
  });
  return (
    <Screen title={stage.title()} centred={stage.settled()}>
      {props.run}
      <JobBody
        {...props}
        stage={stage}
        ready={<Ready {...props} />}
        outcome={
          <div class="kiosk-job" data-settled="">
            <DistantOutcome
              {...(props.airport && { airport: props.airport })}
              tag={tagAt(props.job)}
              pending={stage.at() === "pending"}
            />
            <div class="kiosk-job-words">
              <p class="page-lead">{stage.at() === "done" ? props.texts.done : props.texts.pending}</p>
              {props.after}
            </div>
          </div>
        }
        failed={(error) => <Failed {...props} error={error} paper={stage.paper()} />}
        proof={(asked) => (
          <ProofDialog
            asked={asked}
            autofill={false}
            note={t("kiosk.job.proofAfterLast")}
            another={props.kind === "transfer" ? props.job.choose : undefined}
            others={<OtherProofs job={props.job} />}
          />
        )}
      />
    </Screen>
  );
}

function Ready(props: JobScreenProps): JSX.Element {
  const { t } = useI18n();
  return (
    <div class="kiosk-job">
      <div class="kiosk-job-tag">{props.drawing}</div>
      <div class="kiosk-job-words">
        <p class="page-lead">{props.texts.ready}</p>
        <CancelledNotice job={props.job} texts={props.texts} />
        <Button kind="primary" wide onClick={props.job.choose}>
          {t("kiosk.release.choose")}
        </Button>
        <LockInTheWay job={props.job} />
        {props.back}
      </div>
    </div>
  );
}

interface FailedProps extends JobScreenProps {
  readonly error: TaglatchError;
  readonly paper: boolean;
}

function Failed(props: FailedProps): JSX.Element {
  const { t } = useI18n();
  const { visit, send, home } = useKiosk();
  const toJourney = () => visit.journey() && { label: t("kiosk.job.toJourney"), act: () => send("journey") };
  return (
    <div class="kiosk-job" data-failed="">
      <div class="kiosk-job-words">
        <ErrorPanel
          error={props.error}
          headed
          next={nextOfJob(props.job.now(), t, props.texts)}
          paper={props.paper}
          compact
        />
        {/* A session that is over is noticed at the visit's end. */}
        <Remedy
          error={props.error}
          again={props.job.choose}
          another={props.job.choose}
          // By its pass or by hand, both from the first screen.
          renew={{ label: t("start.find"), act: home }}
          reload={() => {
            home();
            location.reload();
          }}
          journey={toJourney()}
          leave={{ label: t("job.toStart"), act: home }}
          wide
        />
        <LockInTheWay job={props.job} />
        <Show when={actionOf(props.error) !== "journey"}>{props.back}</Show>
      </div>
      <Details job={props.job} kind={props.kind} />
    </div>
  );
}

/** Staff's way out if another journey's lock stopped the job. */
function LockInTheWay(props: { readonly job: TagJob }): JSX.Element {
  const isLocked = () => {
    const code = jobAt(props.job.now(), "ready", "failed")?.error?.code;
    return code !== undefined && LOCKED.includes(code);
  };
  return (
    <Show when={isLocked()}>
      <OpenLock job={props.job} />
    </Show>
  );
}

function OtherProofs(props: { readonly job: TagJob }): JSX.Element {
  const { t } = useI18n();
  return (
    <div class="keyboard-side">
      <div class="kiosk-choices">
        <p class="soft">
          {t("kiosk.find.accents")} {t("kiosk.job.proofScan")}
        </p>
        <OpenLock job={props.job} />
      </div>
      <Keyboard />
    </div>
  );
}

function OpenLock(props: { readonly job: TagJob }): JSX.Element {
  const { t } = useI18n();
  const { release } = useKiosk();
  return (
    <Button wide icon="lock" onClick={() => release(props.job.now().tag)}>
      {t("kiosk.job.proofRelease")}
    </Button>
  );
}

/**
 * Success, readable from five metres: a tick and where the bag goes, 22 % of the screen's shorter side, and the tag's name,
 * 12.5 %. On an upright screen of 27 inches its capitals are 30 mm high; ISO 9241-303 wants 29 mm there (20 minutes of arc). The
 * sentences beside it say the same to a screen reader.
 */
function DistantOutcome(props: {
  readonly airport?: string;
  readonly tag: string | undefined;
  /** The service has not confirmed it yet. */
  readonly pending: boolean;
}): JSX.Element {
  return (
    <div class="kiosk-distant" data-tone={props.pending ? "plain" : "good"} aria-hidden="true">
      <p class="kiosk-distant-place" dir="ltr">
        <Icon name={props.pending ? "clock" : "check"} class="kiosk-distant-tick" />
        <Show when={props.airport}>{(airport) => <span>{airport()}</span>}</Show>
      </p>
      <Show when={props.tag}>
        {(tag) => (
          <p class="kiosk-distant-tag" dir="ltr">
            {tag()}
          </p>
        )}
      </Show>
    </div>
  );
}
