import { createEffect, createMemo, For, type JSX, Match, on, Show, Switch, untrack } from "solid-js";
import type { CustodyProofInput, RememberedTag, TaglatchError } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { Button, Icon, Notice } from "../ui/Controls.tsx";
import type { TagJob } from "./create-tag-job.ts";
import { CONFIRMING_AFTER_MS, createPhaseElapsed, Working } from "./JobWorking.tsx";
import { isReused, type JobTexts, lineOf, nextOfJob, titleOf } from "./job-words.ts";
import { actionOf } from "./Remedy.tsx";
import {
  hasBegun,
  isBusy,
  type JobKind,
  type JobState,
  jobAt,
  type ProofPrompt,
  promptOf,
} from "./tag-job.ts";
import "./job.css";

/** What every screen for a job at a tag is given. */
export interface JobProps {
  readonly job: TagJob;
  readonly kind: JobKind;
  readonly texts: JobTexts;
  /** The tag as it is, or as it will be. */
  readonly drawing: JSX.Element;
  /** Asks what to do with a tag that carries another bag. */
  readonly carrying?: (baggageId: number | undefined) => JSX.Element;
  /** Asks for the proof that opens a tag's lock; absent where nothing is proved by hand. */
  readonly proof?: (asked: Asked) => JSX.Element;
  /** Where to go once it is done. */
  readonly after: JSX.Element;
}

/** A custody proof that is asked for. */
export interface Asked {
  readonly prompt: ProofPrompt;
  /** Sent, and not answered by the service yet. */
  readonly checking: boolean;
  readonly onAnswer: (input: CustodyProofInput | null) => void;
}

type JobStage = ReturnType<typeof createJobStage>;

/** A screen of its own, though the job goes on. */
const ASKING: readonly JobState["at"][] = ["warned", "carrying"];

/** How far a job has come, for the frame around {@link JobBody}. */
export function createJobStage(props: JobProps) {
  const { t } = useI18n();
  const at = createMemo(() => props.job.now().at);
  const busy = createMemo(() => isBusy(props.job.now()));
  const settled = () => at() === "done" || at() === "pending";
  const screen = createMemo(() => (busy() && !ASKING.includes(at()) ? "working" : at()));
  // The pressed button has gone with its screen: reading and tabbing continue at the new heading.
  createEffect(
    on(screen, () => queueMicrotask(() => document.querySelector<HTMLElement>("main h1")?.focus()), {
      defer: true,
    }),
  );
  const hasFailed = () => at() === "failed" || jobAt(props.job.now(), "ready")?.listClosed === true;
  const failures = createMemo<number>((count) => (at() && untrack(hasFailed) ? count + 1 : count), 0);
  return {
    at,
    busy,
    /** Whether the tag shows what it should, whether or not the service knows. */
    settled,
    /** Offers the paper tag: a write has failed twice, counting closed lists, or trying again is pointless. */
    paper: () => {
      const error = jobAt(props.job.now(), "failed")?.error;
      const isPointless = error !== undefined && actionOf(error) === "leave";
      return props.kind === "transfer" && (isPointless || failures() > 1);
    },
    title: () => titleOf(props.job.now(), props.texts, t),
    /** Shown above the title of an outcome. */
    mark: () => (settled() ? <OutcomeMark pending={at() === "pending"} /> : undefined),
  };
}

interface JobBodyProps extends Pick<JobProps, "job" | "kind" | "texts" | "drawing" | "carrying" | "proof"> {
  readonly stage: JobStage;
  /** Before it has begun. */
  readonly ready: JSX.Element;
  /** Once it is done. */
  readonly outcome: JSX.Element;
  /** Once it has failed. `known`: the remembered tag it was for. */
  readonly failed: (error: TaglatchError, known: RememberedTag | undefined) => JSX.Element;
}

/** One job at a tag from "choose" to "done". */
export function JobBody(props: JobBodyProps): JSX.Element {
  const now = () => props.job.now();
  return (
    <>
      <JobAnnouncement job={props.job} kind={props.kind} title={props.stage.title()} texts={props.texts} />
      <Switch>
        <Match when={props.stage.at() === "ready"}>{props.ready}</Match>
        <Match when={props.stage.at() === "warned"}>
          <LowBattery job={props.job} />
        </Match>
        <Match when={jobAt(now(), "carrying")}>{(asked) => props.carrying?.(asked().baggageId)}</Match>
        <Match when={props.stage.settled()}>{props.outcome}</Match>
        <Match when={jobAt(now(), "failed")}>
          {(failed) => props.failed(failed().error, failed().known)}
        </Match>
        <Match when={props.stage.busy()}>
          <Working job={props.job} kind={props.kind} drawing={props.drawing} />
        </Match>
      </Switch>
      <Show when={promptOf(now())}>
        {(prompt) =>
          props.proof?.({
            get prompt() {
              return prompt();
            },
            get checking() {
              return props.stage.at() === "working";
            },
            onAnswer: props.job.prove,
          })
        }
      </Show>
    </>
  );
}

/** What a screen reader announces: the line that is shown, as it changes, then the outcome. */
export function JobAnnouncement(props: {
  readonly job: TagJob;
  readonly kind: JobKind;
  readonly title: string;
  readonly texts: JobTexts;
}): JSX.Element {
  const { t } = useI18n();
  const elapsed = createPhaseElapsed(props.job);
  const words = createMemo<JSX.Element>((before) => {
    const job = props.job.now();
    if (job.at === "failed" && job.known && job.error.code === "out_of_reach")
      return [props.title, ". ", t("passenger.remembered.awayNext")];
    if (isReused(job)) return [props.title, ". ", nextOfJob(job, t, props.texts)];
    if (job.at === "failed") return [t(`errors.${job.error.code}.what`), " ", nextOfJob(job, t, props.texts)];
    if (job.at === "ready" || job.at === "warned" || job.at === "carrying" || !isBusy(job))
      return props.title;
    const line = lineOf(job, props.kind, t);
    if (!hasBegun(job, "attach")) return line;
    // What is over within a moment is not spoken.
    return elapsed() < CONFIRMING_AFTER_MS ? before : [line, " ", t("doing.attach")];
  });
  return (
    <p class="sr-only" role="status">
      {words()}
    </p>
  );
}

/** Shown before a write, never in the middle of one. */
export function LowBattery(props: { readonly job: TagJob }): JSX.Element {
  const { t } = useI18n();
  return (
    <Notice
      tone="warn"
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

/** Stopping is not an error: one quiet line says what the state is. */
export function CancelledNotice(props: { readonly job: TagJob; readonly texts: JobTexts }): JSX.Element {
  const { t } = useI18n();
  const ready = () => jobAt(props.job.now(), "ready");
  return (
    <Show when={ready()?.error}>
      {(error) => (
        <Notice title={t(`errors.${error().code}.what`)}>
          <p>
            {t(`errors.${error().code}.next`)} {props.texts.still?.(ready()?.tag)}
          </p>
        </Notice>
      )}
    </Show>
  );
}

/** The sign of an outcome: complete, or complete on the tag with the report to the airline still waiting. */
export function OutcomeMark(props: { readonly pending: boolean }): JSX.Element {
  return (
    <span class="outcome-mark" data-tone={props.pending ? "plain" : "good"}>
      <Icon name={props.pending ? "clock" : "check"} />
    </span>
  );
}

/** More would be a list, and the browser has one. */
const AT_MOST = 2;

/** How to reach the tag: a remembered one by one tap, any other by the browser's list. */
export function Choices(props: {
  readonly job: TagJob;
  readonly kind: "transfer" | "clear";
  /** The tag's name, if it can only be one. */
  readonly name: string | undefined;
  /** Something else is to be done first. */
  readonly isSecond: boolean;
}): JSX.Element {
  const { t } = useI18n();
  const known = () => props.job.remembered().slice(0, AT_MOST);
  const kind = () => (props.isSecond ? "secondary" : "primary");
  /** The tap begins the job: the button says which. */
  const words = (tag: string) => t(props.kind === "clear" ? "clear.titleOf" : "bag.putOn", tag);
  return (
    <>
      <For each={known()}>
        {(tag) => (
          <Button kind={kind()} wide onClick={() => props.job.connectTo(tag)}>
            {words(tag.name)}
          </Button>
        )}
      </For>
      <Show
        when={known().length > 0}
        fallback={
          <Button kind={kind()} wide onClick={props.job.choose}>
            {props.name ? words(props.name) : t("job.choose")}
          </Button>
        }
      >
        <Button wide onClick={props.job.choose}>
          {t("passenger.remembered.other")}
        </Button>
      </Show>
    </>
  );
}

/** The remembered tag did not answer: try again, or use the list. */
export function OutOfReach(props: {
  readonly job: TagJob;
  readonly tag: RememberedTag;
  readonly paper: boolean;
}): JSX.Element {
  const { t } = useI18n();
  return (
    <Notice
      tone="bad"
      actions={
        <>
          <Button kind="primary" onClick={() => props.job.connectTo(props.tag)}>
            {t("app.again")}
          </Button>
          <Button onClick={props.job.choose}>{t("passenger.remembered.other")}</Button>
        </>
      }
    >
      <p>{t("passenger.remembered.awayNext")}</p>
      <Show when={props.paper}>
        <p class="error-paper">{t("error.paper")}</p>
      </Show>
    </Notice>
  );
}
