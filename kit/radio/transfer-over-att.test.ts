import { describe, expect, test, vi } from "vitest";
import { collectorOf, RIGHT } from "../../sdk/test-support/scene.ts";
import { valueIn } from "../../sdk/test-support/value-in.ts";
import type { TagEvent } from "../../sim/tag/tag-types.ts";
import { openFixtures } from "../test-support/att-fixture.ts";

const fixture = openFixtures();

const longestFrame = (events: readonly TagEvent[]) =>
  Math.max(...events.flatMap((event) => (event.type === "frame" ? [event.length] : [])));

describe.each(["2.1", "2.0"] as const)("a tag of GATT v%s behind real ATT", (generation) => {
  test.each([
    [23, 20],
    [185, 182],
    [247, 244],
    [517, 512],
  ])("at MTU %i has frames of %i, and is written and cleared", async (mtu, frame) => {
    const { client, request, tag, remote, events, service, controllers } = await fixture({ generation, mtu });
    const picked = valueIn(await client.pickTag());
    expect(picked).toMatchObject({ uniqueDeviceId: tag.id, generation });
    expect(remote.mtu).toBe(mtu);
    expect(valueIn(await client.transferTag(request)).pendingRetry).toBe(false);
    expect(tag.snapshot().display.content).toMatchObject({ licencePlate: "0220654321" });
    expect(longestFrame(events)).toBe(frame);
    expect(service.locks.size).toBe(1);
    expect(valueIn(await client.clearTag(picked)).pendingRetry).toBe(false);
    expect(tag.snapshot().display.state).toBe("BLANK");
    expect(service.locks.size).toBe(0);
    expect([controllers.tag.overruns, controllers.central.overruns]).toEqual([0, 0]);
  });

  test("locked to another journey, is written after a proof", async () => {
    const { client, request, tag, service } = await fixture({ generation });
    valueIn(await client.pickTag());
    service.lockToStranger(tag.id);
    expect(valueIn(await client.transferTag(request, collectorOf(RIGHT))).pendingRetry).toBe(false);
    expect(tag.snapshot().display.content).toMatchObject({ licencePlate: "0220654321" });
  });
});

test.each(["2.1", "2.0"] as const)(
  "a v%s tag asks for an interval of 15 ms with the first message of a session, and once",
  async (generation) => {
    // With suite 3 alone it gets two of them.
    const tag = { suites: [3] } as const;
    const { client, request, remote, air } = await fixture({ generation, interval: 30, tag });
    const picked = valueIn(await client.pickTag());
    expect([remote.requests, air.intervals]).toEqual([[], [30]]);
    valueIn(await client.transferTag(request));
    expect(remote.requests).toMatchObject([{ connIntervalMin: 12, connIntervalMax: 12, connLatency: 0 }]);
    expect(air.intervals).toEqual([15]);
    await client.disconnect(picked.deviceId);
  },
);

test.each([
  ["one buffer of 27 bytes", { aclLength: 27, aclBuffers: 1, airLength: 27 }],
  ["three buffers of 64, cut to 27 on the air", { aclLength: 64, aclBuffers: 3, airLength: 27 }],
  ["buffers of 251, whole on the air", { aclLength: 251, aclBuffers: 4, airLength: 251 }],
  ["buffers longer than any packet", { aclLength: 1_021, aclBuffers: 2, airLength: 251 }],
])("controllers with %s carry frames of 512", async (_name, controller) => {
  const { client, request, tag, controllers } = await fixture({ mtu: 517, controller });
  valueIn(await client.pickTag());
  valueIn(await client.transferTag(request));
  expect(tag.snapshot()).toMatchObject({ commits: 1, display: { state: "LABEL" } });
  expect([controllers.tag.overruns, controllers.central.overruns]).toEqual([0, 0]);
});

test.each([23, 247])(
  "at MTU %i Chrome on Android, which writes without response where it can, loses nothing",
  async (mtu) => {
    vi.stubGlobal("navigator", { userAgent: "Mozilla/5.0 (Linux; Android 15)" });
    try {
      const { client, request, remote, tag } = await fixture({ mtu });
      valueIn(await client.pickTag());
      valueIn(await client.transferTag(request));
      expect(tag.snapshot().commits).toBe(1);
      expect(remote.commands).toBeGreaterThan(1);
    } finally {
      vi.unstubAllGlobals();
    }
  },
);

test("a central that asks for its MTU only after INFO gets the frames that INFO promised", async () => {
  const { client, request, remote, events } = await fixture({ central: { exchangesMtu: "afterInfo" } });
  valueIn(await client.pickTag());
  expect(remote.mtu).toBe(247);
  valueIn(await client.transferTag(request));
  expect(longestFrame(events)).toBe(20);
});

test("a central that goes on with Read Blob after every read takes no frame twice", async () => {
  const { client, request, tag } = await fixture({ mtu: 23, central: { asksForMore: true } });
  valueIn(await client.pickTag());
  valueIn(await client.transferTag(request));
  expect(tag.snapshot().commits).toBe(1);
});
