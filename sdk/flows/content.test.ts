import { describe, expect, test, vi } from "vitest";
import { neverCancelled } from "../abort.ts";
import type { Api } from "../service/session.ts";
import { JOURNEY } from "../test-support/fake-service.ts";
import type { TransferTagRequest } from "../types.ts";
import { clearContent, transferContent } from "./content.ts";

const signal = neverCancelled();

function contentOf(changes: Partial<TransferTagRequest> = {}) {
  const call = vi.fn(async () => JOURNEY);
  const request = { deviceId: "d", uniqueDeviceId: "t", baggageId: 3, journeyId: "j-1", ...changes };
  return { call, source: transferContent(request, { call } as unknown as Api, { showLocator: false }) };
}

describe("a label", () => {
  test("of the service's journey is approved by it, and can be made again", async () => {
    const { call, source } = contentOf();
    expect(source.reloadable).toBe(true);
    expect(await source.load(signal)).toMatchObject({ operation: "write", approvedBag: 3 });
    expect(call).toHaveBeenCalledWith("journey", {}, { signal, params: { journeyId: "j-1" } });
  });

  test.each<[string, Partial<TransferTagRequest>]>([
    ["journey", { journey: JOURNEY }],
    ["own", { displayTicket: { kind: "write", licencePlate: "0117123456" } }],
  ])("of the host's %s is what it is", async (_whose, changes) => {
    const { call, source } = contentOf(changes);
    expect(source.reloadable).toBe(false);
    expect(await source.load(signal)).not.toHaveProperty("approvedBag");
    expect(call).not.toHaveBeenCalled();
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
  expect(clearContent.reloadable).toBe(false);
  expect(await clearContent.load(signal)).toMatchObject({ operation: "clear" });
});
