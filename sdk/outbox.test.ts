import { describe, expect, test } from "vitest";
import type { ErrorCode } from "../core/api/index.ts";
import { refuse } from "./test-support/fake-service.ts";
import { outcomeOf, scene, valueIn } from "./test-support/scene.ts";

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
      ["baggageId", "createdAt", "id", "kind", "tries", "uniqueDeviceId"].sort(),
    );
  });

  test.each<ErrorCode>([
    "device_locked",
    "baggage_not_found",
    "insufficient_scope",
    "idempotency_key_reused",
  ])("is dropped when the service answers %s", async (code) => {
    const { client, service } = await pending();
    service.next("device-attachments", refuse(code));
    expect(valueIn(await client.outbox.flush())).toEqual({ sent: 0, dropped: 1, left: 0, asking: 0 });
    expect(await client.outbox.entries()).toEqual([]);
  });

  test.each<[ErrorCode, number]>([
    ["unauthorized_client", 1],
    ["too_many_requests", 1],
    ["internal_error", 1],
    ["idempotency_in_flight", 3],
  ])("is kept when the service answers %s", async (code, tries) => {
    const { client, service } = await pending();
    service.next("device-attachments", ...Array.from({ length: tries }, () => refuse(code)));
    expect(valueIn(await client.outbox.flush())).toEqual({ sent: 0, dropped: 0, left: 1, asking: 0 });
    expect(await client.outbox.entries()).toMatchObject([{ tries: 2 }]);
  });

  test("is sent once although two flushes run at once", async () => {
    const { client, service } = await pending();
    const before = service.count("device-attachments");
    const reports = await Promise.all([client.outbox.flush(), client.outbox.flush()]);
    expect(reports.map(valueIn)).toEqual([
      { sent: 1, dropped: 0, left: 0, asking: 0 },
      { sent: 1, dropped: 0, left: 0, asking: 0 },
    ]);
    expect(service.count("device-attachments")).toBe(before + 1);
  });

  test("is superseded by what is done to the same tag later", async () => {
    const { client, service, picked } = await pending();
    valueIn(await client.clearTag(picked));
    expect(await client.outbox.entries()).toEqual([]);
    expect(service.locks.size).toBe(0);
  });

  test("keeps the person from logging out, unless they insist", async () => {
    const { client, service } = await pending();
    service.next("device-attachments", DOWN, DOWN);
    expect(outcomeOf(await client.session.logout())).toBe("OperationError:outbox_not_empty");
    expect(outcomeOf(await client.session.logout({ force: true }))).toBe("ok");
    expect(await client.session.state()).toEqual({ method: "none" });
    expect(await client.outbox.entries()).toHaveLength(1);
  });
});
