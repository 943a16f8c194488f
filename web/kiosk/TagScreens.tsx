import { batch, createEffect, createMemo, type JSX, onCleanup, onMount, Show } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import { type Journey, mayUnlock, type TaglatchError, type TaglatchErrorCode } from "../../sdk/index.ts";
import { type I18n, useI18n } from "../i18n/index.tsx";
import {
  BagRun,
  NextBag as NextOfBooking,
  nextOf,
  OlderTags,
  OtherBag,
  otherBagTitle,
  type Turn,
} from "../job/BagRun.tsx";
import { createClearJob, createTransferJob, type TagJob, tagAt } from "../job/create-tag-job.ts";
import { ErrorPanel } from "../job/ErrorPanel.tsx";
import { CancelledNotice, createJobStage, JobBody, type JobProps } from "../job/JobBody.tsx";
import { Details, JobDrawing } from "../job/JobWorking.tsx";
import { type JobTexts, nextOfJob, stillOn } from "../job/job-words.ts";
import { destinationOf, previewOf, shownCity } from "../job/journey-view.ts";
import { ProofDialog } from "../job/ProofDialog.tsx";
import { actionOf, Remedy } from "../job/Remedy.tsx";
import { type JobState, jobAt, promptOf } from "../job/tag-job.ts";
import type { Bag } from "../state/bags.ts";
import { Button, Icon } from "../ui/Controls.tsx";
import { Keyboard } from "./Keyboard.tsx";
import { useKiosk } from "./kiosk-state.tsx";
import { FinishButton, Screen, ToJourney } from "./Screen.tsx";
import { proofOf, proofOfPass } from "./scans.ts";
import type { Visit } from "./visit.ts";

/** Puts the chosen bag on a tag. */
export function WriteScreen(): JSX.Element {
  const { t, locale } = useI18n();
  const { load, visit, outbox, takeChosenTag } = useKiosk();
  // These stay as they were when the job began. The frame shows this screen only with both.
  const journey = visit.journey() as Journey;
  const bag = visit.bag() as Bag;
  const face = previewOf(journey, bag);
  const shown = shownCity(journey);
  // Skip companions without a bag to write.
  const booking = () => visit.booking().filter(({ baggage }) => baggage.length > 0);

  const { tries, markAttached } = visit;
  const job = createTransferJob({ load, outbox, journey, booking, bag, tries, onWritten: markAttached });
  // One touch, or one scan of a bag label, leads from the bag to the chooser.
  onMount(() => {
    const chosenTag = takeChosenTag();
    if (chosenTag) job.connectTo(chosenTag);
    else if (navigator.userActivation?.isActive) job.choose();
  });

  return (
    <JobScreen
      job={job}
      kind="transfer"
      texts={{
        ...textsOf(t, shown, () => nextBagOf(visit) === undefined),
        carryingTitle: (baggageId) => otherBagTitle(t, visit.booking(), baggageId),
        still: stillOn(t, () => visit.bag() ?? bag),
      }}
      run={<BagRun journeys={booking()} bag={bag} job={job} />}
      airport={face.segments?.at(-1)?.airport ?? ""}
      drawing={
        <JobDrawing
          job={job}
          before={face}
          after={face}
          label={t("bag.drawing", destinationOf(journey, locale()), bag.licencePlate)}
        />
      }
      carrying={(baggageId) => (
        <OtherBag job={job} booking={visit.booking()} bag={bag} baggageId={baggageId} />
      )}
      after={<Next />}
      back={<ToJourney />}
    />
  );
}

/** After the last bag they also say where to go with them. */
function textsOf(t: I18n["t"], destination: string, isLast: () => boolean): Omit<JobTexts, "carryingTitle"> {
  const last = (words: string) => (isLast() ? `${words} ${t("kiosk.job.drop")}` : words);
  return {
    readyTitle: t("job.readyTitle"),
    ready: t("kiosk.job.ready"),
    workingTitle: t("job.transferTitle"),
    doneTitle: t("kiosk.job.doneTitle"),
    get done() {
      return last(t("kiosk.job.done", destination));
    },
    pendingTitle: t("job.pendingTitle"),
    get pending() {
      return last(t("kiosk.job.pending"));
    },
  };
}

/** The next bag, else the end. A tag on which the bag was before is to be cleared. */
function Next(): JSX.Element {
  const { t } = useI18n();
  const { visit, clear } = useKiosk();
  const clearing = (tag: string) => (
    <Button onClick={() => clear(tag)}>{t("clear.titleOf", tagName(tag))}</Button>
  );
  return (
    <>
      <Show when={visit.bag()}>{(bag) => <OlderTags bag={bag()} clear={clearing} />}</Show>
      <NextBag />
      {/* Before the last bag, the bar's own button is enough. */}
      <Show when={!nextBagOf(visit)}>
        <FinishButton kind="primary" />
      </Show>
      <ToJourney />
    </>
  );
}

/** The first bag of the booking without a tag. */
const nextBagOf = (visit: Visit) => nextOf(visit.booking());

/** On to the next bag of the booking. */
function NextBag(): JSX.Element {
  const { visit, send } = useKiosk();
  const put = ({ journey, bag }: Turn) =>
    batch(() => {
      if (journey.journeyId !== visit.journey()?.journeyId) visit.show(journey);
      visit.choose(bag.baggageId);
      send("put");
    });
  return <NextOfBooking booking={visit.booking()} onNext={put} />;
}

/** Empties a tag and opens its lock. */
export function ClearScreen(): JSX.Element {
  const { t } = useI18n();
  const { load, visit, outbox, clearing, clear, takeChosenTag } = useKiosk();
  const { journey: booking, markCleared: onCleared } = visit;
  const job = createClearJob({ load, outbox, booking, only: clearing, onCleared });
  onMount(() => {
    const chosenTag = takeChosenTag();
    if (chosenTag) job.connectTo(chosenTag);
  });
  // A person who takes a bag's tag off has other plans for that bag than the next tag.
  const idOfNext = () => nextBagOf(visit)?.bag.baggageId;
  const before = idOfNext();
  const goesOn = () => before !== undefined && idOfNext() === before;
  const another = () => {
    clear();
    job.reset();
  };
  return (
    <JobScreen
      job={job}
      kind="clear"
      texts={{
        get readyTitle() {
          const tag = clearing();
          return tag ? t("clear.titleOf", tagName(tag)) : t("start.clearAction");
        },
        get ready() {
          // The lock of a named tag is known.
          return clearing()
            ? t("kiosk.job.clearLead")
            : `${t("kiosk.job.clearLead")} ${t("kiosk.job.clearLocked")}`;
        },
        workingTitle: t("clear.workingTitle"),
        doneTitle: t("kiosk.job.clearedTitle"),
        get done() {
          return `${t("clear.done", tagAt(job) ?? "")} ${t("kiosk.job.clearedBooking")}`;
        },
        pendingTitle: t("clear.pendingTitle"),
        pending: t("kiosk.job.clearedPending"),
      }}
      drawing={<JobDrawing job={job} before={undefined} after={undefined} label={t("bag.blankDrawing")} />}
      after={
        <>
          <Show when={goesOn()}>
            <NextBag />
          </Show>
          <Button wide onClick={another}>
            {t("kiosk.job.another")}
          </Button>
          <ToJourney kind={goesOn() ? "quiet" : "primary"} />
          <FinishButton kind={visit.journey() ? "secondary" : "primary"} />
        </>
      }
      back={<ToJourney />}
    />
  );
}

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
function JobScreen(props: JobScreenProps): JSX.Element {
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
