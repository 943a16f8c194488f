import { afterEach, expect, test, vi } from "vitest";
import { loseStorage } from "../test-support/lost-storage.ts";
import { scene, valueIn } from "../test-support/scene.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** A transfer while which storage is lost at its transaction number `at`; returns how many it began. */
async function transferLosing(at: number): Promise<number> {
  const { client, tag, service, request, picked } = await scene();
  const storage = loseStorage(at);
  const result = valueIn(await client.transferTag(request));
  expect(await client.outbox.entries()).toEqual([]);
  storage.restore();
  expect(result).toMatchObject({ pendingRetry: false });
  expect(tag.snapshot().display.content).toMatchObject({ kind: "write", licencePlate: "0220654321" });
  expect(service.locks.get(picked.uniqueDeviceId)).toMatchObject({ baggageId: 3 });
  return storage.begun();
}

test("a transfer goes on wherever the browser loses its storage, before the commit and after it", async () => {
  const transactions = await transferLosing(Number.POSITIVE_INFINITY);
  expect(transactions).toBeGreaterThan(2);
  for (let at = 1; at <= transactions; at++) await transferLosing(at);
});
