// @vitest-environment node
import { describe, expect, test } from "vitest";
import { decodePayload } from "../../core/bag/payload-codec.ts";
import { outcomeOf, scene, valueOf } from "./test-support/scene.ts";
import { PHASES } from "./types.ts";

describe.each(["2.1", "2.0"] as const)("a free tag of GATT v%s", (generation) => {
  test("shows the bag's label and is locked to its journey", async () => {
    const { client, tag, service, request, picked } = await scene({ generation });
    const result = valueOf(await client.transferTag(request));
    expect(result).toMatchObject({
      pendingRetry: false,
      device: { uniqueDeviceId: picked.uniqueDeviceId, generation, batteryLevel: 87 },
    });
    const shown = tag.snapshot().display.content;
    expect(shown && decodePayload(shown.payload)).toMatchObject({
      kind: "write",
      licencePlate: "0220654321",
    });
    expect(service.locks.get(picked.uniqueDeviceId)).toMatchObject({ baggageId: 3 });
    expect(await client.outbox.entries()).toEqual([]);
  });

  test("tells every phase once, in order, each done before the next", async () => {
    const { client, request, events, onProgress } = await scene({ generation });
    valueOf(await client.transferTag(request, undefined, { onProgress }));
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
