import { beforeEach, describe, expect, it, vi } from "vitest";
import { guardedDatabase } from "../test-support/guarded-database.ts";
import { guestSession, type TestSession } from "../test-support/logins.ts";
import { type Answer, startClean, startService, type TestService } from "../test-support/service.ts";

/**
 * Refusals that must look alike do alike: the same statements in the same calls, as many hashes of as many bytes
 * (rules §1, `custody_proof_invalid`). How long it takes is measured by `npm run bench -- custody`.
 */

/** What one request did: its batches as the texts of their statements, and its HMACs and digests. */
interface Work {
  readonly batches: readonly (readonly string[])[];
  readonly hashes: readonly string[];
}

let service: TestService;
let prover: TestSession;
let batches: string[][] = [];

/** A database that notes which statements travel together. */
const noted = (binding: D1Database) => guardedDatabase(binding, (texts) => batches.push([...texts]));

beforeEach(async () => {
  const clean = await startClean();
  const holder = await guestSession(clean);
  await holder.call("deviceAttachment", { device: { uniqueID: "ebt-21-0001" }, baggageId: 1 });
  service = await startService({}, undefined, { database: noted });
  prover = await guestSession(service);
});

async function workOf(request: () => Promise<Answer>): Promise<Work> {
  batches = [];
  const hashes: string[] = [];
  const spies = (["sign", "digest"] as const).map((operation) => {
    const original = crypto.subtle[operation] as (...input: unknown[]) => Promise<ArrayBuffer>;
    return vi.spyOn(crypto.subtle, operation).mockImplementation((...input: unknown[]) => {
      hashes.push(`${operation} ${(input.at(-1) as ArrayBufferView).byteLength}`);
      return original.apply(crypto.subtle, input);
    });
  });
  await request();
  for (const spy of spies) spy.mockRestore();
  // Webhooks go out after the answer.
  return { batches: batches.filter(([text]) => !text?.includes('from "webhooks"')), hashes };
}

const RIGHT = { uniqueDeviceId: "ebt-21-0001", recordLocator: "ABC123", surname: "LOVELACE" };
const REFUSED = [
  ["wrong locator", { recordLocator: "ABC124" }],
  ["wrong surname", { surname: "LOVELARD" }],
  ["unknown tag", { uniqueDeviceId: "ebt-21-9999" }],
  ["tag without a lock", { uniqueDeviceId: "ebt-21-0002" }],
] as const;

describe("a refused custody proof", () => {
  const refusal = (fields: object, headers = {}) =>
    workOf(() => prover.call("ebtCustodyProof", { ...RIGHT, ...fields }, headers));

  it("is work: it asks the database twice, and hashes more than 32 times", async () => {
    const { batches: calls, hashes } = await refusal({ surname: "LOVELARD" });
    expect(calls).toHaveLength(2);
    expect(hashes.filter((hash) => hash.startsWith("sign")).length).toBeGreaterThan(32);
  });

  it.each(REFUSED)("costs the same for a %s as for any other cause", async (_, fields) => {
    const work = await refusal(fields);
    for (const [, others] of REFUSED) expect(await refusal(others)).toEqual(work);
  });

  it.each(REFUSED)("costs the same under an Idempotency-Key, too: %s", async (name, fields) => {
    const work = await refusal(fields, { "Idempotency-Key": `one ${name}` });
    const other = await refusal({ surname: "MARPLE42" }, { "Idempotency-Key": `two ${name}` });
    expect(work).toEqual(other);
  });

  it("over the budget costs the same for what exists and what does not", async () => {
    for (let i = 0; i < 6; i++) {
      for (const uniqueDeviceId of ["ebt-21-0001", "ebt-21-9999"]) {
        await refusal({ uniqueDeviceId, recordLocator: `AAAA${i}${uniqueDeviceId.at(-1)}` });
      }
    }
    const known = await refusal({ recordLocator: "AAAAAA" });
    expect(known.batches).toHaveLength(2);
    expect(await refusal({ recordLocator: "AAAAAB", uniqueDeviceId: "ebt-21-9999" })).toEqual(known);
    // What is right there discloses nothing either.
    expect(await refusal({})).toEqual(known);
  });

  it.each([[{}], [{ "Idempotency-Key": "k" }]])(
    "over the budget reads as many rows where the proof is right, and starts no webhooks: %j",
    async (headers) => {
      for (let i = 0; i < 5; i++) await refusal({ surname: "LOVELARD" });
      await service.settled();
      const readFor = async (surname: string) => {
        batches = [];
        const { status } = await prover.call("ebtCustodyProof", { ...RIGHT, surname }, headers);
        await service.settled();
        return { status, rowsRead: service.log.at(-1)?.rowsRead, calls: batches.length };
      };
      const wrong = await readFor("LOVELARD");
      expect(wrong).toMatchObject({ status: 429, calls: 2 });
      expect(await readFor(RIGHT.surname)).toEqual(wrong);
    },
  );

  it("costs what a right proof costs", async () => {
    const work = await refusal({ surname: "LOVELARD" });
    expect(await refusal({})).toEqual(work);
  });
});

it("a refused look-up of a journey costs the same for a wrong locator and a wrong surname", async () => {
  const refusal = (recordLocator: string, surname: string) =>
    workOf(() => prover.call("journeyFromRecordLocator", { recordLocator, surname }));
  const work = await refusal("ABC123", "LOVELARD");
  expect(work.hashes.length).toBeGreaterThan(32);
  expect(await refusal("ABC124", "LOVELACE")).toEqual(work);
});
