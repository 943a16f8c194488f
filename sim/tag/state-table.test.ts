import { describe, expect, it } from "vitest";
import { type GattVersion, TAG_STATE, type TagState } from "../../core/gatt/profile.ts";
import {
  type Act,
  abort,
  badFrame,
  badToken,
  chain,
  challenge,
  commit,
  data,
  fresh,
  message1,
  message3,
  otherCommit,
  otherSuite,
  token,
  wholePayload,
} from "../test-support/central-acts.ts";
import { reach, type Stage } from "../test-support/stages.ts";

const STATES = Object.keys(TAG_STATE) as TagState[];

/** A dot is "anything not listed": IDLE. */
const LETTER: Readonly<Record<string, TagState>> = {
  ".": "IDLE",
  C: "CONNECTED",
  W: "WAIT_M3",
  P: "PRESENTED",
  E: "ESTABLISHED",
  A: "AUTHORIZED",
  R: "RECEIVING",
  X: "COMMITTING",
  D: "COMMITTED",
  L: "LOCKOUT",
};

/** Everything a central, time or the link can do to a tag, and where the table says it leads. */
const ACTS: readonly (readonly [name: string, act: Act, v21: string, v20: string])[] = [
  //                                                             I C W P E A R X D L   I C W P E A R X D L
  ["a connection", ({ tag }) => tag.connect().catch(() => 0), "C C W _ E A R X D L", "C C _ P _ A R X D L"],
  ["a disconnect", async ({ tag }) => tag.disconnect(), ". . . _ . . . X . L", ". . _ . _ . . X . L"],
  ["a read of INFO", ({ central }) => central.info(), "_ C W _ E A R X D L", "_ C _ P _ A R X D L"],
  ["a read of ID and battery", readAround, "_ C W _ E A R X D L", "_ C _ P _ A R X D L"],
  ["a good message_1", message1, "_ W . _ . . . X . L", "_ _ _ _ _ _ _ _ _ _"],
  ["a message_1 of another suite", otherSuite, "_ C . _ . . . X . L", "_ _ _ _ _ _ _ _ _ _"],
  ["a message_3", message3, "_ . E _ . . . X . L", "_ _ _ _ _ _ _ _ _ _"],
  ["a chain on CERT", chain, "_ P . _ . . . X . L", "_ P _ . _ . . X . L"],
  ["a good token", token, "_ . . _ A . . X . L", "_ . _ A _ . . X . L"],
  ["a bad token", badToken, "_ . . _ E . . X . L", "_ . _ P _ . . X . L"],
  ["data", data, "_ _ _ _ . R R X . L", "_ _ _ . _ R _ X . L"],
  ["a commit", commit, "_ . . _ . . X X . L", "_ _ _ _ _ _ _ _ _ _"],
  ["a commit of something else", otherCommit, "_ . . _ . . . X . L", "_ _ _ _ _ _ _ _ _ _"],
  ["a whole payload", wholePayload, "_ . . _ . . . X . L", "_ . _ . _ X . X . L"],
  ["a request for a nonce", fresh, "_ . . _ E . . X . L", "_ _ _ _ _ _ _ _ _ _"],
  ["a challenge", challenge, "_ . . _ E . . X D L", "_ _ _ _ _ _ _ _ _ _"],
  ["an abort", abort, "_ . . _ . . . X . L", "_ _ _ _ _ _ _ _ _ _"],
  ["a bad frame", badFrame, "_ . . _ . . . X . L", "_ . _ . _ . . X . L"],
  [
    "eleven seconds",
    async ({ world }) => world.advance(11_000),
    ". . . _ E . . D D L",
    ". . _ P _ . . D D L",
  ],
  ["five minutes", async ({ world }) => world.advance(300_000), ". . . _ . . . _ . .", ". . _ . _ . . _ . ."],
];

async function readAround({ tag }: Stage) {
  for (const { uuid, name } of tag.services.flatMap((service) => service.characteristics)) {
    if (name === "ID" || name === "LEVEL" || name === "MODEL") await tag.read(uuid);
  }
}
describe.each([
  ["2.1", 2],
  ["2.0", 3],
] as const)("a tag over v%s", (path, column) => {
  const cases = ACTS.flatMap((act) =>
    act[column].split(" ").flatMap((letter, i) => {
      const state = STATES[i];
      return letter === "_" || state === undefined ? [] : [{ state, act, next: LETTER[letter] }];
    }),
  );
  it.each(cases)("in $state goes by $act.0 to $next", async ({ state, act, next }) => {
    const at = await reach(state, path as GattVersion);
    const shown = at.tag.snapshot().display.content;
    await act[1](at);
    await at.tag.settled();
    expect(at.tag.snapshot().state).toBe(next);
    if (next !== "COMMITTED") expect(at.tag.snapshot().display.content).toEqual(shown);
  });
});
