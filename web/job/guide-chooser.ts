import { type Accessor, createEffect, createSignal, on, onCleanup } from "solid-js";
import type { RememberedTag } from "../../sdk/index.ts";
import { keep, kept, remembersTags } from "../state/browser.ts";
import type { TagJob } from "./create-tag-job.ts";
import { jobAt } from "./tag-job.ts";

/** What is said around the browser's list: before the first one of this device, and after one closed without a choice. */
type Advice = "first" | "closed";

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

/** Set once this device has shown how a tag is chosen in the browser's list. */
export const LIST_KNOWN = "taglatch.list-known";

/** Without storage it would be shown every time. */
const isListKnown = () => kept(LIST_KNOWN) !== null;
export const rememberListKnown = () => keep(LIST_KNOWN, "1");

/**
 * One tap leads to the tag: the tap that opened this page still counts. Without one, as after a reload, nothing begins by
 * itself. `remembered`: the one tag that is meant, if the browser remembers it. A browser that remembers none is not asked, so
 * that the screen before its list is not drawn.
 */
export function createStart(job: TagJob, remembered: () => RememberedTag | undefined): void {
  let isGone = false;
  onCleanup(() => {
    isGone = true;
  });
  const begin = () => {
    // No list opens over the screen to which a person went back meanwhile.
    if (isGone || !navigator.userActivation?.isActive) return;
    const tag = remembered();
    if (tag) job.connectTo(tag);
    // Of several remembered tags, the person says which.
    else if (job.remembered().length === 0) job.choose();
  };
  if (remembered() || !remembersTags()) begin();
  else void job.recall().then(begin);
}
