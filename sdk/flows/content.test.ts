import { describe, expect, it, test, vi } from "vitest";
import { fromHex } from "../../core/encoding/bytes.ts";
import { verifyChain } from "../../core/pki/chain.ts";
import { EKU_CLIENT, EKU_TAG } from "../../core/pki/profiles.ts";
import { verifyTranscript } from "../../core/vectors/transcript.ts";
import { neverCancelled } from "../abort.ts";
import type { Journey } from "../records.ts";
import { JOURNEY } from "../test-support/fake-service.ts";
import { scene, valueIn } from "../test-support/scene.ts";
import type { TransferTagRequest } from "../types.ts";
import type { RecordedHandshake } from "./recorded-handshake.ts";
import { clearContent, transferContent } from "./write.ts";

const signal = neverCancelled();

function contentOf(changes: Partial<TransferTagRequest> = {}, loaded?: Journey) {
  const load = vi.fn(async () => JOURNEY);
  const request = { deviceId: "d", uniqueDeviceId: "t", baggageId: 3, journeyId: "j-1", ...changes };
  return { load, source: transferContent(request, { load, find: () => loaded }, { showLocator: false }) };
}

describe("a label", () => {
  test("of the service's journey is approved by it, and can be made again", async () => {
    const { load, source } = contentOf();
    expect(await source.load(signal)).toMatchObject({ operation: "write", approvedBag: 3 });
    expect(load).toHaveBeenCalledWith("j-1", signal);
    expect(await source.reload?.(signal)).toMatchObject({ operation: "write", approvedBag: 3 });
  });

  test("of a journey that this visit has loaded is approved without another load, until it is refused", async () => {
    const { load, source } = contentOf({}, JOURNEY);
    expect(await source.load(signal)).toMatchObject({ operation: "write", approvedBag: 3 });
    expect(load).not.toHaveBeenCalled();
    await source.reload?.(signal);
    expect(load).toHaveBeenCalledOnce();
  });

  test("of a bag that was added since the journey was loaded needs another load", async () => {
    const { load, source } = contentOf({}, { ...JOURNEY, baggage: [] });
    expect(await source.load(signal)).toMatchObject({ approvedBag: 3 });
    expect(load).toHaveBeenCalledOnce();
  });

  test.each<[string, Partial<TransferTagRequest>]>([
    ["journey", { journey: JOURNEY }],
    ["own", { displayTicket: { kind: "write", licencePlate: "0117123456" } }],
  ])("of the host's %s is what it is", async (_whose, changes) => {
    const { load, source } = contentOf(changes);
    expect(source).not.toHaveProperty("reload");
    expect(await source.load(signal)).not.toHaveProperty("approvedBag");
    expect(load).not.toHaveBeenCalled();
  });

  test("is of a bag that the journey has", async () => {
    const { source } = contentOf({ baggageId: 4, journey: JOURNEY });
    await expect(source.load(signal)).rejects.toMatchObject({ code: "baggage_not_found" });
  });

  test("that does not fit a tag is the caller's mistake; any other failure is none", async () => {
    const short = { displayTicket: { kind: "write", licencePlate: "1" } } as const;
    await expect(contentOf(short).source.load(signal)).rejects.toMatchObject({ code: "invalid_request" });
    const cause = new Error("any");
    const broken = {
      get kind(): never {
        throw cause;
      },
    } as unknown as NonNullable<TransferTagRequest["displayTicket"]>;
    await expect(contentOf({ displayTicket: broken }).source.load(signal)).rejects.toBe(cause);
  });
});

test("the empty label is made once for all", async () => {
  expect(clearContent).not.toHaveProperty("reload");
  expect(await clearContent.load(signal)).toMatchObject({ operation: "clear" });
});

async function recordedBy(suites: readonly (3 | 6)[]): Promise<RecordedHandshake[]> {
  const recorded: RecordedHandshake[] = [];
  const { client, request } = await scene({
    tag: { suites },
    client: { onHandshake: (file) => recorded.push(file) },
  });
  valueIn(await client.transferTag(request));
  await expect.poll(() => recorded.length, { timeout: 60_000 }).toBeGreaterThan(0);
  return recorded;
}

describe("a recorded handshake", () => {
  it.each([
    [[6, 3], 6],
    [[3], 3],
  ] as const)("with a tag of suites %j is a verifiable transcript", async (suites, selected) => {
    const [file, ...more] = await recordedBy(suites);
    if (file === undefined) throw new Error("nothing was recorded");
    expect(more).toEqual([]);
    expect(file.suite).toBe(selected);
    const anchors = { initiator: file.trust_anchor_der, responder: file.tag_ca_der };
    const report = await verifyTranscript(file, (side, chain) =>
      verifyChain({
        chain,
        anchors: [fromHex(anchors[side])],
        eku: side === "initiator" ? EKU_CLIENT : EKU_TAG,
      }),
    );
    expect(report).toEqual({ ok: true, compared: Object.keys(file.values).length });
  });
});
