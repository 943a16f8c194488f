/** A platform that lacks what browsers have: the host brings it, or every call says what is missing. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createTaglatch } from "./index.ts";
import type { TaglatchStorage } from "./storage.ts";
import { makeAuthorities } from "./test-support/authorities.ts";
import { FakeService, unreachable } from "./test-support/fake-service.ts";
import { memoryStorage } from "./test-support/memory-storage.ts";
import { outcomeOf, scene, valueIn } from "./test-support/scene.ts";

afterEach(() => void vi.unstubAllGlobals());

describe("without IndexedDB, over a storage of the host's", () => {
  beforeEach(() => void vi.stubGlobal("indexedDB", undefined));

  test("a tag is written, reported and cleared, and the session ends with nothing left", async () => {
    const storage = memoryStorage();
    const { client, request, picked, tag } = await scene({ client: { storage } });
    expect(valueIn(await client.transferTag(request)).pendingRetry).toBe(false);
    expect(tag.snapshot().commits).toBe(1);
    expect(valueIn(await client.clearTag(picked)).pendingRetry).toBe(false);
    expect(await storage.read("certificate")).toBeDefined();
    valueIn(await client.session.logout());
    expect([await storage.read("key"), await storage.entries()]).toEqual([undefined, []]);
  });

  test("the calls of a transfer read the session once; a login of another page counts within seconds", async () => {
    const storage = memoryStorage();
    const reads = vi.spyOn(storage, "read");
    let now = Date.now();
    const { client, request, another } = await scene({ client: { storage, now: () => now } });
    now += 20_000;
    reads.mockClear();
    valueIn(await client.transferTag(request));
    expect(reads.mock.calls.filter(([name]) => name === "session")).toHaveLength(1);
    valueIn(await another({ storage }).session.loginFederated("token"));
    now += 10_000;
    valueIn(await client.journeys.list());
    expect((await client.session.state()).method).toBe("federated");
  });

  test("another client over the same storage has the session and the outbox", async () => {
    const storage = memoryStorage();
    const { client, request, another, service } = await scene({ client: { storage } });
    service.next("device-attachments", ...Array.from({ length: 3 }, () => unreachable));
    expect(valueIn(await client.transferTag(request)).pendingRetry).toBe(true);
    const again = another({ storage });
    expect(await again.session.state()).toEqual(await client.session.state());
    expect(valueIn(await again.outbox.flush())).toMatchObject({ sent: 1, left: 0 });
  });
});

test.each([
  ["no crypto.subtle", "crypto", {}],
  ["no crypto", "crypto", undefined],
])("with %s a client is made, and its calls say what is missing", async (_what, name, value) => {
  const { fetch } = new FakeService(await makeAuthorities());
  vi.stubGlobal(name, value);
  const client = createTaglatch({ baseUrl: "https://service.example", storage: memoryStorage(), fetch });
  const results = [
    await client.session.prepare(),
    await client.session.loginGuest(),
    await client.session.loginFederated("token"),
    await client.journeys.list(),
    await client.tags.lookUp("ebt-21-0001"),
  ];
  expect(results.map(outcomeOf)).toEqual(results.map(() => "ConfigurationError:unsupported"));
  const [first] = results;
  expect(first?.ok === false && first.error.message).toBe("crypto.subtle is missing");
});

test("without Bluetooth and without a radio of the host's, pickTag is unsupported", async () => {
  const client = createTaglatch({ baseUrl: "https://service.example", storage: memoryStorage() });
  expect(outcomeOf(await client.pickTag())).toBe("BluetoothError:unsupported");
});
