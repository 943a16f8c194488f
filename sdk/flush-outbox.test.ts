import { beforeEach, expect, test, vi } from "vitest";
import { flushOutbox } from "./flush-outbox.ts";
import { refuse } from "./test-support/fake-service.ts";
import { scene, valueIn } from "./test-support/scene.ts";

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
  return { ...here, flush: () => flushOutbox({ baseUrl: "", databaseName, fetch: fetching }) };
}

test("the outbox of a closed page is sent with the page's own key and session, once", async () => {
  const { service, client, flush } = await closedPage("closed-1");
  const before = service.count("device-attachments");
  expect(await flush()).toEqual({ sent: 1, dropped: 0, left: 0 });
  expect(await flush()).toEqual({ sent: 0, dropped: 0, left: 0 });
  expect(service.count("device-attachments")).toBe(before + 1);
  expect(await client.outbox.entries()).toEqual([]);
});

test("what cannot be sent now is left", async () => {
  const { service, flush } = await closedPage("closed-2");
  service.next("device-attachments", DOWN);
  expect(await flush()).toEqual({ sent: 0, dropped: 0, left: 1 });
});

test("what is refused for good stays until the page can tell somebody", async () => {
  const { service, client, flush } = await closedPage("closed-3");
  service.next("device-attachments", refuse("device_locked"));
  expect(await flush()).toEqual({ sent: 0, dropped: 1, left: 0 });
  expect(await client.outbox.entries()).toHaveLength(1);
  service.next("device-attachments", refuse("device_locked"));
  const told: string[] = [];
  client.outbox.subscribe((event) => told.push(event.type));
  await client.outbox.flush();
  expect(told).toEqual(["dropped"]);
});
