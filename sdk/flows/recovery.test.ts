import { afterEach, describe, expect, test, vi } from "vitest";
import { neverCancelled, sleep } from "../abort.ts";
import { collectorOf, RIGHT, type Scene, scene } from "../test-support/scene.ts";
import { virtually } from "../test-support/scripted-session.ts";
import { PHASES, type Phase, type ProgressEvent } from "../types.ts";

const LABEL = { kind: "write", licencePlate: "0220654321" };

afterEach(() => {
  vi.restoreAllMocks();
});

/** Cancels as soon as `phase` has started, and measures. */
async function cancelAt(phase: Phase, here: Scene) {
  const controller = new AbortController();
  let cancelledAt = 0;
  const result = await here.client.transferTag(here.request, collectorOf(RIGHT), {
    signal: controller.signal,
    onProgress(event) {
      if (event.type !== "started" || event.phase !== phase) return;
      cancelledAt = performance.now();
      controller.abort();
    },
  });
  return { result, delay: performance.now() - cancelledAt };
}

/** What was cancelled has cleaned up behind itself: the tag can be reached again. */
async function settled({ client, picked }: Scene): Promise<void> {
  while (!(await client.connect(picked.deviceId)).ok) await sleep(50, neverCancelled());
}

describe.each(["2.1", "2.0"] as const)("cancelling a transfer to a tag of GATT v%s", (generation) => {
  const beforeCommit = PHASES.filter((phase) => phase !== "display" && phase !== "attach");

  test.each(beforeCommit)("at %s answers within 200 ms and changes nothing", (phase) =>
    virtually(async () => {
      const here = await scene({ generation });
      here.service.lockToStranger(here.picked.uniqueDeviceId);
      const { result, delay } = await cancelAt(phase, here);
      expect(result).toMatchObject({ ok: false, error: { code: "cancelled", settling: false } });
      expect(delay).toBeLessThan(200);
      await settled(here);
      expect(here.tag.snapshot()).toMatchObject({ commits: 0, display: { content: null } });
      expect(here.service.count("device-attachments")).toBe(0);
    }),
  );

  test("after the commit answers at once, and tag and service agree in the end", () =>
    virtually(async () => {
      const here = await scene({ generation, tag: { displayMs: 300 } });
      const controller = new AbortController();
      here.tag.observe((event) => {
        if (event.type === "state" && event.to === "COMMITTING") controller.abort();
      });
      const result = await here.client.transferTag(here.request, undefined, { signal: controller.signal });
      expect(result).toMatchObject({ ok: false, error: { code: "cancelled", settling: true } });
      expect(here.tag.snapshot().state).toBe("COMMITTING");
      await settled(here);
      expect(here.tag.snapshot().display.content).toMatchObject(LABEL);
      expect(here.service.locks.size).toBe(1);
    }));

  test("just before a commit that is lost means that it is not sent again", () =>
    virtually(async () => {
      const here = await scene({ generation });
      const controller = new AbortController();
      let falls = false;
      here.tag.faults.radio = {
        connect: () => ({ delay: 0, fails: false }),
        operation: () => {
          const fate = { delay: 0, ...(falls && { drop: "before" as const }) };
          falls = false;
          return fate;
        },
      };
      const onProgress = (event: ProgressEvent) => {
        if (event.type !== "started" || event.phase !== "display") return;
        falls = true;
        controller.abort();
      };
      const options = { signal: controller.signal, onProgress };
      const result = await here.client.transferTag(here.request, undefined, options);
      expect(result).toMatchObject({ ok: false, error: { code: "cancelled" } });
      await settled(here);
      expect(here.tag.snapshot()).toMatchObject({ commits: 0, display: { content: null } });
      expect(here.service.locks.size).toBe(0);
    }));

  test("during the report to the service is a success that is still pending, and is reported all the same", () =>
    virtually(async () => {
      const here = await scene({ generation });
      const { result, delay } = await cancelAt("attach", here);
      expect(result).toMatchObject({ ok: true, value: { pendingRetry: true, cause: { code: "cancelled" } } });
      expect(delay).toBeLessThan(200);
      await settled(here);
      expect(here.service.locks.size).toBe(1);
    }));
});
