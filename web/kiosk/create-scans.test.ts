import { createRoot } from "solid-js";
import { expect, test } from "vitest";
import { createScans } from "./create-scans.ts";
import type { Visit } from "./create-visit.ts";
import type { Screen } from "./flow.ts";

const PASS = "M1LOVELACE/ADA        EABC123 OSLARNSK 1234 123Y008A0034 100";

/** What a pass that is scanned on `screen` sets off. */
async function scannedOn(screen: Screen, isWriting = false) {
  const done: string[] = [];
  const visit = { findByPass: async () => "done", journey: () => undefined } as unknown as Visit;
  const scans = createRoot(() =>
    createScans({
      screen: () => screen,
      send: (event) => done.push(event),
      visit,
      isWriting: () => isWriting,
      home: () => done.push("home"),
      begin: () => done.push("begin"),
    }),
  );
  scans.hear(PASS);
  await Promise.resolve();
  return { done, heard: scans.heard() };
}

test("a boarding pass that is scanned while a tag is written changes nothing, and is said to come too early", async () => {
  expect(await scannedOn("writing", true)).toEqual({ done: [], heard: "busy" });
});

test.each(["journey", "writing", "clearing", "releasing"] as const)(
  "a boarding pass that is scanned at %s is the next passenger's: of the one before nothing stays",
  async (screen) => {
    expect((await scannedOn(screen)).done).toEqual(["home", "scan", "found"]);
  },
);

test.each(["attract", "typing", "camera", "problem"] as const)(
  "a boarding pass that is scanned at %s begins a visit, or goes on with one",
  async (screen) => {
    expect((await scannedOn(screen)).done).toEqual(["begin", "scan", "found"]);
  },
);
