import { useLocation } from "@solidjs/router";
import {
  createEffect,
  createMemo,
  createRoot,
  createSignal,
  For,
  type JSX,
  Match,
  onCleanup,
  onMount,
  Show,
  Switch,
} from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import type { RememberedTag } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { ChooserAdvice } from "../job/ChooserAdvice.tsx";
import { createClearJob, retry } from "../job/create-tag-job.ts";
import { type GuidedJob, guideChooser } from "../job/guide-chooser.ts";
import { JobAnnouncement, LowBattery, OutcomeMark } from "../job/JobBody.tsx";
import { Working } from "../job/JobWorking.tsx";
import { type JobTexts, nextOfJob, titleOf } from "../job/job-words.ts";
import { isBusy, jobAt } from "../job/tag-job.ts";
import { useAppState } from "../state/app-state.tsx";
import type { KnownTag } from "../state/cached-journey.ts";
import { Badge, Button, ButtonLink, Notice } from "../ui/Controls.tsx";
import { Fact } from "../ui/FlightLine.tsx";
import { createStoredTag } from "./JobView.tsx";
import { createHome, Page } from "./Page.tsx";

/** One tag of several, and the job that clears it. */
interface Turn {
  readonly device: string;
  readonly job: GuidedJob;
}

/** Tags of a trip that is over, one after the other; each has its own result. `devices`: their ids. */
export function ClearAll(props: { readonly devices: readonly string[] }): JSX.Element {
  const { t } = useI18n();
  const { jobStarted } = useAppState();
  const { state } = useLocation<{ readonly start?: boolean }>();
  const home = createHome();
  // Those that were due at the beginning: a tag that was cleared stays in the list.
  const turns = props.devices.map(createTurn);
  const isSettled = ({ job }: Turn) => jobAt(job.now(), "done", "pending") !== undefined;
  const [isRunning, setRunning] = createSignal(false);
  const busy = createMemo(() => isRunning() || turns.some(({ job }) => isBusy(job.now())));
  const isOver = createMemo(() => turns.every(isSettled));
  createEffect(() => {
    if (busy()) onCleanup(jobStarted());
  });
  const run = async () => {
    if (busy()) return;
    setRunning(true);
    await clearInTurn(turns.filter((turn) => !isSettled(turn))).finally(() => setRunning(false));
  };
  onMount(() => {
    if (state?.start && navigator.userActivation?.isActive) void run();
  });
  const title = () => {
    if (busy()) return t("clear.workingTitle");
    return t(isOver() ? "passenger.card.finished" : "passenger.tags.title");
  };
  return (
    <Page
      title={title()}
      lead={isOver() ? undefined : t("clear.lead")}
      back={busy() || isOver() ? undefined : home()}
      mark={isOver() ? <OutcomeMark pending={false} /> : undefined}
    >
      <Show when={!busy() && !isOver()}>
        <Button kind="primary" wide onClick={() => void run()}>
          {t("passenger.tags.clearAll")}
        </Button>
      </Show>
      <ul class="bag-grid">
        <For each={turns}>{(turn) => <TurnCard turn={turn} isFree={!busy()} />}</For>
      </ul>
      <Show when={isOver()}>
        <ButtonLink href={home().href} kind="primary" wide>
          {home().label}
        </ButtonLink>
      </Show>
    </Page>
  );
}

function createTurn(device: string): Turn {
  const { load, journeys, outbox } = useAppState();
  const job = guideChooser(
    createClearJob({ load, outbox, only: () => device, onCleared: journeys.markCleared }),
  );
  createStoredTag(job, undefined);
  return { device, job };
}

/**
 * Connects to each tag that the browser remembers; a tag that does not answer is passed over, a cancel ends the run. Where it
 * remembers none, the tap opens the list for the first.
 */
async function clearInTurn(turns: readonly Turn[]): Promise<void> {
  let isAny = false;
  for (const { job } of turns) {
    await job.recall();
    const [tag] = job.remembered();
    if (tag === undefined) continue;
    isAny = true;
    job.connectTo(tag);
    await untilOver(job);
    if (job.now().at === "ready") return;
  }
  if (!isAny) turns[0]?.job.choose();
}

const untilOver = (job: GuidedJob) =>
  new Promise<void>((resolve) =>
    createRoot((end) =>
      createEffect(() => {
        if (isBusy(job.now())) return;
        resolve();
        end();
      }),
    ),
  );

/** A tag, and what became of it. `isFree`: no other tag's turn. */
function TurnCard(props: { readonly turn: Turn; readonly isFree: boolean }): JSX.Element {
  const { t } = useI18n();
  const { job, device } = props.turn;
  const name = tagName(device);
  // Of a tag whose turn has not come, nothing is spoken.
  const texts = (): JobTexts => ({
    readyTitle: "",
    ready: "",
    workingTitle: t("clear.workingTitle"),
    doneTitle: t("clear.doneTitle"),
    done: t("clear.done", name),
    pendingTitle: t("clear.pendingTitle"),
    pending: t("clear.pending"),
  });
  const title = () => titleOf(job.now(), texts(), t);
  return (
    <li class="card">
      <div class="row row-spread">
        <h2>
          <bdi>{name}</bdi>
        </h2>
        <Show when={jobAt(job.now(), "done", "pending")}>
          {(ended) => <Badge tone={ended().at === "done" ? "good" : "warn"}>{title()}</Badge>}
        </Show>
      </div>
      <JobAnnouncement job={job} kind="clear" title={title()} texts={texts()} />
      <Switch>
        <Match when={job.now().at === "warned"}>
          <LowBattery job={job} />
        </Match>
        <Match when={isBusy(job.now())}>
          <Working job={job} kind="clear" drawing={undefined} />
        </Match>
        <Match when={jobAt(job.now(), "failed")}>
          <Notice tone="bad" title={title()}>
            <p>{nextOfJob(job.now(), t, texts())}</p>
          </Notice>
          <Show when={props.isFree}>
            <Button wide onClick={() => retry(job)}>
              {t("app.again")}
            </Button>
          </Show>
        </Match>
        <Match when={job.now().at === "ready" && props.isFree}>
          <Button wide onClick={job.choose}>
            {t("clear.titleOf", name)}
          </Button>
        </Match>
      </Switch>
      <ChooserAdvice job={job} name={name} paper={false} />
    </li>
  );
}

/** What is known of the tags of this device. */
export function MyTags(props: { readonly tags: readonly KnownTag[] }): JSX.Element {
  const { t, day } = useI18n();
  const words = ({ battery, label }: KnownTag) => [
    label ? t("passenger.tags.last", label.destination, day(label.date)) : t("passenger.tags.blank"),
    ...(battery === undefined ? [] : [t("job.battery", battery)]),
  ];
  return (
    <dl class="facts">
      <For each={props.tags}>{(tag) => <Fact name={tag.name}>{words(tag).join(" · ")}</Fact>}</For>
    </dl>
  );
}

/** How long a tag that was cleared by mistake is one tap away from its label (milliseconds). */
const MINUTE = 60_000;

/** Writes the label once more, on the same tag. */
export function Undo(props: { readonly tag: RememberedTag | undefined }): JSX.Element {
  const { t } = useI18n();
  const { journeys } = useAppState();
  const [isOffered, setOffered] = createSignal(true);
  const timer = setTimeout(() => setOffered(false), MINUTE);
  onCleanup(() => clearTimeout(timer));
  const address = () => {
    const cleared = journeys.lastCleared();
    const journey = journeys.latest()?.journey;
    const isOwn = journey?.baggage.some(({ baggageId }) => baggageId === cleared?.baggageId);
    return isOwn && `/journeys/${journey?.journeyId}/bags/${cleared?.baggageId}`;
  };
  const state = () => {
    const { tag } = props;
    return { start: true, ...(tag && { remembered: { deviceId: tag.deviceId, name: tag.name } }) };
  };
  return (
    <Show when={isOffered() && address()}>
      {(href) => (
        <ButtonLink href={href()} state={state()} kind="quiet" wide>
          {t("passenger.card.putBack")}
        </ButtonLink>
      )}
    </Show>
  );
}
