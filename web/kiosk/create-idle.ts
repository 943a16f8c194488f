import { type Accessor, createEffect, createMemo, createSignal, on, onCleanup, onMount } from "solid-js";
import { COUNTDOWN, type Idle, type IdleEvent, next, OFF, QUIET, SPOKEN } from "./idle.ts";

export interface IdleOptions {
  /** Whether somebody's data may be on the screen. */
  readonly isVisit: Accessor<boolean>;
  /** Whether a tag is being written. */
  readonly isWriting: Accessor<boolean>;
  /** Whether somebody listens to what others read. */
  readonly isSpoken: Accessor<boolean>;
  readonly onWarning: () => void;
  readonly onExpired: () => void;
}

export interface IdleWatch {
  /** Seconds until the screen is cleared, while the warning stands. */
  readonly countdown: Accessor<number | undefined>;
  readonly canExtend: Accessor<boolean>;
  readonly more: () => void;
  /** For a sign of life that is neither touch nor key. */
  readonly touch: () => void;
}

/** Drives the table of idle.ts with time and with what people do at the page. */
export function createIdle(options: IdleOptions): IdleWatch {
  const [idle, setIdle] = createSignal<Idle>(OFF);
  const [left, setLeft] = createSignal(COUNTDOWN);
  const send = (event: IdleEvent) => setIdle((now) => next(now, event));
  const times = () => (options.isSpoken() ? SPOKEN : 1);
  const phase = createMemo(() => idle().phase);

  createEffect(() => send(options.isVisit() ? "enter" : "leave"));
  createEffect(() => send(options.isVisit() && options.isWriting() ? "hold" : "resume"));

  // A new state, even of the same phase, restarts its timer.
  createEffect(() => {
    if (idle().phase !== "watching") return;
    const timer = setTimeout(() => send("quiet"), times() * QUIET);
    onCleanup(() => clearTimeout(timer));
  });

  createEffect(
    on(phase, (now) => {
      if (now !== "warning") return;
      setLeft(times() * COUNTDOWN);
      options.onWarning();
      const timer = setInterval(() => {
        if (setLeft((seconds) => seconds - 1) > 0) return;
        send("expired");
        options.onExpired();
      }, 1_000);
      onCleanup(() => clearInterval(timer));
    }),
  );

  const touch = () => void send("touch");
  onLife(touch);

  return {
    countdown: () => (phase() === "warning" ? left() : undefined),
    canExtend: () => idle().extensionsLeft > 0,
    more: () => void send("more"),
    touch,
  };
}

const SIGNS_OF_LIFE = ["pointerdown", "keydown", "wheel"] as const;

/** Calls `touch` whenever somebody touches the page or a key, as long as its owner lives. */
function onLife(touch: () => void): void {
  onMount(() => {
    // Registered before the wedge, which keeps a scanner's keys to itself.
    for (const type of SIGNS_OF_LIFE) addEventListener(type, touch, { capture: true, passive: true });
  });
  onCleanup(() => {
    for (const type of SIGNS_OF_LIFE) removeEventListener(type, touch, { capture: true });
  });
}

/** Calls `act` once nobody has touched anything for so long (milliseconds): what staff open must not stay open. */
export function createQuiet(after: number, act: () => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const begin = () => {
    clearTimeout(timer);
    timer = setTimeout(act, after);
  };
  onMount(begin);
  onLife(begin);
  onCleanup(() => clearTimeout(timer));
}
