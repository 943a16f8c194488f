import { describe, expect, test } from "vitest";
import { withResolvers } from "../abort.ts";
import type { CustodyProofRequiredException } from "../errors.ts";
import { loseAnswer, refuse, unreachable } from "../test-support/fake-service.ts";
import {
  collectorOf,
  outcomeOf,
  RIGHT,
  type Scene,
  type SceneOptions,
  scene,
  valueIn,
  WRONG,
} from "../test-support/scene.ts";
import type { CustodyProofCollector } from "../types.ts";

const HINTS = { maskedSurname: "L•••••", maskedRecordLocator: "A•••••" };

async function lockedScene(options: SceneOptions = {}): Promise<Scene> {
  const made = await scene(options);
  made.service.lockToStranger(made.picked.uniqueDeviceId);
  return made;
}

function connections({ tag }: Scene): { count: number } {
  const seen = { count: 0 };
  tag.observe((event) => {
    if (event.type === "link" && event.change === "connected") seen.count++;
  });
  return seen;
}

describe("a tag locked to another journey", () => {
  test("is written after a proof that was wrong twice, then right, on the same connection", async () => {
    const here = await lockedScene();
    const made = connections(here);
    const collector = collectorOf(WRONG, WRONG, RIGHT);
    const result = valueIn(await here.client.transferTag(here.request, collector));
    expect(result.pendingRetry).toBe(false);
    expect(made.count).toBe(0);
    expect(collector.prompts.map(({ attempt, attemptsLeft }) => [attempt, attemptsLeft])).toEqual([
      [1, 3],
      [2, 2],
      [3, 1],
    ]);
    expect(collector.prompts.map(({ lastSubmissionError }) => lastSubmissionError?.code)).toEqual([
      undefined,
      "custody_proof_invalid",
      "custody_proof_invalid",
    ]);
    expect(collector.prompts[0]?.hints).toEqual(HINTS);
    // While the radio connected, and with the tag's certificate.
    const lookups = here.service.calls.filter(({ path }) => path.endsWith("ebt-lookups"));
    const { uniqueDeviceId } = here.picked;
    expect(lookups.map(({ body }) => body)).toEqual([
      { uniqueDeviceId, forBaggageId: 3 },
      { uniqueDeviceId, forBaggageId: 3, tagCertificate: expect.any(String) },
    ]);
    expect(here.service.locks.get(here.picked.uniqueDeviceId)?.baggageId).toBe(3);
  });

  test("is refused without a question where it was reported lost, and nothing is written", async () => {
    const here = await lockedScene();
    const { uniqueDeviceId } = here.picked;
    const lock = here.service.locks.get(uniqueDeviceId);
    if (lock) here.service.locks.set(uniqueDeviceId, { ...lock, lost: true });
    const collector = collectorOf(RIGHT);
    expect(outcomeOf(await here.client.transferTag(here.request, collector))).toBe(
      "ServiceError:device_lost",
    );
    expect(collector.prompts).toEqual([]);
    expect(here.tag.snapshot().commits).toBe(0);
    // Who has brought the right proof along may open it (rules §5).
    const proof = { recordLocator: RIGHT.recordLocator, custodyProofSurname: RIGHT.surname };
    valueIn(await here.client.transferTag({ ...here.request, ...proof }, collector));
    expect(collector.prompts).toHaveLength(1);
  });

  test("sends the surname in upper case, and nothing typed around either", async () => {
    const { client, request, service } = await lockedScene();
    await client.transferTag(request, collectorOf({ recordLocator: " ABC123 ", surname: " müller " }));
    const proof = service.calls.find(({ path }) => path.endsWith("custody-proofs"));
    expect(proof?.body).toMatchObject({ recordLocator: "ABC123", surname: "MÜLLER" });
  });

  test.each([
    [0, 0],
    [1, 1],
  ])("asks as often as the configuration says: %d", async (maxCustodyProofAttempts, times) => {
    const { client, request } = await lockedScene({ client: { maxCustodyProofAttempts } });
    const collector = collectorOf(WRONG, RIGHT);
    expect(await client.transferTag(request, collector)).toMatchObject({
      error: {
        code: "custody_proof_attempts_exceeded",
        lastSubmissionError: { code: "custody_proof_invalid" },
      },
    });
    expect(collector.prompts).toHaveLength(times);
  });

  test("stays as it was when the person gives up", async () => {
    const { client, request, tag } = await lockedScene();
    const result = await client.transferTag(request, collectorOf(null));
    expect(outcomeOf(result)).toBe("CustodyProofCancelledException:custody_proof_cancelled");
    expect(tag.snapshot().display.content).toBeNull();
  });

  test("closes the dialog when the caller cancels", async () => {
    const { client, request } = await lockedScene();
    const controller = new AbortController();
    const closed = withResolvers<string>();
    const collector: CustodyProofCollector = {
      collect({ signal }) {
        signal.addEventListener("abort", () => closed.resolve("closed"));
        controller.abort();
        return new Promise(() => undefined);
      },
    };
    const result = await client.transferTag(request, collector, controller);
    expect(outcomeOf(result)).toBe("OperationError:cancelled");
    expect(await closed.promise).toBe("closed");
  });

  test("fails with the hints without a collector", async () => {
    const { client, request } = await lockedScene();
    const result = await client.transferTag(request);
    expect(outcomeOf(result)).toBe("CustodyProofRequiredException:custody_proof_needed");
    expect((result as { error: CustodyProofRequiredException }).error.hints).toEqual(HINTS);
  });

  test("asks the request's collector before the call's before the configured one", async () => {
    const configured = collectorOf(RIGHT);
    const { client, request, service, picked } = await lockedScene({
      client: { custodyProofCollector: configured },
    });
    const perCall = collectorOf(RIGHT);
    const perRequest = collectorOf(RIGHT);
    valueIn(await client.transferTag({ ...request, custodyProofCollector: perRequest }, perCall));
    service.lockToStranger(picked.uniqueDeviceId);
    valueIn(await client.transferTag(request, perCall));
    service.lockToStranger(picked.uniqueDeviceId);
    valueIn(await client.transferTag(request));
    expect([perRequest, perCall, configured].map(({ prompts }) => prompts.length)).toEqual([1, 1, 1]);
  });
});

describe("a proof the request brings", () => {
  const proof = { recordLocator: "ABC123", custodyProofSurname: "lovelace" };

  test.each(["per call", "configured"])(
    "arrives filled in a collector %s, and the person confirms",
    async (how) => {
      const collector = collectorOf(null, RIGHT);
      const client = how === "configured" ? { client: { custodyProofCollector: collector } } : {};
      const here = await lockedScene(client);
      const transfer = () =>
        here.client.transferTag({ ...here.request, ...proof }, how === "per call" ? collector : undefined);
      expect(outcomeOf(await transfer())).toMatch(/custody_proof_cancelled/);
      expect(here.service.count("custody-proofs")).toBe(0);
      valueIn(await transfer());
      expect(collector.prompts.map(({ attempt, prefill }) => [attempt, prefill])).toEqual([
        [1, { recordLocator: "ABC123", surname: "lovelace" }],
        [1, { recordLocator: "ABC123", surname: "lovelace" }],
      ]);
    },
  );

  test("is submitted as it is without a collector", async () => {
    const { client, request, service } = await lockedScene();
    valueIn(await client.transferTag({ ...request, ...proof }));
    expect(service.count("custody-proofs")).toBe(1);
  });

  test("is submitted once without a collector: a wrong one is a failure", async () => {
    const { client, request, service, tag } = await lockedScene();
    const result = await client.transferTag({ ...request, ...proof, recordLocator: "NOPE12" });
    expect(result).toMatchObject({
      error: { code: "custody_proof_needed", lastSubmissionError: { code: "custody_proof_invalid" } },
    });
    expect(service.count("custody-proofs")).toBe(1);
    expect(tag.snapshot().commits).toBe(0);
  });

  test("that is only half is not submitted", async () => {
    const { client, request, service } = await lockedScene();
    expect(outcomeOf(await client.transferTag({ ...request, recordLocator: "ABC123" }))).toMatch(/needed/);
    expect(service.count("custody-proofs")).toBe(0);
  });

  test("fills the dialog when it is only half", async () => {
    const { client, request } = await lockedScene();
    const collector = collectorOf(RIGHT);
    valueIn(await client.transferTag({ ...request, recordLocator: "ABC123" }, collector));
    expect(collector.prompts[0]?.prefill).toEqual({ recordLocator: "ABC123" });
  });
});

describe("between proof and service", () => {
  test("a right proof whose answer was lost is settled by a new lookup", async () => {
    const { client, request, service } = await lockedScene();
    // Carried out, answer lost; tried again where the stored answer is gone too.
    service.next("custody-proofs", loseAnswer, refuse("custody_proof_invalid"));
    const collector = collectorOf(RIGHT);
    valueIn(await client.transferTag(request, collector));
    expect(collector.prompts).toHaveLength(1);
    expect(service.count("ebt-lookups")).toBe(3);
  });

  test("a wrong proof after a lost request is still wrong", async () => {
    const { client, request, service } = await lockedScene();
    service.next("custody-proofs", unreachable);
    const collector = collectorOf(WRONG, null);
    expect(outcomeOf(await client.transferTag(request, collector))).toMatch(/custody_proof_cancelled/);
    expect(collector.prompts[1]?.lastSubmissionError?.code).toBe("custody_proof_invalid");
  });

  test("too many guesses end the transfer and say how long to wait", async () => {
    const { client, request, service } = await lockedScene();
    service.next("custody-proofs", refuse("too_many_attempts", { "Retry-After": "600" }));
    const result = await client.transferTag(request, collectorOf(RIGHT));
    expect(result).toMatchObject({ ok: false, error: { code: "too_many_attempts", retryAfter: 600 } });
  });
});
