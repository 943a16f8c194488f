import { describe, expect, test } from "vitest";
import { refuse } from "./test-support/fake-service.ts";
import { scene, valueIn } from "./test-support/scene.ts";

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
});
