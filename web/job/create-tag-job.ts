import { type Accessor, createEffect, createMemo, createRoot, createSignal, onCleanup } from "solid-js";
import {
  type ClearTagRequest,
  type CustodyProofInput,
  type Journey,
  OtherBagError,
  type RememberedTag,
} from "../../sdk/index.ts";
import { isOlderTagOf, isSameTag } from "../state/bags.ts";
import { holdJobLock } from "../state/job-lock.ts";
import { createRemembered } from "./create-remembered.ts";
import {
  type JobContext,
  pickAndOperate,
  releaseTag,
  runGuarded,
  runOperation,
  type TagJobOptions,
} from "./run-tag-job.ts";
import {
  initialProgress,
  isBusy,
  isCommitted,
  isCommitting,
  type JobEvent,
  type JobState,
  jobAt,
  next,
  rememberDisplayTime,
} from "./tag-job.ts";

export type TagJob = ReturnType<typeof createRun>;

/**
 * One job at one tag: drives the table of tag-job.ts with the SDK. Leaving the page cancels it, except while the tag
 * changes its display.
 */
function createTagJob(options: TagJobOptions): TagJob {
  const { job, end } = createRoot((end) => {
    const job = createRun(options);
    createDisplayTimes(job.now);
    return { job, end };
  });
  onCleanup(() => {
    if (isCommitting(job.now())) {
      const over = untilOver(job).then(end);
      options.onLeft?.(over);
      return;
    }
    if (isBusy(job.now())) job.cancel();
    end();
  });
  return job;
}

/** The name of the tag at which the job is, as soon as it is known. */
export function tagAt(job: TagJob): string | undefined {
  const now = job.now();
  if (now.tag) return now.tag.name;
  return now.at === "ready" ? undefined : now.known?.name;
}

/** Tries a job that failed again. The tag, once it is known, needs no second list. */
export function retry({ now, connectTo, choose }: TagJob): void {
  const failed = jobAt(now(), "failed");
  const same = failed?.known ?? failed?.tag;
  if (same) connectTo({ deviceId: same.deviceId, name: same.name });
  else choose();
}

/** Resolves when a job whose screen was left is over: its open question is answered by giving up. */
const untilOver = (job: TagJob) =>
  new Promise<void>((resolve) =>
    createRoot((end) =>
      createEffect(() => {
        const { at } = job.now();
        if (at === "proving") job.prove(null);
        else if (at === "warned" || at === "carrying") job.cancel();
        if (isBusy(job.now())) return;
        resolve();
        end();
      }),
    ),
  );

function createRun(options: TagJobOptions) {
  const [now, setNow] = createSignal<JobState>({ at: "ready" });
  const { send, report } = drawLater((events) => setNow((job) => events.reduce(next, job)));
  const typed: JobContext["typed"] = new Map();
  let run: JobContext | undefined;
  let abort = new AbortController();

  const start = (known?: RememberedTag) => {
    const before = now();
    if (send({ type: "choose", progress: initialProgress(options.kind), known }) === before) return;
    abandonQuestion(run, before);
    abort = new AbortController();
    // A cancelled run may still send a last event; by then the next run has begun.
    const { signal } = abort;
    const own: JobContext = { options, signal, typed, send: (event) => run === own && report(event) };
    run = own;
    runGuarded(own, pickAndOperate(own, known));
  };

  const cancel = () => {
    const before = now();
    send({ type: "cancel" });
    // Too late: the tag carries out the command, and its outcome says so.
    if (isCommitting(before)) return;
    abort.abort();
    abandonQuestion(run, before);
  };

  createJobGuards(now);
  createResolution(options, now, send);

  return {
    /** The job's state, with all that is known in it. */
    now,
    ...createRemembered(options),
    /** Opens the chooser: call it from a tap. */
    choose: () => start(),
    /** The same without the chooser, with a remembered tag. */
    connectTo: (tag: RememberedTag) => start(tag),
    accept: () => {
      const asked = jobAt(now(), "warned", "carrying");
      if (asked === undefined || !run) return;
      const move = asked.at === "carrying";
      send({ type: "accept", ...(move && { progress: initialProgress(options.kind) }) });
      runGuarded(run, runOperation(run, asked.tag, move));
    },
    prove: (input: CustodyProofInput | null) => {
      const asked = now();
      if (asked.at !== "proving") return;
      send({ type: input ? "proved" : "cancel" });
      asked.answer(input);
    },
    cancel,
    reset: () => void send({ type: "reset" }),
  };
}

/** Remembers how long the tag's e-paper took, for the bar of its next job. */
function createDisplayTimes(now: Accessor<JobState>): void {
  createEffect(() => {
    const ended = jobAt(now(), "done", "pending");
    const display = ended?.progress.phases.find(({ phase }) => phase === "display");
    if (ended?.tag && display?.duration) rememberDisplayTime(ended.tag.uniqueDeviceId, display.duration);
  });
}

/** Ends a pending job with its own entry in the outbox, and not with another one of its bag or tag. */
function createResolution(
  { outbox, kind }: TagJobOptions,
  now: Accessor<JobState>,
  send: (event: JobEvent) => void,
): void {
  onCleanup(
    outbox.onResolved((entry, outcome) => {
      const isOwn = isSameTag(jobAt(now(), "pending")?.tag?.uniqueDeviceId, entry.uniqueDeviceId);
      if (isOwn && (entry.kind === "unlock") === (kind === "clear")) send(outcome);
    }),
  );
}

/** Answers an open question with a no, and disconnects its tag. */
function abandonQuestion(run: JobContext | undefined, job: JobState): void {
  jobAt(job, "proving")?.answer(null);
  const asked = jobAt(job, "warned", "carrying");
  if (run && asked) runGuarded(run, releaseTag(run, asked.tag));
}

/**
 * While something runs here, no other window installs a new version and the screen stays on; from the commit to its
 * outcome, the browser asks before it closes the page.
 */
function createJobGuards(now: Accessor<JobState>): void {
  const busy = createMemo(() => isBusy(now()));
  const committed = createMemo(() => isCommitted(now()));
  createEffect(() => {
    if (!busy()) return;
    onCleanup(holdJobLock());
    onCleanup(keepAwake());
  });
  createEffect(() => {
    if (committed()) onCleanup(confirmPageClose());
  });
}

/** Asks before the page closes: a commit that it leaves unresolved needs the tag again. */
function confirmPageClose(): () => void {
  const ask = (event: BeforeUnloadEvent) => event.preventDefault();
  addEventListener("beforeunload", ask);
  return () => removeEventListener("beforeunload", ask);
}

/**
 * Keeps the screen on until the returned function is called. The browser drops its lock whenever the page is hidden, so it
 * is requested again.
 */
export function keepAwake(): () => void {
  let lock: WakeLockSentinel | undefined;
  let over = false;

  const request = async () => {
    if (document.visibilityState !== "visible" || !("wakeLock" in navigator)) return;
    try {
      lock = await navigator.wakeLock.request("screen");
      if (over) await lock.release();
    } catch {
      // Battery saving or a policy forbids it: then the device's own settings decide (docs/operations.md).
    }
  };
  const ask = () => void request();

  ask();
  document.addEventListener("visibilitychange", ask);
  return () => {
    over = true;
    document.removeEventListener("visibilitychange", ask);
    void lock?.release();
  };
}

/** Asks for nothing, ends nothing, and is not the commit, from which on the page has to stay open. */
const isNews = (event: JobEvent) =>
  event.type === "chosen" ||
  event.type === "picked" ||
  (event.type === "progressed" && !(event.by.type === "started" && event.by.phase === "display"));

/** Milliseconds between two drawings of news: a slow phone would draw instead of sending. */
const PAUSE = 100;

/**
 * Draws a run's events in order, news in a later task: first the radio gets what the SDK does next, and the page draws while
 * the tag works. On a slow phone a drawing takes as long as three packets.
 */
export function drawLater(draw: (events: readonly JobEvent[]) => JobState) {
  const waiting: JobEvent[] = [];
  let restsUntil = 0;
  const send = (event: JobEvent) => draw([...waiting.splice(0), event]);
  const drawNews = () => {
    restsUntil = performance.now() + PAUSE;
    draw(waiting.splice(0));
  };
  const report = (event: JobEvent) => {
    if (!isNews(event)) send(event);
    else if (waiting.push(event) === 1) setTimeout(drawNews, Math.max(0, restsUntil - performance.now()));
  };
  return { send, report };
}

interface TransferJobOptions
  extends Pick<TagJobOptions, "load" | "outbox" | "only" | "fits" | "onLeft" | "tries"> {
  readonly journey: Journey;
  readonly bag: Journey["baggage"][number];
  /** The passenger's own journey, then those of the same booking. */
  readonly booking: () => readonly Journey[];
  /** Called when the bag is on this tag, whether or not the service knows. */
  readonly onWritten: (baggageId: number, uniqueDeviceId: string) => void;
}

/**
 * Puts a bag on a tag. A confirmation that had to wait completes the job as soon as the outbox has sent it.
 */
export function createTransferJob(options: TransferJobOptions): TagJob {
  const { journey, bag, booking, onWritten, ...rest } = options;
  return createTagJob({
    ...rest,
    kind: "transfer",
    operate: (client, { deviceId, uniqueDeviceId }, collector, operation, move) =>
      client.transferTag(
        {
          deviceId,
          uniqueDeviceId,
          baggageId: bag.baggageId,
          journeyId: journey.journeyId,
          move,
          onOtherLabel: () => (move ? "replace" : "keep"),
        },
        collector,
        operation,
      ),
    isOld: (baggageId, tag) =>
      booking().some(({ baggage }) =>
        baggage.some((each) => each.baggageId === baggageId && isOlderTagOf(each, tag)),
      ),
    onEnd: (result) => onWritten(bag.baggageId, result.device.uniqueDeviceId),
  });
}

interface ClearJobOptions extends Pick<TagJobOptions, "load" | "outbox" | "only"> {
  /** The open booking: proves custody if the tag is locked to it. */
  readonly booking?: () => Journey | undefined;
  /** The bag that still needs this tag's label: the person is asked once before the clear. */
  readonly needed?: (uniqueDeviceId: string) => number | undefined;
  /** Called when the tag is blank, whether or not the service knows. */
  readonly onCleared: (uniqueDeviceId: string) => void;
}

/**
 * Empties a tag and releases its lock. A release that had to wait completes the job as soon as the outbox has
 * sent it.
 */
export function createClearJob({ onCleared, booking, needed, ...rest }: ClearJobOptions): TagJob {
  return createTagJob({
    ...rest,
    kind: "clear",
    // Another tag's name may end alike: the SDK refuses it as `wrong_tag`.
    operate: async (client, { deviceId, uniqueDeviceId }, _collector, operation, isAsked) => {
      const bag = isAsked ? undefined : needed?.(uniqueDeviceId);
      if (bag !== undefined) return { ok: false, error: new OtherBagError(bag) };
      return client.clearTag(
        { deviceId, uniqueDeviceId: rest.only?.() ?? uniqueDeviceId, ...proofBy(booking?.()) },
        operation,
      );
    },
    onEnd: (result) => onCleared(result.device.uniqueDeviceId),
  });
}

const proofBy = (
  journey: Journey | undefined,
): Pick<Partial<ClearTagRequest>, "recordLocator" | "custodyProofSurname"> =>
  journey ? { recordLocator: journey.recordLocator, custodyProofSurname: journey.passenger.surname } : {};
