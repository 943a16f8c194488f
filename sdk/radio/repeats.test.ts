import { describe, expect, test } from "vitest";
import type { GattVersion } from "../../core/gatt/profile.ts";
import { GOOD_RADIO, seededRadio } from "../../sim/radio/radio-model.ts";
import { neverCancelled, sleep } from "../abort.ts";
import { radioScene } from "../test-support/radio-scene.ts";
import { valueIn } from "../test-support/value-in.ts";

const RIGHT = { recordLocator: "ABC123", surname: "Lovelace" };

/** A transfer to a stranger's tag by a person who needs `seconds` to find the booking. */
async function transferAfter(seconds: number, generation: GattVersion) {
  const scene = await radioScene({ generation, seed: seconds, radio: seededRadio(seconds, GOOD_RADIO) });
  scene.service.lockToStranger(scene.request.uniqueDeviceId);
  await scene.pick();
  let asked = 0;
  const collector = {
    async collect() {
      asked++;
      await sleep(seconds * 1_000, neverCancelled());
      return RIGHT;
    },
  };
  const result = await scene.time.run(seconds * 1_000 + 60_000, () =>
    scene.client.transferTag(scene.request, collector),
  );
  const links = scene.events.filter((event) => event.type === "link" && event.change === "connected").length;
  const fresh = scene.events.filter((event) => event.type === "record" && event.name === "fresh").length;
  const misses = scene.events.filter(
    (event) => event.type === "state" && event.because === "tokenRefused",
  ).length;
  return {
    device: valueIn(result).device,
    commits: scene.tag.snapshot().commits,
    asked,
    links,
    fresh,
    misses,
    scene,
  };
}

describe.each(["2.1", "2.0"] as const)("a custody proof before a v%s tag that takes", (generation) => {
  test.each([5, 31, 121, 301, 900])("%i s ends with the label, asked once, chosen once", async (seconds) => {
    const { commits, asked, links, misses, scene } = await transferAfter(seconds, generation);
    expect({ commits, asked, misses, choosers: scene.choosers() }).toEqual({
      commits: 1,
      asked: 1,
      misses: 0,
      choosers: 1,
    });
    expect(links).toBeLessThanOrEqual(2);
  });
});

test("a proof of up to 290 s costs a v2.1 connection nothing but one fresh nonce", async () => {
  for (const [seconds, renewed] of [
    [20, 0],
    [45, 1],
    [290, 1],
  ] as const) {
    const { links, fresh } = await transferAfter(seconds, "2.1");
    expect({ links, fresh }).toEqual({ links: 1, fresh: renewed });
  }
});
