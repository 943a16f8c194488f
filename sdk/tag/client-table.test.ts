import { describe, expect, test } from "vitest";
import { withResolvers } from "../abort.ts";
import {
  CLIENT_EVENTS,
  CLIENT_STATES,
  type ClientEvent,
  type ClientState,
  ClientSteps,
  nextClientState,
} from "./client-table.ts";

const PAIRS = CLIENT_STATES.flatMap((state) => CLIENT_EVENTS.map((event) => [state, event] as const));

/** A path of events to each state, for putting a machine there. */
const PATHS: Readonly<Partial<Record<ClientState, readonly ClientEvent[]>>> = {
  INFO: [],
  WAIT_M2: ["message1"],
  WAIT_M4: ["message1", "message2"],
  ESTABLISHED: ["message1", "message2", "message4"],
  AUTHORIZED: ["message1", "message2", "message4", "tokenAccepted"],
  WRITING: ["message1", "message2", "message4", "tokenAccepted", "payload"],
  COMMITTED: ["message1", "message2", "message4", "tokenAccepted", "payload", "committed"],
};

async function stepsAt(state: ClientState): Promise<ClientSteps> {
  const steps = new ClientSteps();
  if (state === "DISCONNECTED") steps.end();
  if (state === "FAILED") await steps.take("INFO", async () => ["fault", undefined]);
  for (const event of PATHS[state] ?? []) await steps.take(steps.state, async () => [event, undefined]);
  expect(steps.state).toBe(state);
  return steps;
}

/** What each state's events lead to, besides the end of the link and failure. */
const MOVES = [
  "DISCONNECTED connected INFO",
  "INFO message1 WAIT_M2",
  "INFO presented ESTABLISHED",
  "WAIT_M2 suiteRefused INFO",
  "WAIT_M2 message2 WAIT_M4",
  "WAIT_M4 message4 ESTABLISHED",
  "ESTABLISHED nonce ESTABLISHED",
  "ESTABLISHED tokenAccepted AUTHORIZED",
  "ESTABLISHED tokenRefused ESTABLISHED",
  "ESTABLISHED payload WRITING",
  "ESTABLISHED statement ESTABLISHED",
  "AUTHORIZED payload WRITING",
  "WRITING tokenRefused ESTABLISHED",
  "WRITING committed COMMITTED",
  "COMMITTED statement COMMITTED",
];

describe("the table", () => {
  test("has every transition and no other", () => {
    for (const [state, event] of PAIRS) {
      const move = MOVES.find((each) => each.startsWith(`${state} ${event} `));
      const otherwise = event === "disconnected" || state === "DISCONNECTED" ? "DISCONNECTED" : "FAILED";
      expect([state, event, nextClientState(state, event)]).toEqual([
        state,
        event,
        move?.split(" ").at(-1) ?? otherwise,
      ]);
    }
  });

  test("knows AUTHORIZED only by an accepted token, COMMITTED only by the tag's answer", () => {
    const into = (target: ClientState) =>
      PAIRS.filter(([state, event]) => state !== target && nextClientState(state, event) === target);
    expect(into("AUTHORIZED")).toEqual([["ESTABLISHED", "tokenAccepted"]]);
    expect(into("COMMITTED")).toEqual([["WRITING", "committed"]]);
  });
});

describe("a step", () => {
  test.each([
    ["INFO", "WAIT_M2"],
    ["WAIT_M2", "WAIT_M4"],
    ["ESTABLISHED", "WRITING"],
    ["WRITING", "ESTABLISHED"],
    ["FAILED", "INFO"],
    ["DISCONNECTED", "INFO"],
  ] as const)("is refused in %s where it needs %s, and changes nothing", async (state, needed) => {
    const steps = await stepsAt(state);
    const work = async () => ["committed", undefined] as const;
    await expect(steps.take(needed, work)).rejects.toMatchObject({ code: "protocol" });
    expect(steps.state).toBe(state);
  });

  test("that is under way allows no other, and has failed until it has ended", async () => {
    const steps = await stepsAt("ESTABLISHED");
    const { promise, resolve } = withResolvers<readonly ["tokenAccepted", undefined]>();
    const first = steps.take("ESTABLISHED", () => promise);
    expect(steps.state).toBe("FAILED");
    await expect(steps.take("ESTABLISHED", () => promise)).rejects.toMatchObject({ code: "protocol" });
    resolve(["tokenAccepted", undefined]);
    await first;
    expect(steps.state).toBe("AUTHORIZED");
  });

  test("that throws leaves FAILED", async () => {
    const steps = await stepsAt("WRITING");
    await expect(steps.take("WRITING", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(steps.state).toBe("FAILED");
  });

  test("does not bring a fallen link back", async () => {
    const steps = await stepsAt("WRITING");
    await steps.take("WRITING", async () => {
      steps.end();
      return ["committed", undefined];
    });
    expect(steps.state).toBe("DISCONNECTED");
  });
});
