import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { startWithCleanTags } from "../test-support/clean-tags.ts";
import { guestSession, type TestSession } from "../test-support/logins.ts";

/** Every statement of the tag endpoints finds its rows by an index, whatever the tables grow to. */

let guest: TestSession;
let queries: Set<string>;
beforeEach(async () => {
  guest = await guestSession(await startWithCleanTags());
  queries = new Set();
  const prepare = env.DB.prepare.bind(env.DB);
  vi.spyOn(env.DB, "prepare").mockImplementation((query) => {
    queries.add(query);
    return prepare(query);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

const device = { uniqueID: "ebt-21-0001", guid: "g", mac: "m", bagTagModel: "x" };
const digest = "A".repeat(43);

it.each([
  ["ebtAuthorization", { uniqueDeviceId: "ebt-21-0001", nonce: "n", baggageId: 1, payloadDigest: digest }],
  ["deviceAttachment", { device, baggageId: 1 }],
  ["ebtLookup", { uniqueDeviceId: "ebt-21-0001" }],
  ["ebtUnlock", { uniqueDeviceId: "ebt-21-0001" }],
] as const)("%s scans no table", async (name, body) => {
  await guest.call(name, body, { "Idempotency-Key": "k" });
  vi.restoreAllMocks();
  expect(queries.size).toBeGreaterThan(2);
  for (const query of queries) {
    const nothing = Array<null>(query.split("?").length - 1).fill(null);
    const { results } = await env.DB.prepare(`explain query plan ${query}`)
      .bind(...nothing)
      .all<{ detail: string }>();
    // A subquery of one constant row is no table.
    const scans = results.filter(({ detail }) => /^SCAN (?!CONSTANT|verdict)/.test(detail));
    expect({ query, scans }).toEqual({ query, scans: [] });
  }
});
