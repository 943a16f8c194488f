// @vitest-environment node
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type RadioQuality, seededRadio } from "../../sim/radio/radio-model.ts";
import { outcomeOf, scene } from "../test-support/scene.ts";

/** Much worse than any baggage hall, and without its waiting. */
const HOPELESS: RadioQuality = {
  interval: 0,
  missedEvents: 0,
  connectFailure: 0.3,
  drop: 0.05,
  inProgress: 0.03,
  truncation: 0.03,
  truncateTo: 20,
};

const SEEDS = Number(process.env.SDK_SEEDS ?? 12);

beforeEach(() => {
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(["2.1", "2.0"] as const)("over a hopeless radio, GATT v%s", (generation) => {
  test.each(Array.from({ length: SEEDS }, (_, seed) => seed + 1))(
    "a transfer is whole and known, or nothing (seed %i)",
    async (seed) => {
      const { client, tag, request, service } = await scene({ generation });
      const model = seededRadio(seed, HOPELESS);
      tag.faults.radio = { ...model, connect: () => ({ ...model.connect(), delay: 0 }) };
      const result = await client.transferTag(request);
      tag.faults.radio = null;
      const { display, commits } = tag.snapshot();
      if (result.ok) {
        expect(display).toMatchObject({ state: "LABEL", content: { licencePlate: "0220654321" } });
        expect(service.locks.size).toBe(1);
      } else if (outcomeOf(result) !== "TagError:outcome_unknown") {
        expect(outcomeOf(result)).toMatch(/^(BluetoothError|TagError):/);
        expect({ content: display.content, commits, locks: service.locks.size }).toEqual({
          content: null,
          commits: 0,
          locks: 0,
        });
      }
    },
    20_000,
  );
});
