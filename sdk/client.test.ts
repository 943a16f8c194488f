import { describe, expect, test, vi } from "vitest";
import { toBase64Url } from "../core/encoding/bytes.ts";
import { neverCancelled } from "./abort.ts";
import { createTaglatch, createTagTools } from "./index.ts";
import { Listeners } from "./listeners.ts";
import type { TagRadio } from "./tag/link.ts";
import { makeAuthorities } from "./test-support/authorities.ts";
import { FakeService, unreachable } from "./test-support/fake-service.ts";
import { collectorOf, outcomeOf, RIGHT, scene, valueIn, WRONG } from "./test-support/scene.ts";
import { scriptedScene } from "./test-support/scripted-session.ts";
import { PHASES, type ProgressEvent } from "./types.ts";

const AUTHORIZED = /ebt-authorizations/;

/** A client over a link that reports one retry of its own. */
async function trying() {
  const connect = async (_signal: AbortSignal, again: () => void) => {
    again();
    return here.tag.connect();
  };
  const link = { deviceId: "scripted", name: "EBT-0001", connect };
  const radio = { choose: async () => link, find: async () => link, remembered: async () => [link] };
  const here = await scriptedScene("2.1", [], { radio });
  const events: ProgressEvent[] = [];
  return { ...here, events, onProgress: (event: ProgressEvent) => void events.push(event) };
}

describe("what is kept of what was done", () => {
  test("names each operation", async () => {
    const { client, request, picked } = await scene();
    const reported: string[] = [];
    client.diagnostics.subscribe(({ operation }) => reported.push(operation));
    valueIn(await client.transferTag(request));
    valueIn(await client.clearTag(picked));
    valueIn(await client.connect(picked.deviceId));
    expect(client.diagnostics.runs().map(({ operation }) => operation)).toEqual([
      "pick",
      "transfer",
      "clear",
      "connect",
    ]);
    expect(reported).toEqual(["transfer", "clear", "connect"]);
  });
});

describe("picking and connecting", () => {
  test("report that they connect, and that they try again", async () => {
    const { client, onProgress, events } = await trying();
    const tag = valueIn(await client.pickTag({ onProgress }));
    await client.disconnect(tag.deviceId);
    expect(valueIn(await client.connect(tag.deviceId, { onProgress }))).toEqual(tag);
    const reported = events.map((event) => [event.type, "phase" in event && event.phase]);
    const once = [
      ["started", "connect"],
      ["retrying", "connect"],
      ["done", "connect"],
    ];
    expect(reported).toEqual([...once, ...once]);
    const reasons = events.flatMap((event) => (event.type === "retrying" ? [event.reason] : []));
    expect(reasons).toEqual(["connect_failed", "connect_failed"]);
    expect(await client.rememberedTags()).toEqual([{ deviceId: "scripted", name: "EBT-0001" }]);
  });

  test("have a session and a certificate made ready, and do not fail where that cannot be", async () => {
    const { another, service } = await scene();
    const before = service.count("device-client-certificates");
    valueIn(await another().pickTag());
    await vi.waitFor(() => expect(service.count("device-client-certificates")).toBe(before + 1), {
      timeout: 60_000,
    });
    service.next("auth/nonces", unreachable, unreachable, unreachable);
    valueIn(await another().pickTag());
  });
});

describe("reading from a tag", () => {
  test("gives battery and firmware over the link that is there, however old", async () => {
    const { client, picked, tag } = await scene();
    const links: string[] = [];
    tag.observe((event) => event.type === "link" && links.push(event.change));
    const now = performance.now.bind(performance);
    vi.spyOn(performance, "now").mockImplementation(() => now() + 13_000);
    expect(valueIn(await client.readBattery(picked.deviceId))).toBe(87);
    expect(valueIn(await client.readFirmware(picked.deviceId))).toMatch(/./);
    expect(valueIn(await client.connect(picked.deviceId))).toEqual(picked);
    vi.restoreAllMocks();
    expect(links).toEqual([]);
  });

  test("waits for no operation on it, and stops when its caller cancels", async () => {
    const { client, picked, request } = await scene();
    const first = client.transferTag(request);
    expect(outcomeOf(await client.readBattery(picked.deviceId))).toBe("OperationError:busy");
    valueIn(await first);
    const signal = AbortSignal.abort();
    for (const read of [client.readBattery, client.readFirmware])
      expect(outcomeOf(await read(picked.deviceId, { signal }))).toBe("OperationError:cancelled");
  });

  test("of a tag that was never picked is refused", async () => {
    const { client } = await scene();
    expect(outcomeOf(await client.readBattery("another"))).toBe("OperationError:unknown_device");
  });
});

describe("what the host leaves open", () => {
  test("is the browser's fetch, three proofs, and a label without the locator", async () => {
    const { service, request, another, tag } = await scene();
    vi.stubGlobal("fetch", service.fetch);
    service.lockToStranger(request.uniqueDeviceId);
    const client = another({ fetch: undefined } as never);
    valueIn(await client.pickTag());
    const collector = collectorOf(WRONG, WRONG, WRONG, RIGHT);
    expect(outcomeOf(await client.transferTag(request, collector))).toMatch(/attempts_exceeded/);
    expect(collector.prompts).toHaveLength(3);
    valueIn(await client.transferTag(request, collectorOf(RIGHT)));
    vi.unstubAllGlobals();
    expect(tag.snapshot().display.content).not.toHaveProperty("recordLocator");
    expect(service.calls.some(({ path }) => AUTHORIZED.test(path))).toBe(true);
  });

  test("may be a label with the locator", async () => {
    const { client, request, tag } = await scene({ client: { showLocator: true } });
    valueIn(await client.transferTag(request));
    expect(tag.snapshot().display.content).toMatchObject({ recordLocator: "K7Q2ZD" });
  });

  test("is a database that every client of the page shares", async () => {
    const { service } = await scene();
    const client = () => createTaglatch({ baseUrl: "https://service.example", fetch: service.fetch });
    const before = service.count("guest/sessions");
    valueIn(await client().session.prepare());
    valueIn(await client().session.prepare());
    expect(service.count("guest/sessions")).toBe(before + 1);
  });
});

test("the configuration is loaded once for all, and again after it could not be", async () => {
  const { service, another } = await scene();
  let loads = 0;
  const client = another({
    fetch: async (input, init) => {
      if (String(input).includes(".well-known") && ++loads === 1) throw new TypeError("Failed to fetch");
      return service.fetch(input, init);
    },
  });
  expect(outcomeOf(await client.session.prepare())).toBe("ConfigurationError:configuration_unavailable");
  valueIn(await client.session.prepare());
  valueIn(await client.session.prepare());
  expect(loads).toBe(2);
});

const signal = neverCancelled();

async function tools() {
  const authorities = await makeAuthorities();
  const service = new FakeService(authorities);
  const settings = { baseUrl: "https://service.example", databaseName: "tools", fetch: service.fetch };
  return { authorities, service, tools: createTagTools(settings), settings };
}

test("a certificate and the roots above tags are there before any tag is", async () => {
  const { authorities, tools: made } = await tools();
  const { credential, tagRoots } = await made.prepare(signal);
  expect(tagRoots).toEqual([authorities.tagRoot]);
  expect(credential.chain.at(-1)).toEqual(authorities.intermediate.certificate);
  expect(credential.privateKey.extractable).toBe(false);
});

test("a token is asked for as wished, unless that is cancelled", async () => {
  const { service, tools: made } = await tools();
  const tokenRequest = {
    uniqueDeviceId: "ebt-20-0005",
    generation: "2.0",
    nonce: new Uint8Array(16).fill(1),
    operation: "clear",
    payloadDigest: new Uint8Array(32).fill(2),
  } as const;
  expect((await made.transactionToken(tokenRequest, signal)).length).toBeGreaterThan(0);
  expect(service.calls.at(-1)).toMatchObject({
    path: expect.stringContaining("ebt-authorizations"),
    body: { uniqueDeviceId: "ebt-20-0005", payloadDigest: toBase64Url(tokenRequest.payloadDigest) },
  });
  const outcome = made.transactionToken(tokenRequest, AbortSignal.abort());
  await expect(outcome).rejects.toMatchObject({ code: "cancelled" });
});

test("the radio is the host's, or else the browser's", async () => {
  const { settings, tools: made } = await tools();
  const radio = {} as TagRadio;
  expect(createTagTools({ ...settings, radio }).radio).toBe(radio);
  await expect(made.radio.choose(undefined, signal)).rejects.toMatchObject({ code: "unsupported" });
});

test("a listener that throws fails on its own: the next is notified, and the platform reports it", () => {
  const later: (() => void)[] = [];
  vi.stubGlobal("queueMicrotask", (work: () => void) => later.push(work));
  const listeners = new Listeners<number>();
  const received: number[] = [];
  listeners.add(() => {
    throw new Error("the host's");
  });
  listeners.add((event) => received.push(event));
  listeners.notify(1);
  vi.unstubAllGlobals();
  expect(received).toEqual([1]);
  expect(later).toHaveLength(1);
  expect(later[0]).toThrow("the host's");
});

test("an operation connects, secures, asks, proves, is authorized, writes, shows and attaches, in this order", () => {
  expect(PHASES.join(" ")).toBe("connect secure lookup proof authorize write display attach");
});
