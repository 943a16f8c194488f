import { seeded } from "../seeded.ts";
import type { RadioFate, RadioModel } from "../tag/tag-types.ts";

/** How bad a radio is. Shares are between 0 and 1, times in milliseconds. */
export interface RadioQuality {
  /** Time between two connection events; every operation takes one, its answer another. */
  readonly interval: number;
  /** Peripheral latency: events a tag may sleep through before it listens to an operation; 0 when left out. */
  readonly latency?: number;
  /** Share of operations that miss an event and take longer, by up to four intervals. */
  readonly missedEvents: number;
  /** Share of connection attempts that fail and would succeed if repeated. */
  readonly connectFailure: number;
  /** Share of operations at which the link falls, before or after they took effect. */
  readonly drop: number;
  /** Share of operations refused by the central's own stack as "already in progress". */
  readonly inProgress: number;
  /** Share of operations at which the tag loses its power. */
  readonly reboot?: number;
  /** Share of operations whose handle the stack has forgotten. */
  readonly staleHandle?: number;
  /** Share of values truncated on their way, and the length that is left: some stacks do this at MTU − 3. */
  readonly truncation: number;
  readonly truncateTo: number;
}

/** A quiet room, one metre. */
export const GOOD_RADIO: RadioQuality = {
  interval: 30,
  missedEvents: 0,
  connectFailure: 0,
  drop: 0,
  inProgress: 0,
  truncation: 0,
  truncateTo: 20,
};

/** A baggage hall: about every third first connect fails, and any later operation may fail. */
export const BAD_RADIO: RadioQuality = {
  interval: 45,
  missedEvents: 0.2,
  connectFailure: 0.3,
  drop: 0.01,
  inProgress: 0.005,
  truncation: 0.005,
  truncateTo: 20,
};

/** Mean time of a connection attempt in milliseconds: a tag advertises every 100–400 ms and then takes six events. */
export const CONNECT_TIME = 400;

/** A radio whose failures are all decided by `seed`, so that a failed run can be repeated. */
export function seededRadio(seed: number, quality: RadioQuality): RadioModel {
  const next = seeded(seed);
  const happens = (share: number) => next() < share;
  return {
    connect: () => ({ delay: CONNECT_TIME * (0.5 + next()), fails: happens(quality.connectFailure) }),
    operation(_index, _kind, _length): RadioFate {
      const missed = happens(quality.missedEvents) ? Math.ceil(4 * next()) : 0;
      const asleep = quality.latency === undefined ? 0 : Math.floor((quality.latency + 1) * next());
      const delay = quality.interval * (2 + missed + asleep);
      if (happens(quality.drop)) return { delay, drop: happens(0.5) ? "before" : "after" };
      if (quality.reboot !== undefined && happens(quality.reboot))
        return { delay, reboot: happens(0.5) ? "before" : "after" };
      if (happens(quality.inProgress)) return { delay: 0, fails: "IN_PROGRESS" };
      if (quality.staleHandle !== undefined && happens(quality.staleHandle))
        return { delay: 0, fails: "INVALID_HANDLE" };
      if (happens(quality.truncation)) return { delay, truncate: quality.truncateTo };
      return { delay };
    },
  };
}
