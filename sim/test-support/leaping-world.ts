/**
 * For tests that connect to a tag more often than its message_1 allowance permits, and cannot wait for
 * minutes.
 */
import { TAG_LIMIT } from "../../core/gatt/profile.ts";
import { realTimeWorld } from "../real-time-world.ts";
import type { TagWorld, VirtualTag } from "../tag/tag-types.ts";

/** The real world, except that time can be made to pass at once. */
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

/**
 * `tag`, with a clock that leaps ahead as far as needed when its message_1 allowance is spent, and is right at all other
 * times.
 */
export function restedWhenSpent<Tag extends VirtualTag>(tag: Tag, world: LeapingWorld): Tag {
  const rest = (TAG_LIMIT.message1Bucket / TAG_LIMIT.message1PerMinute) * 60_000;
  tag.observe((event) => {
    if (event.type === "refusal" && event.reason === "BUSY: message_1 bucket") world.leap(rest);
  });
  return tag;
}
