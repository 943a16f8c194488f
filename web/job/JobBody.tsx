import {
  type Accessor,
  createEffect,
  createMemo,
  type JSX,
  Match,
  on,
  Show,
  Switch,
  untrack,
} from "solid-js";
import type { CustodyProofInput, RememberedTag, TaglatchError } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import type { TagJob } from "./create-tag-job.ts";
import { JobAnnouncement, LowBattery, OutcomeMark } from "./JobParts.tsx";
import { Working } from "./JobWorking.tsx";
import type { JobKind } from "./job-progress.ts";
import { type JobTexts, titleOf } from "./job-words.ts";
import { actionOf } from "./Remedy.tsx";
import { isBusy, type JobState, jobAt, type ProofPrompt, promptOf } from "./tag-job.ts";

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

interface JobStage {
  readonly at: Accessor<JobState["at"]>;
  readonly busy: Accessor<boolean>;
  /** Whether the tag shows what it should, whether or not the service knows. */
  readonly settled: Accessor<boolean>;
  readonly title: Accessor<string>;
  /** Offers the paper tag: a write has failed twice, counting closed lists, or trying again is pointless. */
  readonly paper: Accessor<boolean>;
  /** Shown above the title of an outcome. */
  readonly mark: () => JSX.Element;
}

/** A screen of its own, though the job goes on. */
const ASKING: readonly JobState["at"][] = ["warned", "carrying"];

/** How far a job has come, for the frame around {@link JobBody}. */
export function createJobStage(props: JobProps): JobStage {
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
    settled,
    paper: () => {
      const error = jobAt(props.job.now(), "failed")?.error;
      const isPointless = error !== undefined && actionOf(error) === "leave";
      return props.kind === "transfer" && (isPointless || failures() > 1);
    },
    title: () => titleOf(props.job.now(), props.texts, t),
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
