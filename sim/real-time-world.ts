import type { TagWorld } from "./tag/tag-types.ts";

/** The real world, in a page and in Node. */
export function realTimeWorld(): TagWorld {
  return {
    now: () => performance.now(),
    after(milliseconds, action) {
      const timer = setTimeout(action, milliseconds);
      return () => clearTimeout(timer);
    },
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
  };
}
