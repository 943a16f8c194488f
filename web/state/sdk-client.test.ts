import "fake-indexeddb/auto";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createTaglatch } from "./sdk-client.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const PEM = `-----BEGIN CERTIFICATE-----\n${btoa("a root")}\n-----END CERTIFICATE-----\n`;
const CONFIGURATION = {
  issuer: "taglatch",
  clientKeys: { passenger: "k" },
  clientRoots: [],
  tagRoots: [PEM],
};

/** The paths that the page's client calls when an operation has ended, at a service that counts as `outcomes` says. */
async function calledWhere(outcomes: "hosts" | "all" | undefined): Promise<readonly string[]> {
  const called: string[] = [];
  const answer = async (url: unknown) => {
    called.push(String(url));
    return Response.json({ ...CONFIGURATION, outcomes });
  };
  const client = createTaglatch({
    baseUrl: "",
    fetch: answer as typeof fetch,
    databaseName: `own-${outcomes}`,
  });
  await client.connect("a tag that this device does not know");
  // The reporter is a chunk of its own: its pause begins once that is loaded.
  await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0), { timeout: 5_000 });
  await vi.runAllTimersAsync();
  await vi.waitFor(() => expect(called).toContain("/.well-known/ebt-configuration"), { timeout: 5_000 });
  await vi.runAllTimersAsync();
  if (outcomes === "all") await vi.waitFor(() => expect(called).toHaveLength(2), { timeout: 5_000 });
  return called.slice(1);
}

it("counts the outcomes of our own pages only where the operator wants them", async () => {
  expect(await calledWhere("all")).toEqual(["/v2/outcomes"]);
  expect(await calledWhere("hosts")).toEqual([]);
  expect(await calledWhere(undefined)).toEqual([]);
});
