import { createEffect, createMemo, type JSX, Match, on, onCleanup, Show, Switch } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import type { TagJob } from "../job/create-tag-job.ts";
import { ErrorPanel } from "../job/ErrorPanel.tsx";
import { Choices, OutOfReach } from "../job/JobChoices.tsx";
import { GivenUp, LowBattery, Outcome, OutcomeMark, Spoken } from "../job/JobParts.tsx";
import { Steps, Working } from "../job/JobWorking.tsx";
import type { JobKind } from "../job/job-progress.ts";
import { type JobTexts, titleOf } from "../job/job-title.ts";
import { ProofDialog } from "../job/ProofDialog.tsx";
import { isBusy, type JobState } from "../job/tag-job.ts";
import { useAppState } from "../state/app-state.tsx";
import { Button } from "../ui/Button.tsx";
import { Page } from "./Page.tsx";

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
  const { jobStarted, outbox } = useAppState();
  const busy = createMemo(() => isBusy(props.job.state()));
  const screen = createMemo(() => (busy() && props.job.state() !== "warned" ? "working" : props.job.state()));
  const settled = () => props.job.state() === "done" || props.job.state() === "pending";
  const title = () => titleOf(props.job.state(), props.texts, t("error.title"));

  const readyText = () => {
    const [only, ...others] = props.job.remembered();
    return only && others.length === 0 ? t("passenger.remembered.ready", only.name) : props.texts.ready;
  };
  const outOfReach = () =>
    props.job.state() === "failed" && props.job.error()?.code === "out_of_reach"
      ? props.job.looking()
      : undefined;

  createEffect(() => {
    // A pending outcome says itself what the outbox would say above it.
    if (busy() || props.job.state() === "pending") onCleanup(jobStarted());
  });
  createEffect(on(props.job.state, buzz, { defer: true }));
  createEffect(on(screen, focusHeading, { defer: true }));

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
          <p class="page-lead">{readyText()}</p>
          <GivenUp job={props.job} />
          {props.drawing}
          <Choices job={props.job} kind={props.kind} />
        </Match>
        <Match when={props.job.state() === "warned"}>
          <LowBattery job={props.job} />
        </Match>
        <Match when={props.job.state() === "done"}>
          <Outcome text={props.texts.done} drawing={props.drawing} after={props.after} />
        </Match>
        <Match when={props.job.state() === "pending"}>
          <Outcome
            text={props.texts.pending}
            drawing={props.drawing}
            after={
              <>
                {props.after}
                <Button kind="quiet" wide onClick={() => void outbox.flush()}>
                  {t("outbox.retry")}
                </Button>
              </>
            }
          />
        </Match>
        <Match when={outOfReach()}>
          {(tag) => <OutOfReach job={props.job} tag={tag()} paper={props.kind === "transfer"} />}
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

/** The end can be felt without looking. */
function buzz(state: JobState): void {
  if (state === "done" || state === "pending") navigator.vibrate?.([60, 60, 140]);
  if (state === "failed") navigator.vibrate?.([220]);
}

/** The button that was pressed is gone with its screen: reading and tabbing go on at the new heading. */
function focusHeading(): void {
  queueMicrotask(() => document.querySelector<HTMLElement>("main h1")?.focus());
}
