/** For whoever connects to a tag more often than its message_1 allowance lets him, and has no minutes to wait. */
import { TAG_LIMIT } from "../../core/gatt/profile.ts";
import { realTimeWorld } from "../real-time-world.ts";
import type { TagWorld, VirtualTag } from "../tag/tag-types.ts";

/** The world as it is, but that time may pass in it at once. */
export interface LeapingWorld extends TagWorld {
  leap(milliseconds: number): void;
}

export function leapingWorld(): LeapingWorld {
  const world = realTimeWorld();
  let leapt = 0;
  return {
    ...world,
    now: () => world.now() + leapt,
    leap(milliseconds) {
      leapt += milliseconds;
    },
  };
}

/** `tag`, which rests for as long as it takes when its message_1 allowance is spent. Otherwise its clock is true. */
export function restedWhenSpent<Tag extends VirtualTag>(tag: Tag, world: LeapingWorld): Tag {
  const rest = (TAG_LIMIT.message1Bucket / TAG_LIMIT.message1PerMinute) * 60_000;
  tag.observe((event) => {
    if (event.type === "refusal" && event.reason === "BUSY: message_1 bucket") world.leap(rest);
  });
  return tag;
}
