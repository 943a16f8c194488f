import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { toPem } from "../core/pki/pem.ts";
import { neverCancelled } from "./abort.ts";
import { type ConfigurationSource, loadConfiguration } from "./configuration.ts";
import { ConfigurationError } from "./errors.ts";
import { createTaglatch } from "./index.ts";
import { ServiceClock } from "./service/service-clock.ts";
import { makeAuthorities } from "./test-support/authorities.ts";
import { FakeService } from "./test-support/fake-service.ts";
import { memoryStorage } from "./test-support/memory-storage.ts";
import { outcomeOf, scene, valueIn } from "./test-support/scene.ts";
import { virtually } from "./test-support/scripted-session.ts";

const authorities = await makeAuthorities();
const signal = neverCancelled();

/** What is loaded where the service answers so: by default as it does. */
function loaded(changes: Partial<ConfigurationSource> = {}, service = new FakeService(authorities)) {
  const fetching = vi.fn(service.fetch);
  const source = { baseUrl: "https://service.example", fetch: fetching, clientKey: undefined, ...changes };
  const clock = new ServiceClock(() => 0);
  return { fetching, clock, outcome: loadConfiguration({ audience: "passenger", clock, ...source }, signal) };
}

const codeOf = (answer: () => Promise<Response>) =>
  loaded({ fetch: answer }).outcome.catch((error: unknown) => error);

describe("the configuration", () => {
  test("says whom to trust and by which key to call", async () => {
    const { outcome, fetching } = loaded();
    expect(await outcome).toEqual({
      issuer: "taglatch",
      clientKey: "k",
      clientRoots: [authorities.clientRoot],
      tagRoots: [authorities.tagRoot],
    });
    const url = "https://service.example/.well-known/ebt-configuration";
    expect(fetching).toHaveBeenCalledWith(url, { signal: expect.any(AbortSignal) });
  });

  test("has a key for each audience; the host's own goes first", async () => {
    expect((await loaded({ audience: "kiosk" }).outcome).clientKey).toBe("kk");
    expect((await loaded({ clientKey: "own" }).outcome).clientKey).toBe("own");
  });

  test.each<[string, (service: FakeService) => void]>([
    ["no_tag_roots", ({ configuration }) => (configuration.tagRoots = [])],
    ["no_client_key", ({ configuration }) => (configuration.clientKeys = {})],
    [
      "configuration_invalid",
      ({ configuration }) => (configuration.tagRoots = [toPem(authorities.tagRoot).replace("M", "!")]),
    ],
    ["configuration_invalid", ({ configuration }) => Object.assign(configuration, { issuer: 7 })],
    ["configuration_invalid", ({ configuration }) => Object.assign(configuration, { tagRootIds: [] })],
  ])("that is not fit for use is %s", async (code, spoil) => {
    const service = new FakeService(authorities);
    spoil(service);
    await expect(loaded({}, service).outcome).rejects.toMatchObject({ name: "ConfigurationError", code });
  });
});

describe("a configuration that does not come", () => {
  test("is unavailable, with the cause where there is one", async () => {
    const cause = new TypeError("Failed to fetch");
    expect(await codeOf(() => Promise.reject(cause))).toMatchObject({
      code: "configuration_unavailable",
      cause,
    });
    const down = await codeOf(async () => new Response("{}", { status: 503 }));
    expect(down).toMatchObject({ name: "ConfigurationError", code: "configuration_unavailable" });
    expect(down).not.toHaveProperty("cause");
  });

  test("is invalid where something else came", async () => {
    const portal = await codeOf(async () => new Response("<html>"));
    expect(portal).toMatchObject({ code: "configuration_invalid", cause: expect.any(SyntaxError) });
  });

  test.each([
    ["at all", () => new Promise<never>(() => undefined)],
    ["with its body", async () => new Response(new ReadableStream())],
  ])("is waited for 10 s where it does not come %s", async (_what, answer) => {
    await virtually(async () => {
      const late = await codeOf(answer);
      expect(late).toMatchObject({ name: "ConfigurationError", code: "configuration_unavailable" });
      expect(late).not.toHaveProperty("cause");
      expect(performance.now()).toBe(10_000);
    });
  });

  test("is unavailable where the connection breaks in its body", async () => {
    const broken = () => new ReadableStream({ pull: (body) => body.error(new TypeError("broken")) });
    expect(await codeOf(async () => new Response(broken()))).toMatchObject({
      code: "configuration_unavailable",
    });
  });

  test("is cancelled where its caller is, and no fault of the installation's", async () => {
    const { fetching } = loaded();
    const clock = new ServiceClock(Date.now);
    const source = {
      baseUrl: "",
      fetch: fetching,
      clientKey: undefined,
      audience: "passenger",
      clock,
    } as const;
    const error = await loadConfiguration(source, AbortSignal.abort()).catch((cause: unknown) => cause);
    expect(error).not.toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ code: "cancelled" });
  });
});

test("the answer's date corrects the clock", async () => {
  const { outcome, clock } = loaded();
  await outcome;
  expect(Math.abs(clock.now() - Date.now())).toBeLessThan(60_000);
});

/** A platform that lacks what browsers have: the host brings it, or every call says what is missing. */

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
