import { createEffect, createMemo, type JSX, on, onCleanup, Show } from "solid-js";
import type { PickedTag, TaglatchError } from "../../sdk/index.ts";
import { useI18n, Words } from "../i18n/index.tsx";
import { ChooserAdvice } from "../job/ChooserAdvice.tsx";
import { retry } from "../job/create-tag-job.ts";
import { ErrorPanel } from "../job/ErrorPanel.tsx";
import type { GuidedJob } from "../job/guide-chooser.ts";
import {
  CancelledNotice,
  Choices,
  createJobStage,
  JobBody,
  type JobProps,
  OutOfReach,
} from "../job/JobBody.tsx";
import { Details } from "../job/JobWorking.tsx";
import { nextOfJob } from "../job/job-words.ts";
import { Remedy } from "../job/Remedy.tsx";
import { type JobState, jobAt } from "../job/tag-job.ts";
import { useAppState } from "../state/app-state.tsx";
import { cannotReachTags, createOnline } from "../state/browser.ts";
import type { KnownTag } from "../state/cached-journey.ts";
import { ButtonLink, Notice } from "../ui/Controls.tsx";
import { ConfirmNow } from "./OutboxNotice.tsx";
import { MissingBluetooth, Page } from "./Page.tsx";
import { ClearLink } from "./TagLinks.tsx";

interface JobViewProps extends JobProps {
  readonly job: GuidedJob;
  /** The tag's name, if it can only be one. */
  readonly tagName?: string | undefined;
  /** The last digits of the number that the tag should show. */
  readonly plateEnd?: string | undefined;
  /** What would be lost, shown before the job begins. */
  readonly warning?: string | undefined;
  /** Draws what should come before the job, with the primary button. */
  readonly first?: (() => JSX.Element) | undefined;
  readonly back: { readonly href: string; readonly label: string };
  /** Where the label goes that the job writes. */
  readonly label?: KnownTag["label"];
}

/** The passenger's job at a tag: the same view for transfer and clear. */
export function JobView(props: JobViewProps): JSX.Element {
  const { jobStarted, outbox } = useAppState();
  const stage = createJobStage(props);
  createEffect(() => {
    // While an outcome is pending, this view replaces the outbox notice.
    if (stage.busy() || stage.at() === "pending") onCleanup(jobStarted());
  });
  createEffect(() => {
    // This view says why, and what to do at this tag.
    const error = jobAt(props.job.now(), "failed")?.error;
    if (error !== undefined && outbox.dropped()?.error === error) outbox.dismiss();
  });
  createEffect(on(stage.at, buzz, { defer: true }));
  createStoredTag(props.job, props.label);
  return (
    <Page
      title={stage.title()}
      back={stage.busy() || stage.settled() ? undefined : props.back}
      working={stage.busy()}
      mark={stage.mark()}
    >
      <JobBody
        {...props}
        stage={stage}
        ready={<Ready {...props} />}
        outcome={<Ended {...props} isPending={stage.at() === "pending"} />}
        failed={(error, known) => (
          <Show
            when={error.code === "out_of_reach" && known}
            fallback={<Failed {...props} error={error} paper={stage.paper()} />}
          >
            {(tag) => <OutOfReach job={props.job} tag={tag()} paper={stage.paper()} />}
          </Show>
        )}
      />
      <ChooserAdvice job={props.job} name={props.tagName} paper={stage.paper()} />
    </Page>
  );
}

/** Once it is written or cleared, a tag is in the list of the person's tags; a browser without storage has none. */
export function createStoredTag(job: GuidedJob, label: KnownTag["label"]): void {
  const { journeyCache } = useAppState();
  const tag = createMemo(() => jobAt(job.now(), "done", "pending")?.tag);
  // Beside a cached journey alone: both go when the person has their details removed.
  const isCached = createMemo(() => journeyCache.cached() !== undefined);
  createEffect(() => {
    const ended = tag();
    if (ended && isCached()) void storeTag(ended, label).catch(() => undefined);
  });
}

async function storeTag(
  { name, uniqueDeviceId, batteryLevel }: PickedTag,
  label: KnownTag["label"],
): Promise<void> {
  const cache = await import("../state/cached-journey.ts");
  await cache.keepTag({ name, uniqueDeviceId, battery: batteryLevel, label, at: Date.now() });
}

function Ended(props: JobViewProps & { readonly isPending: boolean }): JSX.Element {
  const { t } = useI18n();
  const text = () => (props.isPending ? props.texts.pending : props.texts.done);
  const stopped = () => {
    const ended = jobAt(props.job.now(), "done", "pending");
    return props.kind === "transfer" && ended?.stopped ? ended.tag : undefined;
  };
  return (
    <div class="outcome">
      <p class="page-lead">
        {stopped() ? t("passenger.written.stopped") : text()}{" "}
        <Show when={props.isPending}>
          <ConfirmNow inText />
        </Show>
      </p>
      {props.drawing}
      <div class="outcome-after">
        <Show
          when={stopped()}
          fallback={
            <>
              <ReadBack job={props.job} end={props.plateEnd} />
              {props.after}
            </>
          }
        >
          {(tag) => (
            <>
              <ButtonLink href={props.back.href} kind="primary" wide>
                {t("passenger.written.keep")}
              </ButtonLink>
              <ClearLink device={tag().uniqueDeviceId} wide />
            </>
          )}
        </Show>
      </div>
    </div>
  );
}

function Ready(props: JobViewProps): JSX.Element {
  const { t } = useI18n();
  const online = createOnline();
  const text = () => {
    const [only, ...others] = props.job.remembered();
    return only && others.length === 0 ? t("passenger.remembered.ready", only.name) : props.texts.ready;
  };
  const choices = () => (
    <Choices job={props.job} kind={props.kind} name={props.tagName} isSecond={props.first !== undefined} />
  );
  return (
    <>
      <Show when={online() && !cannotReachTags()}>
        <p class="page-lead">{text()}</p>
      </Show>
      <Show when={props.warning}>{(title) => <Notice tone="warn" icon="tag" title={title()} />}</Show>
      <CancelledNotice job={props.job} texts={props.texts} />
      {/* No button, and no advice on a list, where the browser has none. */}
      <Show
        when={!cannotReachTags()}
        fallback={<MissingBluetooth {...(props.kind === "clear" && { to: "clear" })} />}
      >
        {props.drawing}
        <Show
          when={online()}
          fallback={
            <Notice icon="clock" title={t("start.offline")}>
              <p>{t("job.offline")}</p>
            </Notice>
          }
        >
          {/* Together: what comes first would push the button down under a finger. */}
          <Show when={props.first} fallback={choices()}>
            {(draw) => (
              <Words part="passenger">
                {draw()()}
                {choices()}
              </Words>
            )}
          </Show>
        </Show>
      </Show>
    </>
  );
}

function Failed(
  props: JobViewProps & { readonly error: TaglatchError; readonly paper: boolean },
): JSX.Element {
  const { t } = useI18n();
  /** Names the tag, for a person with two tags in hand. */
  const name = () => {
    const failed = jobAt(props.job.now(), "failed");
    return failed?.tag?.name ?? failed?.known?.name ?? props.tagName;
  };
  return (
    <>
      <Show when={name()}>
        {(tag) => (
          <p class="page-lead">
            <bdi>{t("job.device", tag())}</bdi>
          </p>
        )}
      </Show>
      <ErrorPanel
        error={props.error}
        headed
        next={nextOfJob(props.job.now(), t, props.texts)}
        paper={props.paper}
        compact
        actions={
          <Remedy
            error={props.error}
            again={() => retry(props.job)}
            another={props.tagName === undefined ? props.job.choose : undefined}
            leave={props.back}
          />
        }
      />
      <Details job={props.job} kind={props.kind} />
    </>
  );
}

/** The person compares the tag's display; if it differs, the tag is written once more. */
function ReadBack(props: { readonly job: GuidedJob; readonly end: string | undefined }): JSX.Element {
  const { t } = useI18n();
  const again = () => {
    const tag = jobAt(props.job.now(), "done", "pending")?.tag;
    if (tag) props.job.connectTo({ deviceId: tag.deviceId, name: tag.name });
  };
  return (
    <Show when={props.end}>
      {(end) => (
        <p class="read-back">
          {t("passenger.written.readBack", `\u2066…\u2060${end()}\u2069`).replace(" \u2066", "\u00a0\u2066")}{" "}
          <button type="button" class="link" onClick={again}>
            {t("passenger.written.readBackNot")}
          </button>
        </p>
      )}
    </Show>
  );
}

/** A vibration, so that the end is noticed without looking. */
function buzz(at: JobState["at"]): void {
  if (at === "done" || at === "pending") navigator.vibrate?.([60, 60, 140]);
  if (at === "failed") navigator.vibrate?.([220]);
}
