import { describe, expect, test } from "vitest";
import { errorResponse } from "../core/api/error-response.ts";
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

  test("is superseded by what is done to the same tag later", async () => {
    const { client, service, picked } = await pending();
    valueIn(await client.clearTag(picked));
    expect(await client.outbox.entries()).toEqual([]);
    expect(service.locks.size).toBe(0);
  });
});

/** What is between a page and its service: none of it is an answer of the service. */
const FOREIGN: readonly [string, () => Response][] = [
  ["a proxy's 400", () => new Response("<html>", { status: 400 })],
  ["a captive portal's 403", () => Response.json({ error: "login" }, { status: 403 })],
  ["a firewall's 404", () => new Response("", { status: 404 })],
  ["a proxy's 409 in our form", () => Response.json(errorResponse("device_locked"), { status: 403 })],
  [
    "a code of a later service",
    () =>
      Response.json({ ...errorResponse("device_locked"), errorCode: "of_a_later_version" }, { status: 409 }),
  ],
];

describe.each(FOREIGN)("an entry that meets %s", (_what, answer) => {
  test.each(["transfer", "clear"] as const)("waits, and is sent afterwards (%s)", async (kind) => {
    const { client, service, request, picked } = await scene();
    if (kind === "clear") valueIn(await client.transferTag(request));
    const path = kind === "clear" ? "ebt-unlocks" : "device-attachments";
    service.next(path, async () => answer());
    const job = kind === "clear" ? client.clearTag(picked) : client.transferTag(request);
    const result = valueIn(await job);
    expect(result).toMatchObject({ pendingRetry: true, cause: { code: "invalid_answer" } });
    expect(result).not.toHaveProperty("refused");
    expect(await client.outbox.entries()).toHaveLength(1);
    expect(valueIn(await client.outbox.flush())).toEqual(reportOf({ sent: 1 }));
    expect(service.locks.size).toBe(kind === "clear" ? 0 : 1);
  });
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
