import { type Accessor, createMemo, createSignal } from "solid-js";
import { differences, ReplayError, readTranscript, standings } from "../../../sim/replay/replay.ts";
import type { TagEvent } from "../../../sim/tag/tag-types.ts";
import { sim } from "../../i18n/en-sim.ts";

/**
 * How many messages and records had their bytes decoded again, and how many of them read differently today.
 */
export interface Comparison {
  readonly compared: number;
  readonly differing: number;
}

export interface Replay {
  /** Name of the file; undefined while none is open. */
  readonly name: Accessor<string | undefined>;
  /** What is wrong with the chosen file. */
  readonly problem: Accessor<string | undefined>;
  readonly length: Accessor<number>;
  /** How many events have passed, 0 to `length`. */
  readonly step: Accessor<number>;
  readonly goTo: (step: number) => void;
  readonly passed: Accessor<readonly TagEvent[]>;
  readonly comparison: Accessor<Comparison>;
  /** The tag's state after the last event that passed. */
  readonly position: Accessor<string>;
  /** What the e-paper shows at that point. */
  readonly display: Accessor<Extract<TagEvent, { type: "display" }> | undefined>;
  readonly open: (file: File) => Promise<void>;
  readonly close: () => void;
}

/** A saved transcript, step by step. Values of handshakes (`trace`) are not steps. */
export function createReplay(): Replay {
  const [name, setName] = createSignal<string>();
  const [events, setEvents] = createSignal<readonly TagEvent[]>([]);
  const [step, setStep] = createSignal(0);
  const [problem, setProblem] = createSignal<string>();
  const places = createMemo(() => standings(events()));
  const passed = createMemo(() => events().slice(0, step()));
  const comparison = createMemo(() => {
    const all = events().flatMap((event) => differences(event) ?? []);
    const compared = events().filter((event) => differences(event) !== undefined).length;
    return { compared, differing: all.length };
  });

  const close = () => {
    setName(undefined);
    setEvents([]);
    setStep(0);
    setProblem(undefined);
  };

  const open = async (file: File) => {
    close();
    try {
      setEvents(readTranscript(await file.text()).filter(({ type }) => type !== "trace"));
      setName(file.name);
    } catch (error) {
      if (!(error instanceof ReplayError)) throw error;
      setProblem(sim.replayProblem[error.code](error.line));
    }
  };

  const goTo = (to: number) => setStep(Math.min(Math.max(to, 0), events().length));
  const position = () => {
    const [event, place] = [events()[step() - 1], places()[step() - 1]];
    if (event === undefined || place === undefined) return sim.replayStart;
    return sim.replayAt(step(), events().length, (event.at / 1000).toFixed(3), place.phase, place.state);
  };
  const display = () => passed().findLast((event) => event.type === "display");

  return {
    name,
    problem,
    length: () => events().length,
    step,
    goTo,
    passed,
    comparison,
    position,
    display,
    open,
    close,
  };
}
