import { type Accessor, createEffect, createMemo, createSignal, onCleanup } from "solid-js";
import {
  asTaglatchError,
  CustodyProofCancelledException,
  type CustodyProofCollector,
  type CustodyProofInput,
  type CustodyProofPrompt,
  OperationError,
  type OperationOptions,
  PHASES,
  type PickedTag,
  type ProgressEvent,
  type RememberedTag,
  type Result,
  type Taglatch,
  type TaglatchError,
  type TransferResult,
} from "../../sdk/index.ts";
import { holdJobLock } from "../state/job-lock.ts";
import { whenIdle } from "../state/when-idle.ts";
import { advance, fail, initialProgress, type JobKind, type JobProgress } from "./job-progress.ts";
import { isBusy, type JobEvent, type JobState, next } from "./tag-job.ts";

/** Per cent at and below which the person is asked first. */
export const LOW_BATTERY = 20;

export interface TagJobOptions {
  readonly kind: JobKind;
  readonly load: () => Promise<Taglatch>;
  /** Shows only this tag in the chooser, where it is known already. */
  readonly nameSuffix?: () => string | undefined;
  /** Whether a remembered tag may be offered: not one that carries another bag. */
  readonly fits?: (name: string) => boolean;
  /** The operation itself, on the tag that was picked. */
  readonly operate: (
    client: Taglatch,
    tag: PickedTag,
    collector: CustodyProofCollector,
    options: OperationOptions,
  ) => Promise<Result<TransferResult>>;
  readonly onEnd?: (result: TransferResult) => void;
}

export interface TagJob {
  readonly state: Accessor<JobState>;
  readonly progress: Accessor<JobProgress>;
  readonly tag: Accessor<PickedTag | undefined>;
  readonly result: Accessor<TransferResult | undefined>;
  /** Why it failed, or why it came to rest (`cancelled`, `custody_proof_cancelled`). */
  readonly error: Accessor<TaglatchError | undefined>;
  /** The custody proof being asked for, or just being checked. */
  readonly prompt: Accessor<CustodyProofPrompt | undefined>;
  readonly checkingProof: Accessor<boolean>;
  /** Tags the browser remembers that fit this job; empty until it has said so. */
  readonly remembered: Accessor<readonly RememberedTag[]>;
  /** Resolves when `remembered` is known; asked once, by itself when nothing is more urgent. */
  readonly recall: () => Promise<void>;
  /** The remembered tag that is looked for, or that was not within reach. */
  readonly looking: Accessor<RememberedTag | undefined>;
  /** Opens the chooser: call it from a tap. */
  readonly choose: () => void;
  /** The same without the chooser, at a remembered tag. */
  readonly reach: (tag: RememberedTag) => void;
  readonly accept: () => void;
  readonly prove: (input: CustodyProofInput | null) => void;
  readonly cancel: () => void;
  readonly confirm: () => void;
  readonly reset: () => void;
}

interface Asking {
  readonly prompt: CustodyProofPrompt;
  /** Answered, and the service has not said yet whether it is right: the dialog stays until it does. */
  readonly checking: boolean;
  readonly answer: (input: CustodyProofInput | null) => void;
}

/** One job at one tag: drives the table of tag-job.ts with the SDK. Leaving the page cancels it. */
export function createTagJob(options: TagJobOptions): TagJob {
  const [state, setState] = createSignal<JobState>("ready");
  const [progress, setProgress] = createSignal(initialProgress(options.kind));
  const [tag, setTag] = createSignal<PickedTag>();
  const [result, setResult] = createSignal<TransferResult>();
  const [error, setError] = createSignal<TaglatchError>();
  const [asking, setAsking] = createSignal<Asking>();
  const [remembered, setRemembered] = createSignal<readonly RememberedTag[]>([]);
  const [looking, setLooking] = createSignal<RememberedTag>();
  let abort = new AbortController();

  const send = (event: JobEvent) => setState((now) => next(now, event));

  const begin = () => {
    abort = new AbortController();
    setProgress(initialProgress(options.kind));
    setError(undefined);
    setResult(undefined);
    send("choose");
  };

  const operation = (): OperationOptions => {
    const { signal } = abort;
    return {
      signal,
      onProgress: (event) => {
        // A cancelled operation may have a last word; the next one has begun by then.
        if (signal !== abort.signal) return;
        if (event.type === "started" && event.phase === "connect") send("chosen");
        if (provesOver(event)) setAsking(undefined);
        setProgress((now) => advance(now, event));
      },
    };
  };

  const rest = (problem: TaglatchError) => {
    const givenUp = problem.code === "cancelled" || problem instanceof CustodyProofCancelledException;
    setError(problem);
    setAsking(undefined);
    if (!givenUp) setProgress(fail);
    send(givenUp ? "cancelled" : "failed");
  };

  const collector: CustodyProofCollector = {
    collect: (prompt) =>
      new Promise((resolve) => {
        const answer = (input: CustodyProofInput | null) => {
          setAsking((now) => (input && now ? { ...now, checking: true } : undefined));
          resolve(input);
        };
        prompt.signal.addEventListener("abort", () => answer(null), { once: true });
        setAsking({ prompt, checking: false, answer });
        send("prove");
      }),
  };

  const work = async (client: Taglatch, picked: PickedTag) => {
    const outcome = await options.operate(client, picked, collector, operation());
    // The tag is free for others at once, unless the SDK still has to find out what it shows.
    if (outcome.ok || !isSettling(outcome.error)) run(client.disconnect(picked.deviceId));
    if (!outcome.ok) return rest(outcome.error);
    setResult(outcome.value);
    send(outcome.value.pendingRetry ? "kept" : "succeeded");
    options.onEnd?.(outcome.value);
  };

  const remember = async () => {
    const tags = await (await options.load()).rememberedTags();
    const suffix = options.nameSuffix?.() ?? "";
    setRemembered(tags.filter(({ name }) => name.endsWith(suffix) && (options.fits?.(name) ?? true)));
  };
  // What cannot be remembered can be chosen; a page whose code does not load says so at the tap.
  let recalled: Promise<void> | undefined;
  const recall = () => {
    recalled ??= remember().catch(() => undefined);
    return recalled;
  };
  whenIdle(() => void recall());

  const pick = async (known: RememberedTag | undefined) => {
    const client = await options.load();
    const nameSuffix = options.nameSuffix?.();
    const picked = known
      ? await client.connect(known.deviceId, operation())
      : await client.pickTag({ ...operation(), ...(nameSuffix ? { nameSuffix } : {}) });
    if (!picked.ok) return rest(picked.error);
    setTag(picked.value);
    const low = (picked.value.batteryLevel ?? 100) <= LOW_BATTERY;
    send(low ? "pickedLow" : "picked");
    if (!low) await work(client, picked.value);
  };

  /** Whatever is thrown outside the SDK's results (its code would not load, say) ends the job as an error too. */
  const run = (job: Promise<unknown>) => void job.catch((thrown: unknown) => rest(asTaglatchError(thrown)));

  const start = (known: RememberedTag | undefined) => {
    if (next(state(), "choose") === state()) return;
    setLooking(known);
    begin();
    run(pick(known));
  };

  const leave = async () => {
    const picked = tag();
    if (picked) await (await options.load()).disconnect(picked.deviceId);
  };

  const cancel = () => {
    const before = state();
    send("cancel");
    abort.abort();
    if (before === "warned") run(leave());
  };

  const busy = createMemo(() => isBusy(state()));
  createEffect(() => {
    if (busy()) onCleanup(holdJobLock());
  });
  onCleanup(() => {
    if (isBusy(state())) cancel();
  });

  return {
    state,
    progress,
    tag,
    result,
    error,
    prompt: () => asking()?.prompt,
    checkingProof: () => asking()?.checking ?? false,
    remembered,
    recall,
    looking,
    choose: () => start(undefined),
    reach: (known) => start(known),
    accept: () => {
      const picked = tag();
      if (state() !== "warned" || !picked) return;
      send("accept");
      run(options.load().then((client) => work(client, picked)));
    },
    prove: (input) => {
      const open = asking();
      if (!open || open.checking) return;
      send(input ? "proved" : "cancel");
      open.answer(input);
    },
    cancel,
    confirm: () => send("confirmed"),
    reset: () => send("reset"),
  };
}

/** Cancelled after the tag had its commit: the SDK goes on alone. */
function isSettling(error: TaglatchError): boolean {
  return error instanceof OperationError && error.settling;
}

/** A right proof shows by the proof phase ending or the next one beginning. */
function provesOver(event: ProgressEvent): boolean {
  if (event.type === "done") return event.phase === "proof";
  return event.type === "started" && PHASES.indexOf(event.phase) > PHASES.indexOf("proof");
}
