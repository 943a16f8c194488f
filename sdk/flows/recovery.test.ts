import { afterEach, describe, expect, test, vi } from "vitest";
import { neverCancelled, sleep } from "../abort.ts";
import { type Interference, loseAnswer } from "../test-support/fake-service.ts";
import { collectorOf, outcomeOf, RIGHT, type Scene, scene, valueIn } from "../test-support/scene.ts";
import { virtually } from "../test-support/scripted-session.ts";
import { PHASES, type Phase, type ProgressEvent } from "../types.ts";

const LABEL = { kind: "write", licencePlate: "0220654321" };

/** Some of a transfer's, early and late; every step and every fault are in `sdk/radio/transfer.test.ts`. */
const OPERATIONS = [4, 8, 12, 16];

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(["2.1", "2.0"] as const)("a link of GATT v%s that falls once", (generation) => {
  test.each(
    OPERATIONS.flatMap((operation) => [[operation, "before"] as const, [operation, "after"] as const]),
  )(
    "at operation %i, %s it takes effect: the label is there whole, written once, and locked",
    async (operation, when) => {
      const { client, tag, request, service, picked, events, onProgress } = await scene({ generation });
      tag.faults.dropAt = { operation, when };
      const result = valueIn(await client.transferTag(request, undefined, { onProgress }));
      const started = events.flatMap((event) => (event.type === "started" ? [event.phase] : []));
      expect(started).toEqual(PHASES.filter((phase) => phase !== "proof"));
      expect(result.pendingRetry).toBe(false);
      expect(tag.snapshot()).toMatchObject({ commits: 1, display: { state: "LABEL", content: LABEL } });
      expect(service.locks.get(picked.uniqueDeviceId)?.baggageId).toBe(3);
    },
  );
});

describe("connecting", () => {
  test("hides failures that pass, without a second chooser", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const { client, tag, picked, events, onProgress } = await scene();
    await client.disconnect(picked.deviceId);
    tag.faults.refuseConnects = 2;
    valueIn(await client.connect(picked.deviceId, { onProgress }));
    expect(events.filter(({ type }) => type === "retrying")).toHaveLength(2);
  });

  test("gives up after four attempts", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const { client, tag, picked } = await scene();
    await client.disconnect(picked.deviceId);
    tag.faults.refuseConnects = 9;
    expect(outcomeOf(await client.connect(picked.deviceId))).toBe("BluetoothError:out_of_reach");
    expect(tag.faults.refuseConnects).toBe(5);
  });

  test("knows only tags that were picked", async () => {
    const { client } = await scene();
    expect(outcomeOf(await client.connect("somebody"))).toBe("OperationError:unknown_device");
  });

  test("reads battery and firmware over the kept link", async () => {
    const { client, picked } = await scene();
    expect(valueIn(await client.readBattery(picked.deviceId))).toBe(87);
    expect(valueIn(await client.readFirmware(picked.deviceId))).toMatch(/\d/);
  });
});

/** The token comes back with another nonce in it. */
const spoilt: Interference = (call, answer) => {
  call.body.nonce = "AAAAAAAAAAAAAAAAAAAAAA";
  return answer();
};

describe("a nonce", () => {
  test.each(["2.1", "2.0"] as const)(
    "that the tag no longer accepts is replaced once (GATT v%s)",
    async (generation) => {
      const { client, request, service } = await scene({ generation });
      service.next("ebt-authorizations", (call, answer) => {
        call.body.nonce = "AAAAAAAAAAAAAAAAAAAAAA";
        return answer();
      });
      valueIn(await client.transferTag(request));
      expect(service.count("ebt-authorizations")).toBe(2);
    },
  );

  test("is asked for once more, not twice", async () => {
    const { client, request, service, tag } = await scene();
    service.next("ebt-authorizations", spoilt, spoilt);
    const result = await client.transferTag(request);
    expect(result).toMatchObject({ ok: false, error: { code: "token_refused", status: "TOKEN_NONCE" } });
    expect(tag.snapshot().display.content).toBeNull();
  });

  test("refused three times locks the tag, and the error says so", async () => {
    const { client, request, service } = await scene();
    service.next("ebt-authorizations", ...Array.from({ length: 3 }, () => spoilt));
    expect(outcomeOf(await client.transferTag(request))).toBe("TagError:token_refused");
    expect(outcomeOf(await client.transferTag(request))).toBe("TagError:lockout");
  });

  test("older than 30 s is refreshed before it is signed, on the same connection", async () => {
    const { client, request, service, tag, picked } = await scene();
    service.lockToStranger(picked.uniqueDeviceId);
    const names: string[] = [];
    tag.observe((event) => event.type === "record" && names.push(event.name));
    const now = performance.now.bind(performance);
    const collector = {
      async collect() {
        vi.spyOn(performance, "now").mockImplementation(() => now() + 31_000);
        return RIGHT;
      },
    };
    valueIn(await client.transferTag(request, collector));
    expect(names.filter((name) => name === "fresh")).toHaveLength(1);
    expect(names.filter((name) => name === "hello")).toHaveLength(2);
  });
});

/** Cancels as soon as `phase` has started, and measures. */
async function cancelAt(phase: Phase, here: Scene) {
  const controller = new AbortController();
  let cancelledAt = 0;
  const result = await here.client.transferTag(here.request, collectorOf(RIGHT), {
    signal: controller.signal,
    onProgress(event) {
      if (event.type !== "started" || event.phase !== phase) return;
      cancelledAt = performance.now();
      controller.abort();
    },
  });
  return { result, delay: performance.now() - cancelledAt };
}

/** What was cancelled has cleaned up behind itself: the tag can be reached again. */
async function settled({ client, picked }: Scene): Promise<void> {
  while (!(await client.connect(picked.deviceId)).ok) await sleep(50, neverCancelled());
}

describe.each(["2.1", "2.0"] as const)("cancelling a transfer to a tag of GATT v%s", (generation) => {
  const beforeCommit = PHASES.filter((phase) => phase !== "display" && phase !== "attach");

  test.each(beforeCommit)("at %s answers within 200 ms and changes nothing", (phase) =>
    virtually(async () => {
      const here = await scene({ generation });
      here.service.lockToStranger(here.picked.uniqueDeviceId);
      const { result, delay } = await cancelAt(phase, here);
      expect(result).toMatchObject({ ok: false, error: { code: "cancelled", settling: false } });
      expect(delay).toBeLessThan(200);
      await settled(here);
      expect(here.tag.snapshot()).toMatchObject({ commits: 0, display: { content: null } });
      expect(here.service.count("device-attachments")).toBe(0);
    }),
  );

  test("after the commit answers at once, and tag and service agree in the end", () =>
    virtually(async () => {
      const here = await scene({ generation, tag: { displayMs: 300 } });
      const controller = new AbortController();
      here.tag.observe((event) => {
        if (event.type === "state" && event.to === "COMMITTING") controller.abort();
      });
      const result = await here.client.transferTag(here.request, undefined, { signal: controller.signal });
      expect(result).toMatchObject({ ok: false, error: { code: "cancelled", settling: true } });
      expect(here.tag.snapshot().state).toBe("COMMITTING");
      await settled(here);
      expect(here.tag.snapshot().display.content).toMatchObject(LABEL);
      expect(here.service.locks.size).toBe(1);
    }));

  test("just before a commit that is lost means that it is not sent again", () =>
    virtually(async () => {
      const here = await scene({ generation });
      const controller = new AbortController();
      let falls = false;
      here.tag.faults.radio = {
        connect: () => ({ delay: 0, fails: false }),
        operation: () => {
          const fate = { delay: 0, ...(falls && { drop: "before" as const }) };
          falls = false;
          return fate;
        },
      };
      const onProgress = (event: ProgressEvent) => {
        if (event.type !== "started" || event.phase !== "display") return;
        falls = true;
        controller.abort();
      };
      const options = { signal: controller.signal, onProgress };
      const result = await here.client.transferTag(here.request, undefined, options);
      expect(result).toMatchObject({ ok: false, error: { code: "cancelled" } });
      await settled(here);
      expect(here.tag.snapshot()).toMatchObject({ commits: 0, display: { content: null } });
      expect(here.service.locks.size).toBe(0);
    }));

  test("while the service is told is a success that is still pending, and is told all the same", () =>
    virtually(async () => {
      const here = await scene({ generation });
      const { result, delay } = await cancelAt("attach", here);
      expect(result).toMatchObject({ ok: true, value: { pendingRetry: true, cause: { code: "cancelled" } } });
      expect(delay).toBeLessThan(200);
      await settled(here);
      expect(here.service.locks.size).toBe(1);
    }));
});

test("a host whose listener throws loses nothing but its own event", async () => {
  const thrown: unknown[] = [];
  const keep = (error: unknown) => thrown.push(error);
  process.on("uncaughtException", keep);
  const { client, request, service } = await scene();
  const onProgress = () => {
    throw new Error("the host's own");
  };
  valueIn(await client.transferTag(request, undefined, { onProgress }));
  process.off("uncaughtException", keep);
  expect(service.locks.size).toBe(1);
  expect(thrown.length).toBeGreaterThan(0);
});

test("a signal that fired before the call stops it before anything happens", async () => {
  const { client, request, service } = await scene();
  const before = service.calls.length;
  const result = await client.transferTag(request, undefined, { signal: AbortSignal.abort() });
  expect(outcomeOf(result)).toBe("OperationError:cancelled");
  expect(service.calls.length).toBe(before);
});

test("an attachment whose answer was lost is asked for again under the same key", async () => {
  const { client, request, tag, service } = await scene();
  service.next("device-attachments", loseAnswer);
  valueIn(await client.transferTag(request));
  expect(tag.snapshot().commits).toBe(1);
  expect(service.count("device-attachments")).toBe(2);
});
