import { describe, expect, it, test, vi } from "vitest";
import type { OutcomesRequest } from "../core/api/index.ts";
import type { RunRecord } from "./api.ts";
import type { Configuration } from "./configuration.ts";
import { type ClientHints, outcomeOf, platformOf, sendOutcome } from "./outcomes.ts";
import { scene } from "./test-support/scene.ts";
import type { OutcomesConsent } from "./types.ts";

const RUN: RunRecord = {
  operation: "transfer",
  startedAt: 1_795_000_000_000,
  elapsed: 1_749,
  outcome: "link_lost",
  generation: "2.1",
  model: "BT-300",
  firmware: "1.4.0",
  phases: [
    { phase: "connect", at: 0, duration: 300 },
    { phase: "write", at: 300, duration: 1_449 },
  ],
  retries: ["link_lost"],
  requestId: "0123456789abcdef0123456789abcdef",
};
const PLATFORM = { app: "google chrome/142", os: "android/16" };

describe("an outcome", () => {
  it("has nothing by which person, tag, device or moment could be known", () => {
    expect(outcomeOf(RUN, PLATFORM)).toEqual({
      ...{ operation: "transfer", phase: "write", outcome: "link_lost", generation: "2.1" },
      ...{ model: "BT-300", firmware: "1.4.0", ...PLATFORM, milliseconds: 1_700 },
    });
  });

  test.each<[string, Partial<RunRecord>, object]>([
    ["a model with a serial number", { model: "BT-300 123456" }, { model: undefined }],
    ["a firmware that is no version", { firmware: "a1b2c3d" }, { firmware: undefined }],

    ["a day", { elapsed: 86_400_000 }, { milliseconds: 600_000 }],
  ])("leaves out or cuts %s", (_what, change, expected) => {
    expect(outcomeOf({ ...RUN, ...change }, PLATFORM)).toMatchObject({ outcome: "link_lost", ...expected });
  });

  it("that ended before its first step names none", () => {
    expect(outcomeOf({ ...RUN, phases: [] }, PLATFORM)).not.toHaveProperty("phase");
  });

  it("is not made of a platform with a minor version", () => {
    expect(outcomeOf(RUN, { ...PLATFORM, app: "skyways/12.4" })).toBeUndefined();
  });
});

const hints = (brands: [string, string][], platform: string, platformVersion?: string): ClientHints => ({
  userAgentData: {
    brands: brands.map(([brand, version]) => ({ brand, version })),
    platform,
    getHighEntropyValues: async () => (platformVersion === undefined ? {} : { platformVersion }),
  },
});
const CHROMIUM: [string, string] = ["Chromium", "142"];
const REFUSES = async () => Promise.reject(new DOMException("", "NotAllowedError"));

test.each<[string, ClientHints | undefined, string, string]>([
  [
    "Chrome",
    hints([["Not_A Brand", "99"], CHROMIUM, ["Google Chrome", "142"]], "Android", "16.0.0"),
    "google chrome/142",
    "android/16",
  ],
  [
    "a Chromium of its own",
    hints([CHROMIUM, ["Not;A=Brand", "8"]], "Chrome OS", "16433.41.0"),
    "chromium/142",
    "chrome os/16433",
  ],
  ["one that hides its system's version", hints([CHROMIUM], "Linux"), "chromium/142", "linux/0"],
  ["no brand", hints([], ""), "other/0", "other/0"],
  ["a browser without hints", {}, "other/0", "other/0"],
  ["no browser", undefined, "other/0", "other/0"],
])("%s is named by its major versions", async (_which, navigator, app, os) => {
  expect(await platformOf(navigator)).toEqual({ app, os });
});

test("a browser that refuses its system's version is named without it", async () => {
  const { userAgentData } = hints([CHROMIUM], "Android");
  const refusing = userAgentData && { userAgentData: { ...userAgentData, getHighEntropyValues: REFUSES } };
  expect(await platformOf(refusing)).toEqual({ app: "chromium/142", os: "android/0" });
});

describe("what is sent", () => {
  const sender = (outcomes: Configuration["outcomes"], consent: OutcomesConsent) => {
    const send = vi.fn<typeof fetch>(async () => Response.json({ received: true }));
    const configuration = async () => ({ outcomes }) as Configuration;
    const parts = { baseUrl: "https://tags.example", fetch: send, configuration, consent };
    return { send, end: () => sendOutcome(parts, RUN) };
  };

  it("is one request for each run, without key, session or cookie", async () => {
    const { send, end } = sender("hosts", true);
    await end();
    const [url, init] = send.mock.calls[0] ?? [];
    expect(url).toBe("https://tags.example/v2/outcomes");
    expect(init).toMatchObject({ method: "POST", keepalive: true, credentials: "omit" });
    expect(init?.headers).toEqual({ "Content-Type": "application/json" });
    const unknown = { app: "other/0", os: "other/0" };
    expect(JSON.parse(String(init?.body))).toEqual({ outcomes: [outcomeOf(RUN, unknown)] });
  });

  it.each<[Configuration["outcomes"], OutcomesConsent, number]>([
    [undefined, true, 0],
    [undefined, "operator", 0],
    ["hosts", "operator", 0],
    ["hosts", PLATFORM, 1],
    ["all", "operator", 1],
    ["all", true, 1],
  ])("to a service that counts those of %s, with consent %s, is %i", async (counted, consent, requests) => {
    const { send, end } = sender(counted, consent);
    await end();
    expect(send).toHaveBeenCalledTimes(requests);
  });

  it("is dropped where it cannot be sent", async () => {
    const { send, end } = sender("hosts", true);
    send.mockRejectedValueOnce(new TypeError("offline"));
    await end();
    expect(send).toHaveBeenCalledTimes(1);
  });
});

describe("a client", () => {
  it("reads model and firmware and sends the outcome, where its host consents", async () => {
    const { client, request, service, picked } = await scene({
      client: { outcomes: true },
      tag: { model: "Tag one", firmware: "2.0.1" },
      configuration: { outcomes: "hosts" },
    });
    await client.transferTag(request);
    expect(client.diagnostics.runs().at(-1)).toMatchObject({ model: "Tag one", firmware: "2.0.1" });
    const ofTransfer = ({ path, body }: { path: string; body: OutcomesRequest }) =>
      path === "/v2/outcomes" && body.outcomes[0]?.operation === "transfer";
    const { body, headers } = await vi.waitUntil(() => service.calls.find(ofTransfer));
    expect(body.outcomes).toMatchObject([{ outcome: "ok", model: "Tag one" }]);
    expect([...(headers?.keys() ?? [])]).toEqual(["content-type"]);
    expect(JSON.stringify(body)).not.toContain(picked.uniqueDeviceId);
  });

  it.each([
    ["its host's consent", {}, "all"],
    ["the operator's", { outcomes: "operator" }, "hosts"],
    ["a service that counts", { outcomes: true }, undefined],
  ] as const)("without %s neither reads nor sends", async (_whose, client, outcomes) => {
    const {
      client: own,
      request,
      service,
    } = await scene({ client, ...(outcomes && { configuration: { outcomes } }) });
    await own.transferTag(request);
    expect(own.diagnostics.runs().at(-1)).not.toHaveProperty("model");
    expect(service.count("/v2/outcomes")).toBe(0);
  });
});
