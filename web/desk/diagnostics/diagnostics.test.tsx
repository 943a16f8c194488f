import { fireEvent, screen, waitFor } from "@solidjs/testing-library";
import { createRoot } from "solid-js";
import { expect, test, vi } from "vitest";
import { withResolvers } from "../../../sdk/abort.ts";
import type { RunRecord } from "../../../sdk/index.ts";
import { keepRuns, RUNS_KEPT, runLog } from "../../state/run-log.ts";
import { fakeTaglatch } from "../../test-support/fake-taglatch.ts";
import { renderApp, setUpPageTests } from "../../test-support/render-app.tsx";
import { createDiagnostics, findAbilities, medians, timingsOf } from "./DiagnosticsPage.tsx";
import "fake-indexeddb/auto";

setUpPageTests();

test("the page lists what the browser can do and the runs that were kept, and deletes them when asked", async () => {
  await runLog().add({
    operation: "clear",
    startedAt: Date.UTC(2026, 10, 21, 7),
    elapsed: 1234.5,
    outcome: "link_lost",
    generation: "2.1",
    phases: [{ phase: "secure", at: 0, duration: 321 }],
    retries: ["stale_nonce"],
  });
  renderApp("/diagnostics");
  const row = (await screen.findByText("link_lost")).closest("tr");
  expect(row?.textContent).toContain("2026-11-21 07:00:00");
  expect(row?.textContent).toContain("321");
  expect(row?.textContent).toContain("stale_nonce");
  await screen.findByText("WebCrypto ECDSA P-256");
  screen.getByRole("button", { name: "Delete the timings" }).click();
  await screen.findByText("The timings are deleted.");
  expect(await runLog().all()).toEqual([]);
});

test("what this browser lacks is shown by itself and hides no other answer", async () => {
  vi.stubGlobal("crypto", {
    subtle: { generateKey: () => Promise.reject(Object.assign(new Error(), { name: "NotSupportedError" })) },
  });
  const found = new Map((await findAbilities()).map((finding) => [finding.ability, finding]));
  expect(found.get("x25519")).toEqual({ ability: "x25519", has: false, detail: "NotSupportedError" });
  expect(found.get("bluetooth")).toEqual({ ability: "bluetooth", has: false });
  await waitFor(() => expect(found.get("locale")?.has).toBe(true));
});

test("timings are said to be deleted once they are, and not before", async () => {
  const clearing = withResolvers<void>();
  const log = { ...runLog(), clear: () => clearing.promise };
  const { remove, removed } = createRoot(() => createDiagnostics(log));
  const over = remove();
  await Promise.resolve();
  expect(removed()).toBe(false);
  clearing.resolve();
  await over;
  expect(removed()).toBe(true);
});

const transfer = (secure: number, outcome = "ok"): RunRecord => ({
  operation: "transfer",
  startedAt: 0,
  elapsed: 1000,
  outcome,
  phases: [
    { phase: "secure", at: 0.2, duration: secure + 0.4 },
    { phase: "write", at: 300, duration: 20 },
  ],
  retries: [],
});

test("phases are whole milliseconds; what a run did not have is absent", () => {
  expect(timingsOf(transfer(280))).toEqual({ secure: 280, write: 20 });
});

test("a pick counts the person at the chooser by itself", () => {
  const pick: RunRecord = {
    operation: "pick",
    startedAt: 0,
    elapsed: 4000,
    outcome: "ok",
    phases: [{ phase: "connect", at: 2500.3, duration: 1499.7 }],
    retries: ["connect_failed"],
  };
  expect(timingsOf(pick)).toEqual({ pick: 2500, connect: 1500 });
});

test("the medians are of the runs that ended well", () => {
  const runs = [transfer(100), transfer(300), transfer(200), transfer(9000, "link_lost")];
  expect(medians(runs)).toEqual({ secure: 200, write: 20 });
});

test("a run at a tag is kept by the page that made it, and is in the file that is saved", async () => {
  const record = transfer(280);
  const runs: ((run: RunRecord) => void)[] = [];
  const { diagnostics } = renderApp("/find");
  vi.spyOn(diagnostics, "subscribe").mockImplementation((listener) => {
    runs.push(listener);
    return () => undefined;
  });
  fireEvent.focusIn(screen.getByLabelText("Booking reference"));
  await waitFor(() => expect(runs).toHaveLength(1));
  runs[0]?.(record);
  await waitFor(async () => expect(await runLog().all()).toEqual([record]));
  const { file } = createRoot(() => createDiagnostics());
  await waitFor(async () => expect(JSON.parse(await file()).runs).toEqual([record]));
  await runLog().clear();
});

const run = (elapsed: number): RunRecord => ({
  operation: "transfer",
  startedAt: 1_700_000_000_000 + elapsed,
  elapsed,
  outcome: "ok",
  phases: [{ phase: "connect", at: 0, duration: elapsed }],
  retries: [],
});

test("runs come back newest first, on the next visit too", async () => {
  await runLog("first").add(run(1));
  await runLog("first").add(run(2));
  expect((await runLog("first").all()).map(({ elapsed }) => elapsed)).toEqual([2, 1]);
});

test("the oldest go when there are too many", async () => {
  const log = runLog("many");
  for (let i = 0; i < RUNS_KEPT + 3; i++) await log.add(run(i));
  const kept = await log.all();
  expect([kept.length, kept.at(0)?.elapsed, kept.at(-1)?.elapsed]).toEqual([RUNS_KEPT, RUNS_KEPT + 2, 3]);
});

test("every run of the SDK is stored as it ends, until stopped", async () => {
  const listeners = new Set<(run: RunRecord) => void>();
  const client = {
    ...fakeTaglatch(),
    diagnostics: {
      runs: () => [],
      subscribe: (listener: (run: RunRecord) => void) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
  };
  const added: number[] = [];
  const log = { ...runLog("unused"), add: async ({ elapsed }: RunRecord) => void added.push(elapsed) };
  const stop = keepRuns(client, log);
  for (const listener of listeners) listener(run(7));
  stop();
  for (const listener of listeners) listener(run(8));
  expect(added).toEqual([7]);
});
