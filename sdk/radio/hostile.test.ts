import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Bytes, equalBytes } from "../../core/encoding/bytes.ts";
import { dailyOrFull } from "../../core/full.test-support.ts";
import { type GattVersion, STATUS } from "../../core/gatt/profile.ts";
import { commitMark } from "../../core/sec/statement.ts";
import { isTaglatchError } from "../errors.ts";
import { LIAR, MEDDLER, type Mischief, scriptOf } from "../test-support/hostile-script.ts";
import { type ScriptedScene, scriptedScene } from "../test-support/scripted-session.ts";
import type { Result } from "../types.ts";

/** Jobs of each kind. */
const JOBS = dailyOrFull(10, 2_000);
const NIGHT = { timeout: 3_600_000 };

/** Every connection its own mischief, and an honest one after the last. */
const mischiefs = (each: fc.Arbitrary<Mischief>) => fc.array(each, { minLength: 1, maxLength: 4 });

/** Ends by itself (virtual time has a budget), and with an error of ours. */
async function job(generation: GattVersion, all: readonly Mischief[], operation: "transfer" | "clear") {
  const scene = await scriptedScene(generation, [...all.map(scriptOf), {}]);
  const result: Result<unknown> = await scene[operation]();
  if (!result.ok) expect(isTaglatchError(result.error) && result.error.code !== "internal").toBe(true);
  expect(scene.tag.connections.filter(({ open }) => open)).toEqual([]);
  return { scene, result };
}

/** On some connection the tag itself said that it has committed what it was asked to: at once, or when it was asked. */
async function saidCommitted({ tag }: ScriptedScene): Promise<boolean> {
  const digests = tag.connections.flatMap(({ received }) =>
    received.flatMap((record) => (record.kind === "commit" ? [record.sha256] : [])),
  );
  const said = tag.connections.flatMap((connection) => connection.said);
  const hellos = said.filter((record) => record.kind === "hello");
  const marks = await Promise.all(
    hellos.flatMap(({ nonce }) => digests.map((digest) => commitMark(nonce, digest))),
  );
  const isOurs = (named: Bytes | null) => named !== null && marks.some((mark) => equalBytes(named, mark));
  return (
    said.some((record) => record.kind === "status" && record.status === STATUS.COMMITTED) ||
    hellos.some(({ mark }) => isOurs(mark))
  );
}

const operations = fc.constantFrom("transfer" as const, "clear" as const);

describe("a job with an attacker between the client and an honest v2.1 tag", () => {
  it(
    "ends, says no more than the tag does, and of a failure whether anything has changed",
    NIGHT,
    async () => {
      const property = fc.asyncProperty(mischiefs(MEDDLER), operations, async (all, operation) => {
        const { scene, result } = await job("2.1", all, operation);
        expect(scene.tag.commits).toBeLessThanOrEqual(1);
        if (result.ok) expect(scene.tag.commits).toBe(1);
        else if (result.error.code !== "outcome_unknown") expect(scene.tag.commits).toBe(0);
      });
      await fc.assert(property, { numRuns: JOBS });
    },
  );
});

describe("a job with a v2.1 tag that lies", () => {
  it("ends, and is no success unless the tag says so", NIGHT, async () => {
    const property = fc.asyncProperty(mischiefs(LIAR), operations, async (all, operation) => {
      const { scene, result } = await job("2.1", all, operation);
      if (result.ok) expect(await saidCommitted(scene)).toBe(true);
    });
    await fc.assert(property, { numRuns: JOBS });
  });
});

describe("a job with a v2.0 tag that lies", () => {
  it("ends, and is no success unless the tag received the commit", NIGHT, async () => {
    const property = fc.asyncProperty(mischiefs(LIAR), operations, async (all, operation) => {
      const { scene, result } = await job("2.0", all, operation);
      const isSent = scene.tag.connections.some(({ messages }) =>
        messages.some(({ type }) => type === "PAYLOAD"),
      );
      if (result.ok) expect(isSent).toBe(true);
    });
    await fc.assert(property, { numRuns: JOBS });
  });
});
