import { type Accessor, createEffect, createSignal, on } from "solid-js";
import { isListKnown, rememberListKnown } from "../state/known-list.ts";
import type { TagJob } from "./create-tag-job.ts";
import { jobAt } from "./tag-job.ts";

/** What is said around the browser's list: before the first one of this device, and after one closed without a choice. */
export type Advice = "first" | "closed";

export interface GuidedJob extends TagJob {
  readonly advice: Accessor<Advice | undefined>;
  /** Opens the list: call it from a tap on the advice. */
  readonly show: () => void;
  readonly close: () => void;
}

/** The job, with advice around the browser's list. */
export function guideChooser(job: TagJob): GuidedJob {
  const [advice, setAdvice] = createSignal<Advice>();
  const listClosed = () => jobAt(job.now(), "ready")?.listClosed === true;
  createEffect(on(listClosed, (closed) => closed && setAdvice("closed"), { defer: true }));
  const close = () => void setAdvice(undefined);
  return {
    ...job,
    choose: () => {
      if (isListKnown()) job.choose();
      else setAdvice("first");
    },
    advice,
    show: () => {
      rememberListKnown();
      close();
      job.choose();
    },
    close,
  };
}
