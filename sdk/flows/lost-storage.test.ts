import { afterEach, expect, test, vi } from "vitest";
import { ServiceError } from "../errors.ts";
import { refuse } from "../test-support/fake-service.ts";
import { breakStorage, loseStorage } from "../test-support/lost-storage.ts";
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

/** A transfer while which storage fails for good from the `after`-th transaction after the commit on. */
async function transferBreaking(after: number, answer?: "unreachable" | "refused") {
  const here = await scene();
  const { client, service, request } = here;
  if (answer === "unreachable") service.next("device-attachments", refuse("service_unavailable", FAR));
  if (answer === "refused") service.next("device-attachments", refuse("device_locked"));
  let storage = breakStorage(Number.POSITIVE_INFINITY);
  const told: string[] = [];
  client.outbox.subscribe(({ type }) => told.push(type));
  const onProgress = ({ type, phase }: { type: string; phase?: string }) => {
    if (type !== "started" || phase !== "display") return;
    storage.restore();
    storage = breakStorage(after);
  };
  const result = valueIn(await client.transferTag(request, undefined, { onProgress }));
  const begun = storage.begun();
  const broken = await client.outbox.entries().catch((error: unknown) => error);
  storage.restore();
  return { ...here, result, begun, told, broken };
}

const FAR = { "Retry-After": "5" };

/** How many transactions a transfer begins after the commit. */
const afterCommit = async () => (await transferBreaking(Number.POSITIVE_INFINITY)).begun;

test("storage that fails after the commit keeps the service from hearing of nothing", async () => {
  const transactions = await afterCommit();
  expect(transactions).toBeGreaterThan(2);
  for (let at = 1; at <= transactions; at++) {
    const { result, service, picked, client } = await transferBreaking(at);
    expect([at, result.pendingRetry]).toEqual([at, false]);
    expect(service.locks.get(picked.uniqueDeviceId)).toMatchObject({ baggageId: 3 });
    expect(await client.outbox.entries()).toEqual([]);
    expect(valueIn(await client.outbox.flush())).toEqual({ sent: 0, dropped: 0, left: 0, asking: 0 });
    expect(service.count("device-attachments")).toBe(1);
  }
});

test("what the service cannot be told then is a question on this page already, and the tag answers it", async () => {
  const { result, told, broken, client, request, service, picked } = await transferBreaking(1, "unreachable");
  expect(result).toMatchObject({ pendingRetry: true, cause: expect.any(ServiceError) });
  expect(told).toEqual(["added"]);
  expect(broken).toMatchObject([{ question: "written", baggageId: 3 }]);
  expect(await client.outbox.entries()).toMatchObject([{ question: "written", baggageId: 3 }]);
  expect(valueIn(await client.settleTag(request))).toMatchObject({ outcome: "written", pendingRetry: false });
  expect(service.locks.get(picked.uniqueDeviceId)).toMatchObject({ baggageId: 3 });
  expect(await client.outbox.entries()).toEqual([]);
});

test("what the service refuses then is over, and no question", async () => {
  const { result, told, client } = await transferBreaking(1, "refused");
  expect(result).toMatchObject({ refused: true });
  expect(told).toEqual(["dropped"]);
  expect(await client.outbox.entries()).toEqual([]);
});
