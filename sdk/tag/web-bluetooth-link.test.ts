import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { neverCancelled } from "../abort.ts";
import { type BrowserScript, browserDevice, failure } from "../test-support/bluetooth-parts.ts";
import { virtually } from "../test-support/scripted-session.ts";
import { webBluetoothRadio } from "./web-bluetooth-link.ts";

beforeEach(() => {
  vi.spyOn(Math, "random").mockReturnValue(0.5);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** A chosen device that follows `script`. */
async function linkTo(script: BrowserScript) {
  const parts = browserDevice({ name: "EBT-0001", ...script });
  const requestDevice = vi.fn(async (_options: RequestDeviceOptions) => parts.device);
  const radio = webBluetoothRadio(() => ({ requestDevice }) as unknown as Bluetooth);
  const signal = new AbortController();
  const link = await radio.choose("0001", signal.signal);
  return { ...parts, link, signal, requestDevice };
}

/** The outcome of connecting, the moments of the attempts in milliseconds, and how often a retry was reported. */
function connecting({ link, gatt, signal }: Awaited<ReturnType<typeof linkTo>>, random = 0.5) {
  return virtually(async () => {
    vi.spyOn(Math, "random").mockReturnValue(random);
    const moments: number[] = [];
    const original = gatt.connect.getMockImplementation();
    gatt.connect.mockImplementation(async () => {
      moments.push(Math.round(performance.now()));
      return original?.() as never;
    });
    const onRetry = vi.fn();
    const outcome = await link.connect(signal.signal, onRetry).then(
      () => "connected",
      (error: { code: string }) => error.code,
    );
    return { outcome, moments, reported: onRetry.mock.calls.length, at: performance.now() };
  });
}

const NETWORK = Array.from({ length: 9 }, () => failure("NetworkError"));

describe("connecting", () => {
  test("is repeated after 0.5, 1 and 2 s while the system says NetworkError, and reported each time", async () => {
    const here = await linkTo({ attempts: NETWORK });
    const found = await connecting(here);
    expect(found).toMatchObject({ outcome: "out_of_reach", moments: [0, 500, 1_500, 3_500], reported: 3 });
    expect(here.gatt.disconnect).toHaveBeenCalledTimes(4);
  });

  test.each([
    [0, [0, 375, 1_125, 2_625]],
    [1, [0, 625, 1_875, 4_375]],
  ])("is repeated up to a quarter sooner or later, by chance (%i)", async (random, moments) => {
    expect(await connecting(await linkTo({ attempts: NETWORK }), random)).toMatchObject({ moments });
  });

  test.each([
    ["SecurityError", "permission_refused"],
    ["NotAllowedError", "permission_refused"],
    ["NotSupportedError", "out_of_reach"],
  ])("is not repeated after %s", async (name, outcome) => {
    const here = await linkTo({ attempts: [failure(name)] });
    expect(await connecting(here)).toMatchObject({ outcome, moments: [0], reported: 0 });
  });

  test("gives up an attempt that never ends after 12 s in all, and withdraws it", async () => {
    const here = await linkTo({ attempts: [] });
    expect(await connecting(here)).toMatchObject({ outcome: "out_of_reach", moments: [0], at: 12_000 });
    expect(here.gatt.disconnect).toHaveBeenCalledOnce();
  });

  test("counts the 12 s over all its attempts", async () => {
    const here = await linkTo({ attempts: [failure("NetworkError")] });
    expect(await connecting(here)).toMatchObject({ outcome: "out_of_reach", moments: [0, 500], at: 12_000 });
  });

  test("begins no attempt that the 12 s leave no time for", async () => {
    const here = await linkTo({ attempts: [] });
    here.gatt.connect.mockImplementation(async () => {
      await new Promise((resolve) => setTimeout(resolve, 5_700));
      throw failure("NetworkError");
    });
    // 5,700 + 500 + 5,700 leave 100 ms, and the next would begin after 1,000.
    expect(await connecting(here)).toMatchObject({
      outcome: "out_of_reach",
      moments: [0, 6_200],
      reported: 1,
      at: 11_900,
    });
  });

  test("is given up when it is cancelled between two attempts", async () => {
    const here = await linkTo({ attempts: NETWORK });
    const outcome = virtually(() => here.link.connect(here.signal.signal, () => here.signal.abort()));
    await expect(outcome).rejects.toMatchObject({ code: "cancelled" });
    expect(here.gatt.connect).toHaveBeenCalledOnce();
  });

  test("is refused by a device that has no GATT server", async () => {
    const here = await linkTo({});
    Object.assign(here.device, { gatt: undefined });
    await expect(here.link.connect(here.signal.signal, () => undefined)).rejects.toMatchObject({
      code: "not_a_tag",
    });
  });
});

describe("what is discovered", () => {
  test("only at the second connection is a tag: the chooser shows nothing else", async () => {
    const here = await linkTo({ attempts: ["done", "done"], discoveries: [failure("NotFoundError")] });
    expect(await connecting(here)).toMatchObject({ outcome: "connected", moments: [0, 500], reported: 1 });
    expect(here.gatt.disconnect).toHaveBeenCalledOnce();
    expect(here.requestDevice).toHaveBeenCalledOnce();
  });

  test.each<[string, readonly (DOMException | "done")[], readonly number[]]>([
    ["twice", ["done", "done", "done"], [0, 500]],
    [
      "twice, the second time after a failed connection",
      ["done", failure("NetworkError"), "done", "done"],
      [0, 500, 1_500],
    ],
  ])("nowhere is no tag, and its link is ended: not found %s", async (_, attempts, moments) => {
    const missing = Array.from({ length: 3 }, () => failure("NotFoundError"));
    const here = await linkTo({ attempts, discoveries: missing });
    expect(await connecting(here)).toMatchObject({ outcome: "not_a_tag", moments });
    expect(here.gatt.connected).toBe(false);
  });

  test("over a link that falls is looked for again", async () => {
    const here = await linkTo({ attempts: ["done", "done"], discoveries: [failure("NetworkError")] });
    expect(await connecting(here)).toMatchObject({ outcome: "connected", moments: [0, 500] });
  });

  test("over a link that fell under another name of the failure is not", async () => {
    const here = await linkTo({ attempts: ["done", "done"] });
    here.gatt.getPrimaryService.mockImplementationOnce(async () => {
      here.fall();
      throw failure("NotSupportedError");
    });
    expect(await connecting(here)).toMatchObject({ outcome: "link_lost", moments: [0] });
  });
});

/** A device of an earlier visit, which advertises after `advertisesAfter` milliseconds, or never. */
async function remembered(advertisesAfter: number | undefined, script: BrowserScript = {}) {
  const parts = browserDevice(script);
  const watched: AbortSignal[] = [];
  const watchAdvertisements = vi.fn(async ({ signal }: { signal: AbortSignal }) => {
    watched.push(signal);
    if (advertisesAfter !== undefined)
      setTimeout(() => parts.device.dispatchEvent(new Event("advertisementreceived")), advertisesAfter);
  });
  Object.assign(parts.device, { watchAdvertisements });
  const getDevices = vi.fn(async () => [parts.device]);
  const requestDevice = vi.fn(async () => parts.device);
  const radio = webBluetoothRadio(() => ({ getDevices, requestDevice }) as unknown as Bluetooth);
  const connect = async (signal = neverCancelled()) => {
    const link = await radio.find("d");
    return link?.connect(signal, () => undefined);
  };
  return { ...parts, radio, watchAdvertisements, watched, getDevices, connect };
}

describe("a device of an earlier visit", () => {
  test("is found by its id, and is one link for every caller", async () => {
    const { radio, getDevices } = await remembered(undefined);
    const found = await radio.find("d");
    expect(found).toMatchObject({ deviceId: "d" });
    expect(await radio.remembered()).toEqual([found]);
    expect(await radio.find("d")).toBe(found);
    expect((await radio.remembered())[0]).toBe(found);
    expect(getDevices).toHaveBeenCalledTimes(3);
    expect(await radio.find("another")).toBeUndefined();
  });

  test("is waited for until it advertises, once, and the watch ends", async () => {
    const here = await remembered(4_900, { attempts: ["done", "done"] });
    await virtually(async () => {
      const connection = await here.connect();
      expect(performance.now()).toBe(4_900);
      connection?.close();
      await here.connect();
      expect(performance.now()).toBe(4_900);
    });
    expect(here.watchAdvertisements).toHaveBeenCalledOnce();
    expect(here.watched.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test("that does not advertise within 5 s is out of reach; it may the next time", async () => {
    const here = await remembered(5_100);
    await virtually(async () => {
      const missed = await here.connect().catch((error: unknown) => error);
      expect(missed).toMatchObject({ code: "out_of_reach" });
      expect(missed).not.toHaveProperty("cause");
      expect(performance.now()).toBe(5_000);
      expect(here.gatt.connect).not.toHaveBeenCalled();
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    });
    await expect(virtually(() => here.connect())).rejects.toMatchObject({ code: "out_of_reach" });
    expect(here.watchAdvertisements).toHaveBeenCalledTimes(2);
    expect(here.watched.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  test("is not listened for any more when that is cancelled", async () => {
    const here = await remembered(undefined);
    const controller = new AbortController();
    const outcome = here.connect(controller.signal);
    await vi.waitFor(() => expect(here.watched).toHaveLength(1), { timeout: 60_000 });
    controller.abort();
    await expect(outcome).rejects.toMatchObject({ code: "cancelled" });
    expect(here.watched[0]?.aborted).toBe(true);
  });

  test("is out of reach where the browser cannot listen", async () => {
    const here = await remembered(undefined);
    const cause = failure("NotSupportedError");
    here.watchAdvertisements.mockRejectedValueOnce(cause);
    await expect(here.connect()).rejects.toMatchObject({ code: "out_of_reach", cause });
  });

  test("is connected at once by browsers that need no advertisement", async () => {
    const here = await remembered(undefined);
    Object.assign(here.device, { watchAdvertisements: undefined });
    await virtually(async () => {
      await here.connect();
      expect(performance.now()).toBe(0);
    });
  });

  test("is connected at once when it was chosen since", async () => {
    const here = await remembered(undefined);
    await here.radio.find("d");
    await here.radio.choose(undefined, neverCancelled());
    await virtually(() => here.connect());
    expect(here.watchAdvertisements).not.toHaveBeenCalled();
  });

  test("is none where the browser remembers nothing", async () => {
    for (const bluetooth of [undefined, {}, { getDevices: () => Promise.reject(failure("SecurityError")) }]) {
      const radio = webBluetoothRadio(() => bluetooth as unknown as Bluetooth);
      expect(await radio.remembered()).toEqual([]);
      expect(await radio.find("d")).toBeUndefined();
    }
  });
});
