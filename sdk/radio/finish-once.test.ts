import { describe, expect, test } from "vitest";
import { dailyOrFull } from "../../core/full.test-support.ts";
import { FAULTS, type FaultRow } from "../test-support/radio-faults.ts";
import { type Operation, runJob } from "../test-support/radio-job.ts";

/** Of each. */
const SEEDS = dailyOrFull(2, 12);

const row = (name: string): FaultRow => {
  const found = FAULTS.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no row ${name}`);
  return found;
};

/** From the token's way to the tag until the commit has reached it: nothing is on the display yet. */
const MIDDLE = [
  ["the link falls before it", "token"],
  ["the link falls after it", "token"],
  ["the link falls before it", "payload"],
  ["the link falls after it", "payload"],
  ["the link falls before it", "commit"],
  ["the tag reboots before it", "payload"],
] as const;

describe.each(["transfer", "clear"] as const)(
  "a %s whose link falls between authorize and commit",
  (operation: Operation) => {
    test.each(MIDDLE)("(%s, at %s) is finished by itself, once", async (name, step) => {
      for (let seed = 1; seed <= SEEDS; seed++) {
        const { outcome, scene, tokens, links, handshakes } = await runJob({
          generation: "2.1",
          operation,
          row: row(name),
          step,
          seed,
        });
        const where = `seed ${seed}`;
        expect(outcome, where).toBe("committed");
        // One more link, one more session, one more token: no less, and not again and again.
        expect({ tokens, links, handshakes }, where).toEqual({ tokens: 2, links: 2, handshakes: 2 });
        expect(scene.choosers(), where).toBe(1);
      }
    });

    test("needs one of each where nothing falls", async () => {
      const undisturbed: FaultRow = { name: "nothing happens" };
      const { outcome, tokens, links, handshakes } = await runJob({
        generation: "2.1",
        operation,
        row: undisturbed,
        step: "payload",
        seed: 1,
      });
      expect({ outcome, tokens, links, handshakes }).toEqual({
        outcome: "committed",
        tokens: 1,
        links: 1,
        handshakes: 1,
      });
    });
  },
);
