import { onMount } from "solid-js";
import type { RememberedTag } from "../../sdk/index.ts";
import type { TagJob } from "./create-tag-job.ts";

/**
 * One tap leads to the tag: the tap that opened this page still counts. Without one, as after a reload, nothing begins by
 * itself. `reach`: the one tag that is meant, if the browser remembers it.
 */
export function createStart(job: TagJob, reach: () => RememberedTag | undefined): void {
  const begin = async () => {
    if (!reach()) await job.recall();
    if (!navigator.userActivation?.isActive) return;
    const tag = reach();
    if (tag) job.reach(tag);
    // Of several remembered tags, the person says which.
    else if (job.remembered().length === 0) job.choose();
  };
  onMount(() => void begin());
}
