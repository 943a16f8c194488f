// @vitest-environment jsdom
import { createRoot, createSignal } from "solid-js";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { withResolvers } from "../../sdk/abort.ts";
import type { Journey, OperationOptions, PickedTag, Result, Taglatch } from "../../sdk/index.ts";
import { addWrong, wrongProofs } from "../job/run-tag-job.ts";
import { LOVELACE } from "../test-support/fake-taglatch.ts";
import { FLOW, isVisit, next as nextScreen, type Screen } from "./flow.ts";
import {
  COUNTDOWN,
  createIdle,
  createInactivityTimer,
  EXTENSIONS,
  type Idle,
  type IdlePhase,
  next as nextIdle,
  OFF,
  QUIET,
} from "./idle.ts";
import { createRelease, next as nextRelease, RELEASE } from "./ReleaseScreen.tsx";
import { createFarewell, createVisit, wipeTraces } from "./visit.ts";

test("a journey that is found after its visit has ended is dropped", async () => {
  const answer = withResolvers<Result<Journey>>();
  const journeys = { fromBcbp: () => answer.promise };
  const visit = createVisit(async () => ({ journeys }) as unknown as Taglatch);
  const asked = visit.findByPass("M1");
  visit.end();
  answer.resolve({ ok: true, value: LOVELACE });
  expect(await asked).toBe("over");
  expect([visit.journey(), visit.companions(), visit.busy()]).toEqual([undefined, [], false]);
});

test("the next passenger has all tries of a proof", () => {
  const visit = createVisit(async () => ({}) as Taglatch);
  addWrong(visit.tries, "tag", 3, 0);
  expect(wrongProofs(visit.tries, "tag", 1)).toBe(3);
  visit.end();
  expect(wrongProofs(visit.tries, "tag", 1)).toBe(0);
});

const WORDS = { text: "Have a good trip.", lang: "en" };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open() {
  const [screen, setScreen] = createSignal<Screen>("attract");
  return { setScreen, ...createRoot(() => createFarewell(screen)) };
}

test("a farewell is shown for six seconds, each its own", () => {
  const { farewell, sayFarewell } = open();
  sayFarewell(WORDS);
  vi.advanceTimersByTime(5_000);
  sayFarewell({ ...WORDS });
  vi.advanceTimersByTime(5_999);
  expect(farewell()).toEqual(WORDS);
  vi.advanceTimersByTime(1);
  expect(farewell()).toBeUndefined();
});

test("a visit that begins earlier removes it for good", () => {
  const { farewell, sayFarewell, setScreen } = open();
  sayFarewell(WORDS);
  setScreen("typing");
  expect(farewell()).toBeUndefined();
  setScreen("attract");
  expect(farewell()).toBeUndefined();
});

test("of the address only what says that tags are virtual is left for the next passenger", async () => {
  for (const [search, left] of [
    ["?sim", "?sim"],
    ["?sim&recordLocator=ABC123", ""],
    ["?recordLocator=ABC123", ""],
  ]) {
    history.replaceState(null, "", `/kiosk${search}#ABC123`);
    await wipeTraces("Kiosk");
    expect(location.search + location.hash).toBe(left);
  }
});

test("of the storages only the airline's look and the virtual tags are left", async () => {
  for (const key of ["taglatch.look", "taglatch.journey-kept", "anything"]) localStorage.setItem(key, "x");
  for (const key of ["taglatch.virtual-tags", "anything"]) sessionStorage.setItem(key, "x");
  await wipeTraces("Kiosk");
  expect([Object.keys(localStorage), Object.keys(sessionStorage)]).toEqual([
    ["taglatch.look"],
    ["taglatch.virtual-tags"],
  ]);
});

test("the clipboard is emptied", async () => {
  const writeText = vi.fn(async () => undefined);
  vi.stubGlobal("navigator", { clipboard: { writeText } });
  await wipeTraces("Kiosk");
  expect(writeText.mock.calls).toEqual([[""]]);
  vi.unstubAllGlobals();
});

const SIGNS = [new Event("pointerdown"), new Event("keydown"), new Event("wheel")];

test("what staff open closes after its time without a touch, counted from the last one", () => {
  const act = vi.fn();
  const dispose = createRoot((end) => {
    createInactivityTimer(1_000, act);
    return end;
  });
  for (const sign of SIGNS) {
    vi.advanceTimersByTime(999);
    dispatchEvent(sign);
  }
  vi.advanceTimersByTime(999);
  expect(act).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(act).toHaveBeenCalledTimes(1);
  dispose();
});

test("nothing of it is left once it is closed: no timer, no listener", () => {
  const act = vi.fn();
  const dispose = createRoot((end) => {
    createInactivityTimer(1_000, act);
    return end;
  });
  dispose();
  for (const sign of SIGNS) dispatchEvent(sign);
  vi.advanceTimersByTime(10_000);
  expect(act).not.toHaveBeenCalled();
});

test("a visit without a touch is warned of, then ends, and a touch in between keeps it", () => {
  const [onWarning, onExpired] = [vi.fn(), vi.fn()];
  const [isVisit] = createSignal(true);
  const dispose = createRoot((end) => {
    createIdle({ isVisit, isWriting: () => false, isSpoken: () => false, onWarning, onExpired });
    return end;
  });
  vi.advanceTimersByTime(QUIET - 1);
  dispatchEvent(new Event("pointerdown"));
  vi.advanceTimersByTime(QUIET - 1);
  expect(onWarning).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1 + COUNTDOWN * 1_000);
  expect([onWarning.mock.calls.length, onExpired.mock.calls.length]).toEqual([1, 1]);
  dispose();
});

/** What the tables must keep, whatever else they say. */
describe("the screens of the kiosk", () => {
  test("all but the set-up can be reached from the start, and each of them can be left", () => {
    const reached = new Set<Screen>(["starting"]);
    for (const screen of reached) for (const next of Object.values(FLOW[screen])) reached.add(next);
    expect([...reached].sort()).toEqual(Object.keys(FLOW).sort());
  });

  test("every screen that may show personal data leads home", () => {
    for (const screen of (Object.keys(FLOW) as Screen[]).filter(isVisit))
      expect(nextScreen(screen, "home")).toBe("attract");
  });
});

describe("forgetting a passenger", () => {
  const at = (phase: IdlePhase): Idle => ({ phase, extensionsLeft: 4 });

  test("a touch starts the wait afresh: it is another state", () => {
    const idle = at("watching");
    expect(nextIdle(idle, "touch")).not.toBe(idle);
  });

  test("nothing ends the wait while a tag is written", () => {
    for (const event of ["quiet", "expired", "touch", "more"] as const)
      expect(nextIdle(at("held"), event).phase).toBe("held");
  });

  test("a write that begins during the warning ends it", () => {
    expect(nextIdle(at("warning"), "hold")).toEqual(at("held"));
    expect(nextIdle(at("held"), "resume")).toEqual(at("watching"));
  });

  test("more time can be had ten times, then the countdown runs out", () => {
    let idle = nextIdle(OFF, "enter");
    for (let asked = 0; asked < 10; asked++) {
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

describe("the life of a lock that staff open", () => {
  test("no lock opens without a tag, a look and a yes", () => {
    const { asking: _asking, ...others } = RELEASE;
    for (const state of Object.keys(others) as (keyof typeof others)[])
      expect(nextRelease(state, "opened")).toBe(state);
  });
});

test("staff who leave the screen while a tag is sought leave the tag alone", async () => {
  const asked: OperationOptions[] = [];
  const pickTag = (options: OperationOptions) => {
    asked.push(options);
    return new Promise<Result<PickedTag>>(() => undefined);
  };
  const load = async () => ({ pickTag }) as unknown as Taglatch;
  const signIn = async () => ({ ok: true, value: undefined }) as const;
  const { release, leave } = createRoot((leave) => ({ release: createRelease({ load, signIn }), leave }));
  release.pick();
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  leave();
  expect(asked[0]?.signal?.aborted).toBe(true);
});
