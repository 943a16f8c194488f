import { expect, test } from "vitest";
import { neverCancelled, sleep } from "../abort.ts";
import { type Interference, refuse } from "../test-support/fake-service.ts";
import { type RadioScene, radioScene } from "../test-support/radio-scene.ts";
import { reportOf, valueIn } from "../test-support/value-in.ts";

const DOWN = refuse("service_unavailable", { "Retry-After": "5" });

/** The service takes its time before it does what it is asked. */
const slowly: Interference = async (_call, answer) => {
  await sleep(5_000, neverCancelled());
  return answer();
};

/** A tag with an unreported label. */
async function waiting(seed: number): Promise<RadioScene> {
  const scene = await radioScene({ generation: "2.1", seed });
  await scene.pick();
  scene.service.next("device-attachments", DOWN);
  valueIn(await scene.job(() => scene.client.transferTag(scene.request)));
  expect(await scene.job(() => scene.client.outbox.entries())).toHaveLength(1);
  return scene;
}

const clear = async ({ client, request }: RadioScene) => valueIn(await client.clearTag(request));

test("what is done to a tag while the outbox is sent is reported after it: the service ends with what the tag shows", async () => {
  const scene = await waiting(1);
  scene.service.next("device-attachments", slowly);
  const [flushed, cleared] = await scene.job(() => Promise.all([scene.client.outbox.flush(), clear(scene)]));
  expect(valueIn(flushed)).toEqual(reportOf({ sent: 1 }));
  expect(cleared.pendingRetry).toBe(false);
  expect(scene.tag.snapshot().display.content).toBeNull();
  expect(scene.service.locks.size).toBe(0);
});

test("the outbox that is sent during a tag's report waits for it, and finds nothing left", async () => {
  const scene = await waiting(2);
  scene.service.next("ebt-unlocks", slowly);
  const [cleared, flushed] = await scene.job(() =>
    Promise.all([
      clear(scene),
      // The unlock is on its way by then, and the attachment superseded.
      sleep(3_000, neverCancelled()).then(() => scene.client.outbox.flush()),
    ]),
  );
  expect(cleared.pendingRetry).toBe(false);
  expect(valueIn(flushed)).toEqual(reportOf({}));
  expect(scene.service.locks.size).toBe(0);
  expect(scene.service.count("ebt-unlocks")).toBe(1);
});

test("a caller who does not wait for a flush any more leaves it to the others", async () => {
  const scene = await waiting(3);
  scene.service.next("device-attachments", slowly);
  const controller = new AbortController();
  const { outbox } = scene.client;
  const [impatient, patient] = await scene.job(async () => {
    const flushes = Promise.all([outbox.flush({ signal: controller.signal }), outbox.flush()]);
    await sleep(1_000, neverCancelled());
    controller.abort();
    return flushes;
  });
  expect(impatient).toMatchObject({ ok: false, error: { code: "cancelled" } });
  expect(valueIn(patient)).toEqual(reportOf({ sent: 1 }));
  expect(await scene.job(() => outbox.entries())).toEqual([]);
});
