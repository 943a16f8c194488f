// @vitest-environment node
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { webBluetoothRadio } from "./web-bluetooth-link.ts";

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(0.5);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A chosen device whose attempts to connect end as told; what is not told never ends. */
async function linkTo(...attempts: readonly (DOMException | "connected")[]) {
  let calls = 0;
  const service = { getCharacteristics: async () => [] };
  const gatt = {
    connected: false,
    disconnect: vi.fn(),
    getPrimaryService: async () => service,
    connect: vi.fn(async () => {
      const attempt = attempts[calls++];
      if (attempt instanceof DOMException) throw attempt;
      if (attempt === undefined) return new Promise<never>(() => undefined);
      gatt.connected = true;
      return gatt;
    }),
  };
  const device = Object.assign(new EventTarget(), { id: "d", name: "EBT-0001", gatt });
  const requestDevice = vi.fn(async (_options: RequestDeviceOptions) => device);
  const radio = webBluetoothRadio(() => ({ requestDevice }) as unknown as Bluetooth);
  const signal = new AbortController();
  const link = await radio.choose("0001", signal.signal);
  return { link, gatt, signal, requestDevice };
}

const failure = (name: string) => new DOMException("any message", name);

/** The outcome of connecting, and the moments of the attempts in milliseconds. */
async function connecting({ link, gatt, signal }: Awaited<ReturnType<typeof linkTo>>) {
  const began = performance.now();
  const moments: number[] = [];
  const original = gatt.connect.getMockImplementation();
  gatt.connect.mockImplementation(async () => {
    moments.push(Math.round(performance.now() - began));
    return original?.() as never;
  });
  const outcome = link
    .connect(signal.signal, () => undefined)
    .then(
      () => "connected",
      (error: { code: string }) => error.code,
    );
  await vi.advanceTimersByTimeAsync(15_000);
  return { outcome: await outcome, moments };
}

describe("connecting", () => {
  test("is repeated after 0.5, 1 and 2 s while the system says NetworkError", async () => {
    const here = await linkTo(...Array.from({ length: 9 }, () => failure("NetworkError")));
    expect(await connecting(here)).toEqual({ outcome: "out_of_reach", moments: [0, 500, 1_500, 3_500] });
  });

  test("ends with the first attempt that succeeds, and never asks for a second chooser", async () => {
    const here = await linkTo(failure("NetworkError"), "connected");
    expect(await connecting(here)).toEqual({ outcome: "connected", moments: [0, 500] });
    expect(here.requestDevice).toHaveBeenCalledOnce();
  });

  test.each([
    ["SecurityError", "permission_refused"],
    ["NotAllowedError", "permission_refused"],
    ["NotSupportedError", "out_of_reach"],
  ])("is not repeated after %s", async (name, outcome) => {
    const here = await linkTo(failure(name));
    expect(await connecting(here)).toEqual({ outcome, moments: [0] });
  });

  test("gives up an attempt that never ends after 12 s in all", async () => {
    const here = await linkTo();
    expect(await connecting(here)).toEqual({ outcome: "out_of_reach", moments: [0] });
    expect(here.gatt.disconnect).toHaveBeenCalled();
  });

  test("is given up at once when it is cancelled", async () => {
    const here = await linkTo();
    const outcome = here.link.connect(here.signal.signal, () => undefined);
    here.signal.abort();
    await expect(outcome).rejects.toMatchObject({ code: "cancelled" });
    expect(here.gatt.disconnect).toHaveBeenCalled();
  });
});

test("the chooser shows tags only, by service and the end of their name", async () => {
  const { requestDevice } = await linkTo("connected");
  expect(requestDevice.mock.calls[0]?.[0]).toMatchObject({
    filters: [{ services: ["a9ffda49-387d-4bec-94e5-e89af21bf541"], name: "EBT-0001" }],
    optionalServices: [expect.stringContaining("180f"), expect.stringContaining("180a")],
  });
});
