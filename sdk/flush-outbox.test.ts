import { beforeEach, expect, test, vi } from "vitest";
import { flushOutbox, type OutboxOwner } from "./flush-outbox.ts";
import { refuse } from "./test-support/fake-service.ts";
import { scene, valueIn } from "./test-support/scene.ts";
import { reportOf } from "./test-support/value-in.ts";

const DOWN = refuse("service_unavailable", { "Retry-After": "5" });
const ORIGIN = "https://service.example";

// A service worker's own address is its script's.
beforeEach(() => vi.stubGlobal("location", new URL("/sw.js", ORIGIN)));

/** A page with an attachment in its outbox, and what its service worker does in its place. */
async function closedPage(databaseName: string) {
  const here = await scene({ client: { databaseName } });
  here.service.next("device-attachments", DOWN);
  valueIn(await here.client.transferTag(here.request));
  const fetching: typeof fetch = (input, init) =>
    here.service.fetch(new URL(String(input), ORIGIN).href, init);
  return {
    ...here,
    flush: (more: Partial<OutboxOwner> & { readonly due?: boolean } = {}) =>
      flushOutbox({ baseUrl: "", databaseName, fetch: fetching, ...more }),
  };
}

test("the outbox of a closed page is sent with the page's own key and session, once", async () => {
  const { service, client, flush } = await closedPage("closed-1");
  const before = service.count("device-attachments");
  expect(await flush()).toEqual(reportOf({ sent: 1 }));
  expect(await flush()).toEqual(reportOf({}));
  expect(service.count("device-attachments")).toBe(before + 1);
  expect(await client.outbox.entries()).toEqual([]);
});

test("with `due`, an entry whose pause is not over is not tried", async () => {
  const { service, flush } = await closedPage("closed-6");
  const before = service.count("device-attachments");
  expect(await flush({ due: true })).toMatchObject({ sent: 0, left: 1 });
  expect(service.count("device-attachments")).toBe(before);
  expect(await flush()).toMatchObject({ sent: 1, left: 0 });
});

test("what is refused for good stays until a page can show it", async () => {
  const { service, client, flush } = await closedPage("closed-3");
  service.next("device-attachments", refuse("device_locked"));
  expect(await flush()).toEqual(reportOf({ dropped: 1 }));
  expect(await client.outbox.entries()).toHaveLength(1);
  service.next("device-attachments", refuse("device_locked"));
  const events: string[] = [];
  client.outbox.subscribe((event) => events.push(event.type));
  await client.outbox.flush();
  expect(events).toEqual(["dropped"]);
});

test("a guest whose session ran out is the same guest again; staff must sign in themselves", async () => {
  const { service, flush } = await closedPage("closed-4");
  service.revoke();
  const before = service.count("guest/sessions");
  expect(await flush()).toEqual(reportOf({ sent: 1 }));
  expect(service.count("guest/sessions")).toBe(before + 1);
  const staff = await closedPage("closed-5");
  staff.service.revoke();
  expect(await staff.flush({ audience: "kiosk" })).toEqual(reportOf({ left: 1 }));
  expect(staff.service.count("guest/sessions")).toBe(1);
});
