import { describe, expect, test } from "vitest";
import { refuse } from "../test-support/fake-service.ts";
import { outcomeOf, scene, valueIn } from "../test-support/scene.ts";
import { PHASES } from "../types.ts";

describe.each(["2.1", "2.0"] as const)("a free tag of GATT v%s", (generation) => {
  test("shows the bag's label and is locked to its journey", async () => {
    const { client, tag, service, request, picked } = await scene({ generation });
    const result = valueIn(await client.transferTag(request));
    expect(result).toMatchObject({
      pendingRetry: false,
      device: { uniqueDeviceId: picked.uniqueDeviceId, generation, batteryLevel: 87 },
    });
    expect(tag.snapshot().display.content).toMatchObject({ kind: "write", licencePlate: "0220654321" });
    expect(service.locks.get(picked.uniqueDeviceId)).toMatchObject({ baggageId: 3 });
    const attached = service.calls.find(({ path }) => path.endsWith("device-attachments"));
    expect(attached?.body.device).toMatchObject({ batteryPercentage: 87 });
    expect(await client.outbox.entries()).toEqual([]);
  });

  test("reports every phase once, in order, each done before the next", async () => {
    const { client, request, events, onProgress } = await scene({ generation });
    valueIn(await client.transferTag(request, undefined, { onProgress }));
    const expected = PHASES.filter((phase) => phase !== "proof");
    expect(events.filter(({ type }) => type === "started")).toMatchObject(
      expected.map((phase) => ({ phase })),
    );
    expect(events.filter(({ type }) => type === "done")).toMatchObject(expected.map((phase) => ({ phase })));
    expect(client.diagnostics.runs().at(-1)).toMatchObject({
      operation: "transfer",
      outcome: "ok",
      generation,
    });
  });
});

test("a device that has stored the table of the tag's v2.0 firmware writes nothing, until it has the new one", async () => {
  const { client, tag, service, request, picked } = await scene();
  await client.disconnect(picked.deviceId);
  tag.faults.outdatedTable = true;
  expect(await client.transferTag(request)).toMatchObject({
    ok: false,
    error: { name: "TagError", code: "outdated_table" },
  });
  expect(tag.snapshot()).toMatchObject({ commits: 0, display: { content: null } });
  expect(service.count("/v2/ebt-authorizations")).toBe(0);
  tag.faults.outdatedTable = false;
  valueIn(await client.transferTag(request));
  expect(tag.snapshot()).toMatchObject({ commits: 1 });
});

describe("the request for a token", () => {
  test.each([
    ["2.1", 43],
    ["2.0", undefined],
  ] as const)("binds everything that GATT v%s can check", async (generation, bindingLength) => {
    const { client, request, service } = await scene({ generation });
    valueIn(await client.transferTag(request));
    const { body } = service.calls.find(({ path }) => path.endsWith("ebt-authorizations")) ?? {};
    expect(body).toMatchObject({
      operation: "write",
      gattVersion: generation,
      baggageId: 3,
      nonce: expect.stringMatching(/^[\w-]{22}$/),
      payloadDigest: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(body.channelBinding?.length).toBe(bindingLength);
    expect(body.tagCertificate === undefined).toBe(generation === "2.0");
  });
});

describe("the label", () => {
  test("is made again once when the found journey changed at the service, and of that from then on", async () => {
    const { client, request, tag, service } = await scene();
    valueIn(await client.journeys.list());
    service.next("ebt-authorizations", refuse("payload_mismatch"));
    service.journey = { ...service.journey, baggage: [{ baggageId: 3, licencePlate: "0220111111" }] };
    valueIn(await client.transferTag(request));
    expect(tag.snapshot().display.content).toMatchObject({ licencePlate: "0220111111" });
    valueIn(await client.transferTag(request));
    expect(service.count("/v2/journeys/j-1")).toBe(1);
  });
});

describe("a transfer that must not begin", () => {
  test("may spell the id in another case, and sends it as the tag has it", async () => {
    const { client, request, service } = await scene();
    valueIn(await client.transferTag({ ...request, uniqueDeviceId: " EBT-21-0001" }));
    const sent = service.calls
      // The look-up starts with the connection, before the tag has said how it spells its id.
      .filter(({ path }) => path.includes("/ebt-") && !path.endsWith("lookups"))
      .map(({ body }) => body.uniqueDeviceId);
    expect(new Set(sent)).toEqual(new Set(["ebt-21-0001"]));
  });

  test.each([0, 1.5, 2_147_483_648])("has baggageId %d", async (baggageId) => {
    const { client, request } = await scene();
    expect(outcomeOf(await client.transferTag({ ...request, baggageId }))).toBe(
      "OperationError:invalid_request",
    );
  });

  test.each(["journeyId", "uniqueDeviceId"])("says nothing in %s", async (name) => {
    const { client, request, service } = await scene();
    service.calls.length = 0;
    for (const nothing of ["", " "]) {
      const result = await client.transferTag({ ...request, [name]: nothing });
      expect(outcomeOf(result)).toBe("OperationError:invalid_request");
    }
    expect(service.calls).toEqual([]);
  });
});
