/** The walks that together see every screen. */
import type { Dictionary } from "../../web/i18n/dictionary.ts";
import { walkThroughShift, walkThroughVisits } from "./kiosk-tour.ts";
import type { Stop } from "./looks.ts";
import type { SizeName } from "./photographer.ts";
import { type Scene, walkAsDeveloper, walkToWrittenTag, walkWithWrittenTag } from "./tour.ts";

interface Walk {
  readonly who: string;
  readonly sizes: readonly SizeName[];
  /** Passengers hold small phones. */
  readonly isOnPhone?: boolean;
  /** Of full runs alone: daily, stories go through these screens. */
  readonly isFullOnly?: boolean;
  readonly go: (scene: Scene, words: Dictionary, stop: Stop) => Promise<void>;
}

/** The longest first, so that two workers end together. */
export const WALKS: readonly Walk[] = [
  {
    who: "a passenger with a written tag",
    isOnPhone: true,
    sizes: ["phone", "kiosk"],
    go: (scene, _words, stop) => walkWithWrittenTag(scene, stop),
  },
  {
    who: "a passenger on the way to a written tag",
    isOnPhone: true,
    sizes: ["phone", "kiosk"],
    go: (scene, _words, stop) => walkToWrittenTag(scene, stop),
  },
  { who: "staff with passengers", isFullOnly: true, sizes: ["kiosk"], go: walkThroughVisits },
  { who: "staff in their shift", isFullOnly: true, sizes: ["kiosk"], go: walkThroughShift },
  {
    who: "a developer",
    isFullOnly: true,
    sizes: ["phone", "kiosk"],
    go: (scene, _words, stop) => walkAsDeveloper(scene, stop),
  },
];
