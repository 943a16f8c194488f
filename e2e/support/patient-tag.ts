import { issueCredential, newTag } from "../../scripts/drivers/tag-factory.ts";
import { realTimeWorld } from "../../sim/real-time-world.ts";
import type { TagSimulator } from "../../sim/tag/tag-simulator.ts";
import type { TagWorld } from "../../sim/tag/tag-types.ts";

/** How much slower the tag's clock runs: it must not give up while a screen is looked at. */
const PATIENCE = 100;

/** A tag with a name that is the same in every run, for a walk that stands still at times. */
export async function patientTag(
  scene: { readonly service: string; readonly touchedTags: string[] },
  id: string,
): Promise<TagSimulator> {
  const { now, after, random } = realTimeWorld();
  const world: TagWorld = {
    now: () => now() / PATIENCE,
    // The display alone keeps its pace: no timer of the protocol is as short.
    after: (milliseconds, action) =>
      after(milliseconds < 500 ? milliseconds : milliseconds * PATIENCE, action),
    random,
  };
  const credential = await issueCredential(id);
  const wrongCredential = await issueCredential(`${id}-other`);
  scene.touchedTags.push(id);
  // The same id in every walk, but no memory of the walk before: what such a tag signed, the service would call stale.
  return newTag(scene.service, "2.1", { id, credential, wrongCredential, signs: false }, world);
}
