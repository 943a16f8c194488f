import { createMemo, For, type JSX, Show } from "solid-js";
import type { RememberedTag } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { Button } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";
import { Notice } from "../ui/Notice.tsx";
import type { TagJob } from "./create-tag-job.ts";
import { CONFIRMING_AFTER_MS, createPhaseElapsed } from "./JobWorking.tsx";
import type { JobKind } from "./job-progress.ts";
import { isReused, type JobTexts, lineOf, nextOfJob } from "./job-words.ts";
import { hasBegun, isBusy, jobAt } from "./tag-job.ts";
import "./job.css";

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

interface OutcomeProps {
  readonly text: JSX.Element;
  readonly drawing: JSX.Element;
  readonly after: JSX.Element;
}

export function Outcome(props: OutcomeProps): JSX.Element {
  return (
    <div class="outcome">
      <p class="page-lead">{props.text}</p>
      {props.drawing}
      <div class="outcome-after">{props.after}</div>
    </div>
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
