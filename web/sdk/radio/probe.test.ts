// @vitest-environment node
import { expect, test } from "vitest";
import { GOOD_RADIO, seededRadio } from "../../sim/radio-model.ts";
import { radioScene } from "../test-support/radio-scene.ts";

test("probe", async () => {
  for (const generation of ["2.1", "2.0"] as const)
    for (let seed = 1; seed < 20; seed++) {
      const t0 = Date.now();
      const s = await radioScene({ generation, seed, radio: seededRadio(seed, GOOD_RADIO) });
      await s.pick();
      const r = await s.job(() => s.client.transferTag(s.request));
      const t1 = Date.now();
      await s.settle();
      if (seed === 1)
        console.log(
          r,
          s.events
            .filter((e) => e.type === "gatt")
            .map((e: any) => `${e.operation} ${e.characteristic} ${e.value.length} ${e.error ?? ""}`),
        );
      if (seed > 15)
        console.log(
          generation,
          seed,
          r.ok,
          t1 - t0,
          Date.now() - t1,
          s.time.world.now(),
          s.tag.snapshot().commits,
        );
      expect(r.ok).toBe(true);
    }
}, 60000);
