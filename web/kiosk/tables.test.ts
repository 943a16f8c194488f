import { describe, expect, test } from "vitest";
import { FLOW_EVENTS, type FlowEvent, isVisit, next as nextScreen, SCREENS, type Screen } from "./flow.ts";
import {
  EXTENSIONS,
  IDLE_EVENTS,
  IDLE_PHASES,
  type Idle,
  type IdleEvent,
  type IdlePhase,
  next as nextIdle,
  OFF,
} from "./idle.ts";
import {
  next as nextRelease,
  RELEASE_EVENTS,
  RELEASE_STATES,
  type ReleaseEvent,
  type ReleaseState,
} from "./release.ts";
import { next as nextShift, SHIFT_EVENTS, SHIFT_STATES, type ShiftEvent, type ShiftState } from "./shift.ts";

/** Written beside the tables, not taken from them: every pair not listed here must change nothing. */
const MOVES: readonly (readonly [Screen, FlowEvent, Screen])[] = [
  ["starting", "noSetup", "unset"],
  ["starting", "signedOut", "signIn"],
  ["starting", "signedIn", "attract"],
  ["signIn", "signedIn", "attract"],
  ["attract", "signedOut", "signIn"],
  ["attract", "scan", "finding"],
  ["attract", "type", "typing"],
  ["attract", "camera", "camera"],
  ["attract", "clear", "clearing"],
  ["attract", "release", "releasing"],
  ["attract", "queue", "queue"],
  ["attract", "trace", "tracing"],
  ["tracing", "home", "attract"],
  ["tracing", "scan", "finding"],
  ["typing", "scan", "finding"],
  ["typing", "type", "typing"],
  ["typing", "camera", "camera"],
  ["typing", "found", "journey"],
  ["typing", "home", "attract"],
  ["camera", "scan", "finding"],
  ["camera", "type", "typing"],
  ["camera", "camera", "camera"],
  ["camera", "home", "attract"],
  ["finding", "found", "journey"],
  ["finding", "failed", "problem"],
  ["finding", "home", "attract"],
  ["problem", "scan", "finding"],
  ["problem", "type", "typing"],
  ["problem", "camera", "camera"],
  ["problem", "home", "attract"],
  ["journey", "scan", "finding"],
  ["journey", "put", "writing"],
  ["journey", "clear", "clearing"],
  ["journey", "release", "releasing"],
  ["journey", "home", "attract"],
  ["writing", "scan", "finding"],
  ["writing", "put", "writing"],
  ["writing", "journey", "journey"],
  ["writing", "release", "releasing"],
  ["writing", "home", "attract"],
  ["clearing", "scan", "finding"],
  ["clearing", "journey", "journey"],
  ["clearing", "release", "releasing"],
  ["clearing", "home", "attract"],
  ["releasing", "scan", "finding"],
  ["releasing", "journey", "journey"],
  ["releasing", "put", "writing"],
  ["releasing", "clear", "clearing"],
  ["releasing", "home", "attract"],
  ["queue", "scan", "finding"],
  ["queue", "home", "attract"],
];

describe("the screens of the kiosk", () => {
  const pairs = SCREENS.flatMap((screen) => FLOW_EVENTS.map((event) => [screen, event] as const));

  test.each(pairs)("on %s, %s leads where it should", (screen, event) => {
    const move = MOVES.find(([from, on]) => from === screen && on === event);
    expect(nextScreen(screen, event)).toBe(move ? move[2] : screen);
  });

  test("all but the set-up can be reached from the start, and each of them can be left", () => {
    const reached = new Set<Screen>(["starting"]);
    for (const screen of reached) for (const event of FLOW_EVENTS) reached.add(nextScreen(screen, event));
    expect([...reached].sort()).toEqual([...SCREENS].sort());
  });

  test("every screen that may show somebody's data leads home", () => {
    for (const screen of SCREENS.filter(isVisit)) expect(nextScreen(screen, "home")).toBe("attract");
  });
});

const IDLE_MOVES: readonly (readonly [IdlePhase, IdleEvent, IdlePhase])[] = [
  ["off", "enter", "watching"],
  ["watching", "leave", "off"],
  ["watching", "touch", "watching"],
  ["watching", "quiet", "warning"],
  ["watching", "hold", "held"],
  ["warning", "leave", "off"],
  ["warning", "more", "watching"],
  ["warning", "expired", "off"],
  ["warning", "hold", "held"],
  ["held", "leave", "off"],
  ["held", "resume", "watching"],
];

describe("forgetting a passenger", () => {
  const pairs = IDLE_PHASES.flatMap((phase) => IDLE_EVENTS.map((event) => [phase, event] as const));
  const at = (phase: IdlePhase): Idle => ({ phase, extensionsLeft: 4 });

  test.each(pairs)("when %s, %s leads where it should", (phase, event) => {
    const move = IDLE_MOVES.find(([from, on]) => from === phase && on === event);
    const idle = at(phase);
    if (move) expect(nextIdle(idle, event).phase).toBe(move[2]);
    else expect(nextIdle(idle, event)).toBe(idle);
  });

  test("a touch starts the wait afresh: it is another state", () => {
    const idle = at("watching");
    expect(nextIdle(idle, "touch")).not.toBe(idle);
  });

  test("nothing ends the wait while a tag is written", () => {
    for (const event of ["quiet", "expired", "touch", "more"] as const)
      expect(nextIdle(at("held"), event).phase).toBe("held");
  });

  test("more time can be had ten times, then the countdown runs out", () => {
    let idle = nextIdle(OFF, "enter");
    for (let asked = 0; asked < EXTENSIONS; asked++) {
      idle = nextIdle(nextIdle(idle, "quiet"), "more");
      expect(idle.phase).toBe("watching");
    }
    idle = nextIdle(idle, "quiet");
    expect(nextIdle(idle, "more")).toBe(idle);
    expect(nextIdle(idle, "expired")).toBe(OFF);
  });

  test("the next passenger has all ten again", () => {
    expect(nextIdle({ phase: "warning", extensionsLeft: 0 }, "expired")).toEqual(OFF);
    expect(nextIdle(OFF, "enter").extensionsLeft).toBe(EXTENSIONS);
  });
});

const SHIFT_MOVES: readonly (readonly [ShiftState, ShiftEvent, ShiftState])[] = [
  ["unknown", "found", "in"],
  ["unknown", "foundNone", "out"],
  ["out", "signIn", "signingIn"],
  ["signingIn", "accepted", "in"],
  ["signingIn", "refused", "out"],
  ["in", "ended", "out"],
  ["in", "end", "ending"],
  ["ending", "ended", "out"],
  ["ending", "queueWaits", "waiting"],
  ["ending", "stay", "in"],
  ["waiting", "ended", "out"],
  ["waiting", "end", "ending"],
  ["waiting", "stay", "in"],
];

describe("the life of a shift", () => {
  const pairs = SHIFT_STATES.flatMap((state) => SHIFT_EVENTS.map((event) => [state, event] as const));

  test.each(pairs)("when %s, %s leads where it should", (state, event) => {
    const move = SHIFT_MOVES.find(([from, on]) => from === state && on === event);
    expect(nextShift(state, event)).toBe(move ? move[2] : state);
  });
});

const RELEASE_MOVES: readonly (readonly [ReleaseState, ReleaseEvent, ReleaseState])[] = [
  ["ready", "pick", "picking"],
  ["ready", "picked", "looking"],
  ["picking", "picked", "looking"],
  ["picking", "cancelled", "ready"],
  ["picking", "failed", "failed"],
  ["looking", "locked", "asking"],
  ["looking", "unlocked", "free"],
  ["looking", "failed", "failed"],
  ["free", "pick", "picking"],
  ["asking", "opened", "done"],
  ["done", "pick", "picking"],
  ["failed", "pick", "picking"],
];

describe("the life of a lock that staff open", () => {
  const pairs = RELEASE_STATES.flatMap((state) => RELEASE_EVENTS.map((event) => [state, event] as const));

  test.each(pairs)("when %s, %s leads where it should", (state, event) => {
    const move = RELEASE_MOVES.find(([from, on]) => from === state && on === event);
    expect(nextRelease(state, event)).toBe(move ? move[2] : state);
  });

  test("no lock opens without a tag, a look and a yes", () => {
    for (const state of RELEASE_STATES.filter((each) => each !== "asking"))
      expect(nextRelease(state, "opened")).toBe(state);
  });
});
