import { createRoot } from "solid-js";
import { describe, expect, test, vi } from "vitest";
import type { OperationOptions, PickedTag, Result, Taglatch } from "../../sdk/index.ts";
import { FLOW_EVENTS, isVisit, next as nextScreen, SCREENS, type Screen } from "./flow.ts";
import { EXTENSIONS, type Idle, type IdlePhase, next as nextIdle, OFF } from "./idle.ts";
import { createRelease, next as nextRelease, RELEASE_STATES } from "./release.ts";

/** What the tables must keep, whatever else they say. */
describe("the screens of the kiosk", () => {
  test("all but the set-up can be reached from the start, and each of them can be left", () => {
    const reached = new Set<Screen>(["starting"]);
    for (const screen of reached) for (const event of FLOW_EVENTS) reached.add(nextScreen(screen, event));
    expect([...reached].sort()).toEqual([...SCREENS].sort());
  });

  test("every screen that may show personal data leads home", () => {
    for (const screen of SCREENS.filter(isVisit)) expect(nextScreen(screen, "home")).toBe("attract");
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
    for (const state of RELEASE_STATES.filter((each) => each !== "asking"))
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
