import { createSignal } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import type { RememberedTag } from "../../sdk/index.ts";
import { whenIdle } from "../state/browser.ts";
import type { TagJobOptions } from "./run-tag-job.ts";

/** The tags that this browser remembers from earlier visits. Chromium keeps that behind a flag (/diagnostics). */
export function createRemembered(options: Pick<TagJobOptions, "load" | "only" | "fits">) {
  /** Remembered tags that fit; empty until the browser has answered. */
  const [remembered, setRemembered] = createSignal<readonly RememberedTag[]>([]);
  // A failure is not reported: a tag can still be chosen, and the tap reports code that does not load.
  let recalled: Promise<void> | undefined;
  /** Resolves when `remembered` is known; asked once, when nothing is more urgent. */
  const recall = () => {
    recalled ??= rememberedFor(options).then(
      (tags) => void setRemembered(tags),
      () => undefined,
    );
    return recalled;
  };
  whenIdle(() => void recall());
  return { remembered, recall };
}

/** Remembered tags that fit the job. */
async function rememberedFor({
  load,
  only,
  fits,
}: Pick<TagJobOptions, "load" | "only" | "fits">): Promise<readonly RememberedTag[]> {
  const tags = await (await load()).rememberedTags();
  const id = only?.();
  return tags.filter(({ name }) => (!id || name === tagName(id)) && (fits?.(name) ?? true));
}
