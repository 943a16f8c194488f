import { describe, expect, test } from "vitest";
import { refuse } from "../test-support/fake-service.ts";
import { outcomeOf, scene, valueIn } from "../test-support/scene.ts";
import { reportOf } from "../test-support/value-in.ts";

describe.each(["2.1", "2.0"] as const)("clearing a tag of GATT v%s", (generation) => {
  test("blanks it and removes its lock", async () => {
    const { client, request, tag, service, picked } = await scene({ generation });
    valueIn(await client.transferTag(request));
    const result = valueIn(await client.clearTag(picked));
    expect(result).toMatchObject({ pendingRetry: false, device: { uniqueDeviceId: picked.uniqueDeviceId } });
    expect(tag.snapshot()).toMatchObject({ display: { state: "BLANK" }, connected: false });
    expect(service.locks.size).toBe(0);
  });

  test("is refused to a stranger before anything reaches the tag", async () => {
    const { client, another, request, tag, service, picked } = await scene({ generation });
    valueIn(await client.transferTag(request));
    const stranger = another();
    valueIn(await stranger.pickTag());
    expect(outcomeOf(await stranger.clearTag(picked))).toBe("ServiceError:custody_proof_required");
    expect(tag.snapshot().display.content).toMatchObject({ licencePlate: "0220654321" });
    expect(tag.snapshot().connected).toBe(false);
    expect(service.locks.size).toBe(1);
  });
});

describe("a tag that is blank but still locked at the service", () => {
  test("is a success with pendingRetry, unlocked later", async () => {
    const { client, request, service, picked } = await scene();
    valueIn(await client.transferTag(request));
    service.next("ebt-unlocks", refuse("service_unavailable", { "Retry-After": "5" }));
    expect(valueIn(await client.clearTag(picked)).pendingRetry).toBe(true);
    expect(service.locks.size).toBe(1);
    expect(valueIn(await client.outbox.flush())).toEqual(reportOf({ sent: 1 }));
    expect(service.locks.size).toBe(0);
  });
});

describe("a clear that is refused", () => {
  test("for another reason than a lock asks for no proof", async () => {
    const { client, request, service, picked } = await scene();
    valueIn(await client.transferTag(request));
    const looked = service.count("ebt-lookups");
    service.next("ebt-authorizations", refuse("journey_not_found"));
    expect(outcomeOf(await client.clearTag(picked))).toBe("ServiceError:journey_not_found");
    expect(service.count("ebt-lookups")).toBe(looked);
  });

  test.each([
    ["names the bag where its caller does", { baggageId: 3 }, { forBaggageId: 3 }],
    ["names no bag where its caller does not", {}, {}],
  ])("by another caller's lock %s", async (_what, bag, named) => {
    const { client, service, picked } = await scene();
    service.lockToStranger(picked.uniqueDeviceId);
    expect(outcomeOf(await client.clearTag({ ...picked, ...bag }))).toBe(
      "ServiceError:custody_proof_required",
    );
    const { tagCertificate, ...asked } =
      service.calls.findLast(({ path }) => path.endsWith("ebt-lookups"))?.body ?? {};
    expect(asked).toEqual({ uniqueDeviceId: picked.uniqueDeviceId, ...named });
    expect(tagCertificate).toEqual(expect.any(String));
  });
});

describe("a tag that is locked to the booking of its holder", () => {
  const ADA = { recordLocator: "ABC123", custodyProofSurname: "Lovelace" };
  const locked = async () => {
    const { client, request, service, picked, tag } = await scene();
    valueIn(await client.transferTag(request));
    service.locks.clear();
    service.lockToStranger(picked.uniqueDeviceId);
    const clear = async (booking: object) => outcomeOf(await client.clearTag({ ...picked, ...booking }));
    return { clear, service, display: () => tag.snapshot().display.state };
  };

  test("is cleared where that booking is brought along", async () => {
    const { clear, service, display } = await locked();
    expect(await clear(ADA)).toBe("ok");
    expect(display()).toBe("BLANK");
    expect(service.locks.size).toBe(0);
    expect(service.count("ebt-custody-proofs")).toBe(1);
  });

  test.each([
    ["another locator", { ...ADA, recordLocator: "XYZ123" }],
    ["another surname", { ...ADA, custodyProofSurname: "Byron" }],
    ["half a booking", { recordLocator: "ABC123" }],
  ])("submits no guess that cannot be right: %s", async (_what, booking) => {
    const { clear, service } = await locked();
    expect(await clear(booking)).toBe("ServiceError:custody_proof_required");
    expect(service.count("ebt-custody-proofs")).toBe(0);
  });

  test("stays as it is after a booking that only begins alike", async () => {
    const { clear, service, display } = await locked();
    expect(await clear({ ...ADA, recordLocator: "AAAAAA" })).toBe("ServiceError:custody_proof_required");
    expect(service.count("ebt-custody-proofs")).toBe(1);
    expect(display()).toBe("LABEL");
  });
});
