/**
 * When a kiosk forgets its passenger: a pure table, and below it the timers and the sound
 * that drive it.
 */
import { type Accessor, createEffect, createMemo, createSignal, on, onCleanup, onMount } from "solid-js";
import { listen } from "../state/browser.ts";

/** Milliseconds of inactivity before the warning. */
export const QUIET = 45_000;
/** Seconds the warning lasts. */
export const COUNTDOWN = 20;
/** Factor for both while speech is on: the question is spoken before the time to answer it begins. */
const SPEECH_FACTOR = 2;
/** Seconds left at which the countdown is announced again. */
const ANNOUNCED_AT = [40, 20, 10, 5];
export const lastAnnounced = (left: number): number => ANNOUNCED_AT.findLast((at) => at >= left) ?? left;
/** How often a passenger may ask for more time (WCAG 2.2, 2.2.1: at least ten times). */
export const EXTENSIONS = 10;

const IDLE_PHASES = ["off", "watching", "warning", "held"] as const;
export type IdlePhase = (typeof IDLE_PHASES)[number];

const IDLE_EVENTS = [
  /** From now on personal data may be on the screen. */
  "enter",
  /** No personal data is on the screen any more. */
  "leave",
  /** A touch, a key, a scan. */
  "touch",
  /** {@link QUIET} has passed. */
  "quiet",
  /** "More time". */
  "more",
  /** The countdown ended. */
  "expired",
  /** A tag is being written: nothing may interrupt that. */
  "hold",
  "resume",
] as const;
type IdleEvent = (typeof IDLE_EVENTS)[number];

export interface Idle {
  readonly phase: IdlePhase;
  readonly extensionsLeft: number;
}

export const OFF: Idle = { phase: "off", extensionsLeft: EXTENSIONS };

const TABLE: Readonly<Record<IdlePhase, Partial<Record<IdleEvent, IdlePhase>>>> = {
  off: { enter: "watching" },
  watching: { leave: "off", touch: "watching", quiet: "warning", hold: "held" },
  // A touch outside the button is no answer; a write that begins is one.
  warning: { leave: "off", more: "watching", expired: "off", hold: "held" },
  held: { leave: "off", resume: "watching" },
};

/** The state after `event`; the same object if the event means nothing, a new one if a timer restarts. */
export function next(idle: Idle, event: IdleEvent): Idle {
  const phase = TABLE[idle.phase][event];
  if (phase === undefined) return idle;
  if (phase === "off") return OFF;
  if (event !== "more") return { ...idle, phase };
  if (idle.extensionsLeft === 0) return idle;
  return { phase, extensionsLeft: idle.extensionsLeft - 1 };
}

interface IdleOptions {
  /** Whether personal data may be on the screen. */
  readonly isVisit: Accessor<boolean>;
  /** Whether a tag is being written. */
  readonly isWriting: Accessor<boolean>;
  /** Whether speech is on. */
  readonly isSpoken: Accessor<boolean>;
  readonly onWarning: () => void;
  readonly onExpired: () => void;
}

/** Drives the table with time and with what people do at the page. */
export function createIdle(options: IdleOptions) {
  const [idle, setIdle] = createSignal<Idle>(OFF);
  const [left, setLeft] = createSignal(COUNTDOWN);
  const send = (event: IdleEvent) => setIdle((now) => next(now, event));
  const times = () => (options.isSpoken() ? SPEECH_FACTOR : 1);
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
    /** Seconds until the screen is cleared, during the warning. */
    countdown: () => (phase() === "warning" ? left() : undefined),
    canExtend: () => idle().extensionsLeft > 0,
    more: () => void send("more"),
    /** For activity that is neither touch nor key. */
    touch,
  };
}

const SIGNS_OF_LIFE = ["pointerdown", "keydown", "wheel"] as const;

/** Calls `touch` at every touch of the page or a key, as long as its owner lives. */
function onLife(touch: () => void): void {
  // Registered before the wedge, which keeps a scanner's keys to itself.
  listen(SIGNS_OF_LIFE, touch, { capture: true, passive: true });
}

/** Calls `act` after so many milliseconds without a touch: what staff open must not stay open. */
export function createInactivityTimer(after: number, act: () => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const begin = () => {
    clearTimeout(timer);
    timer = setTimeout(act, after);
  };
  onMount(begin);
  onLife(begin);
  onCleanup(() => clearTimeout(timer));
}

/** Two short notes, generated by the platform: no file to load, soft enough for a hall full of kiosks. */
const NOTES = [
  { hertz: 587, at: 0 },
  { hertz: 784, at: 0.16 },
] as const;
/** Seconds that a note takes to fade, and its loudness at the start (1 is full). */
const LENGTH = 0.3;
const LOUDNESS = 0.08;

/** Plays the chime; silent where the browser allows no sound yet. */
export function createChime(): () => void {
  let context: AudioContext | undefined;
  return () => {
    if (typeof AudioContext === "undefined") return;
    context ??= new AudioContext();
    // Refused until the first touch of the page; the warning is visible all the same.
    void context.resume().catch(() => undefined);
    for (const { hertz, at } of NOTES) playNote(context, hertz, context.currentTime + at);
  };
}

function playNote(context: AudioContext, hertz: number, from: number): void {
  const oscillator = new OscillatorNode(context, { type: "sine", frequency: hertz });
  const volume = new GainNode(context, { gain: 0 });
  volume.gain.setValueAtTime(0, from);
  volume.gain.linearRampToValueAtTime(LOUDNESS, from + 0.02);
  volume.gain.exponentialRampToValueAtTime(0.0001, from + LENGTH);
  oscillator.connect(volume).connect(context.destination);
  oscillator.start(from);
  oscillator.stop(from + LENGTH);
}
