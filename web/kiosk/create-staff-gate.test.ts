import { createRoot } from "solid-js";
import { expect, test } from "vitest";
import { withResolvers } from "../../sdk/abort.ts";
import type { Result } from "../../sdk/index.ts";
import { createStaffGate, type Demanded } from "./create-staff-gate.ts";

function gated() {
  const demanded = withResolvers<Result<Demanded>>();
  const passed = withResolvers<Result<unknown>>();
  const done: string[] = [];
  const gate = createRoot(() =>
    createStaffGate({
      demanded: () => demanded.promise,
      pass: () => passed.promise,
      onDone: () => done.push("done"),
    }),
  );
  return { gate, done, demand: () => demanded.resolve({ ok: true, value: "pin" }), passed };
}

test("a cancelled dialog does not open when the service has said what it demands", async () => {
  const { gate, demand } = gated();
  const begun = gate.begin();
  gate.cancel();
  demand();
  await begun;
  expect([gate.asking(), gate.working()]).toEqual([undefined, false]);
});

test("an answer that is accepted after the cancel does nothing on this screen", async () => {
  const { gate, done, demand, passed } = gated();
  demand();
  await gate.begin();
  const answered = gate.answer({ name: "1001", secret: "246813" });
  gate.cancel();
  passed.resolve({ ok: true, value: undefined });
  await answered;
  expect([gate.asking(), gate.working(), done]).toEqual([undefined, false, []]);
});
