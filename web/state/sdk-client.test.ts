import "fake-indexeddb/auto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { createTaglatch } from "./sdk-client.ts";

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
  // The reporter is a chunk of its own.
  await vi.waitFor(() => expect(called).toContain("/.well-known/ebt-configuration"), { timeout: 5_000 });
  if (outcomes === "all") await vi.waitFor(() => expect(called).toHaveLength(2), { timeout: 5_000 });
  // Longer than the reporter takes from the answer to its request.
  else await sleep(100);
  return called.slice(1);
}

it("counts the outcomes of our own pages only where the operator wants them", async () => {
  expect(await calledWhere("all")).toEqual(["/v2/outcomes"]);
  expect(await calledWhere("hosts")).toEqual([]);
  expect(await calledWhere(undefined)).toEqual([]);
});
