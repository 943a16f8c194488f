import { describe, expect, test } from "vitest";
import { neverCancelled } from "./abort.ts";
import { Database } from "./database.ts";
import { ServiceError } from "./errors.ts";
import { Outbox } from "./outbox.ts";
import type { Api } from "./service/session.ts";
import { refuse } from "./test-support/fake-service.ts";
import { scene, valueIn } from "./test-support/scene.ts";
import { reportOf } from "./test-support/value-in.ts";

/** No retry is worth it within so long a time. */
const DOWN = refuse("service_unavailable", { "Retry-After": "5" });

/** A transfer whose attachment waits in the outbox. */
async function pending() {
  const here = await scene();
  here.service.next("device-attachments", DOWN);
  valueIn(await here.client.transferTag(here.request));
  return here;
}

describe("an entry that waits", () => {
  test("holds ids and no personal data, no token", async () => {
    const { client } = await pending();
    const [entry] = await client.outbox.entries();
    expect(Object.keys(entry ?? {}).sort()).toEqual(
      ["baggageId", "createdAt", "id", "kind", "nextTryAt", "tries", "uniqueDeviceId"].sort(),
    );
  });

  test("is sent once although two flushes run at once", async () => {
    const { client, service } = await pending();
    const before = service.count("device-attachments");
    const reports = await Promise.all([client.outbox.flush(), client.outbox.flush()]);
    expect(reports.map(valueIn)).toEqual([reportOf({ sent: 1 }), reportOf({ sent: 1 })]);
    expect(service.count("device-attachments")).toBe(before + 1);
  });
});

test("what a proxy answers is no answer of the service: it waits, and is sent afterwards", async () => {
  const { client, service, request } = await scene();
  service.next("device-attachments", async () => new Response("<html>", { status: 400 }));
  const result = valueIn(await client.transferTag(request));
  expect(result).toMatchObject({ pendingRetry: true, cause: { code: "invalid_answer" } });
  expect(result).not.toHaveProperty("refused");
  expect(valueIn(await client.outbox.flush())).toEqual(reportOf({ sent: 1 }));
  expect(service.locks.size).toBe(1);
});

test("what the service itself refuses is over, and the result says that nothing is tried again", async () => {
  const { client, service, request } = await scene();
  service.next("device-attachments", refuse("device_locked"));
  const result = valueIn(await client.transferTag(request));
  expect(result).toMatchObject({ pendingRetry: true, refused: true, cause: { code: "device_locked" } });
  expect(await client.outbox.entries()).toEqual([]);
});

const signal = neverCancelled();

test("what is flushed and what is done during it reach the service one after the other", async () => {
  let running = 0;
  let most = 0;
  const events: string[] = [];
  const answers = [() => Promise.reject(new ServiceError("network", "no network"))];
  const call = async (_name: string, { device }: { device: { uniqueID: string } }) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 20));
    running--;
    events.push(device.uniqueID);
    await answers.shift()?.();
  };
  const outbox = new Outbox(new Database("turns"), { call } as unknown as Api, () => 1_000);
  const attach = (uniqueDeviceId: string) =>
    outbox.submit({ kind: "attach", uniqueDeviceId, baggageId: 3 }, signal);
  await attach("ebt-1");
  await Promise.all([outbox.flush(signal), attach("ebt-2"), attach("ebt-3")]);
  expect(events).toEqual(["ebt-1", "ebt-1", "ebt-2", "ebt-3"]);
  expect(most).toBe(1);
});
