import { afterEach, describe, expect, test, vi } from "vitest";
import type { Bytes } from "../../core/encoding/bytes.ts";
import { CborReader } from "../../core/encoding/cbor.ts";
import { SUITES } from "../../core/sec/suites.ts";
import { ServiceError } from "../errors.ts";
import { type Interference, loseAnswer, refuse } from "../test-support/fake-service.ts";
import { scene, valueIn } from "../test-support/scene.ts";
import { scriptedScene, traces } from "../test-support/scripted-session.ts";
import { breakStorage, loseStorage } from "../test-support/storage.ts";
import { reportOf } from "../test-support/value-in.ts";

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
async function transferBreaking(after: number, ...answers: readonly Interference[]) {
  const here = await scene();
  const { client, service, request } = here;
  service.next("device-attachments", ...answers);
  let storage = breakStorage(Number.POSITIVE_INFINITY);
  const outboxEvents: string[] = [];
  client.outbox.subscribe(({ type }) => outboxEvents.push(type));
  const onProgress = ({ type, phase }: { type: string; phase?: string }) => {
    if (type !== "started" || phase !== "display") return;
    storage.restore();
    storage = breakStorage(after);
  };
  const result = valueIn(await client.transferTag(request, undefined, { onProgress }));
  const begun = storage.begun();
  const broken = await client.outbox.entries().catch((error: unknown) => error);
  storage.restore();
  return { ...here, result, begun, outboxEvents, broken };
}

const unavailable = refuse("service_unavailable", { "Retry-After": "5" });

/** The service carries it out, and each try's answer is lost. */
const lost = [loseAnswer, loseAnswer, loseAnswer];

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
    expect(valueIn(await client.outbox.flush())).toEqual(reportOf({}));
    expect(service.count("device-attachments")).toBe(1);
  }
});

test("what cannot be reported then is unresolved on this page already, and the tag settles it", async () => {
  const { result, outboxEvents, broken, client, request, service, picked } = await transferBreaking(
    1,
    unavailable,
  );
  expect(result).toMatchObject({ pendingRetry: true, cause: expect.any(ServiceError) });
  expect(outboxEvents).toEqual(["added"]);
  expect(broken).toMatchObject([{ unresolved: "written", baggageId: 3 }]);
  expect(await client.outbox.entries()).toMatchObject([{ unresolved: "written", baggageId: 3 }]);
  expect(valueIn(await client.settleTag(request))).toMatchObject({ outcome: "written", pendingRetry: false });
  expect(service.locks.get(picked.uniqueDeviceId)).toMatchObject({ baggageId: 3 });
  expect(await client.outbox.entries()).toEqual([]);
});

test("what the service refuses then is over, and not unresolved", async () => {
  const { result, outboxEvents, client } = await transferBreaking(1, refuse("device_locked"));
  expect(result).toMatchObject({ refused: true });
  expect(outboxEvents).toEqual(["dropped"]);
  expect(await client.outbox.entries()).toEqual([]);
});

describe("a change whose answer was lost while storage was broken", () => {
  const sent = ({ service }: Awaited<ReturnType<typeof scene>>) =>
    service.calls
      .filter(({ path }) => path.endsWith("device-attachments"))
      .map(({ headers, body }) => ({ key: headers.get("Idempotency-Key"), body }));

  test("is sent again under the same key with the same body", async () => {
    const here = await transferBreaking(1, ...lost);
    expect(here.result).toMatchObject({ pendingRetry: true, cause: { code: "network" } });
    expect(valueIn(await here.client.settleTag(here.request))).toMatchObject({ pendingRetry: false });
    const [first, ...others] = sent(here);
    expect(first?.body).toHaveProperty("tagStatement");
    expect(others).toEqual([first, first, first]);
    expect(await here.client.outbox.entries()).toEqual([]);
  });

  test("counts its tries, and waits before the next", async () => {
    const here = await transferBreaking(1, ...lost);
    here.service.next("device-attachments", ...lost);
    expect(valueIn(await here.client.settleTag(here.request))).toMatchObject({ pendingRetry: true });
    expect(await here.client.outbox.entries()).toMatchObject([{ tries: 2, nextTryAt: expect.any(Number) }]);
    expect(new Set(sent(here).map(({ key }) => key)).size).toBe(1);
  });

  test("whose statement is stale is sent once more with a new one, under another key", async () => {
    const here = await transferBreaking(1, refuse("stale_statement"));
    here.service.next("device-attachments", refuse("stale_statement"));
    expect(valueIn(await here.client.settleTag(here.request))).toMatchObject({ pendingRetry: false });
    const [first, second] = sent(here);
    expect(second?.key).not.toBe(first?.key);
    expect(second?.body.tagStatement).not.toBe(first?.body.tagStatement);
    // Stale twice is final: the tag is asked once.
    expect(await here.client.outbox.entries()).toEqual([]);
  });
});

afterEach(() => vi.restoreAllMocks());

/** The exporter labels of the channel's IVs (protocol.md, A v2.1 transfer). */
const IV_LABELS = [32770, 32771];

/** IVs of channels, in the very buffers that they came in, from here on. */
function watchedIvs(): Bytes[] {
  const { hash } = SUITES[6];
  const { expand } = hash;
  const ivs: Bytes[] = [];
  vi.spyOn(hash, "expand").mockImplementation(async (key, info, length) => {
    const output = await expand(key, info, length);
    if (IV_LABELS.includes(new CborReader(info).int())) ivs.push(output);
    return output;
  });
  return ivs;
}

test.each(["transfer", "clear"] as const)("nothing of a session's keys is left after a %s", async (job) => {
  const ivs = watchedIvs();
  const scene = await scriptedScene("2.1", [{}]);
  expect(traces(scene, await scene[job]())).toMatchObject({ outcome: "ok", links: 1 });
  // Two of the client, and two of the scripted tag, which wipes nothing.
  expect(ivs.length).toBe(4);
  expect(ivs.filter((iv) => iv.every((byte) => byte === 0)).length).toBe(2);
});
