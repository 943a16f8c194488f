import { afterEach, describe, expect, test, vi } from "vitest";
import { neverCancelled } from "../abort.ts";
import { browserDevice, failure } from "../test-support/bluetooth-parts.ts";
import { radioAbilities } from "./radio-abilities.ts";
import { webBluetoothRadio } from "./web-bluetooth-link.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

const SERVICE = "a9ffda49-387d-4bec-94e5-e89af21bf541";

function choosing(
  requestDevice: () => Promise<unknown>,
  available: () => Promise<boolean> = async () => true,
) {
  const asked = vi.fn(requestDevice);
  const bluetooth = { requestDevice: asked, getAvailability: available } as unknown as Bluetooth;
  return { asked, radio: webBluetoothRadio(() => bluetooth) };
}

const ended = (name: string, available?: () => Promise<boolean>) =>
  choosing(() => Promise.reject(failure(name)), available).radio.choose(undefined, neverCancelled());

describe("the chooser", () => {
  test("shows tags only, by service and the name of an id, and asks for what is read besides", async () => {
    const { radio, asked } = choosing(async () => browserDevice().device);
    await radio.choose("ebt-21-0001", neverCancelled());
    await radio.choose(undefined, neverCancelled());
    const optionalServices = ["180f", "180a", "1801"].map((service) => expect.stringContaining(service));
    expect(asked.mock.calls).toEqual([
      [{ filters: [{ services: [SERVICE], name: "EBT-0001" }], optionalServices }],
      [{ filters: [{ services: [SERVICE] }], optionalServices }],
    ]);
  });

  test("is not opened after a cancel", async () => {
    const { radio, asked } = choosing(async () => browserDevice().device);
    await expect(radio.choose(undefined, AbortSignal.abort())).rejects.toMatchObject({ code: "cancelled" });
    expect(asked).not.toHaveBeenCalled();
  });

  test("that is cancelled while it is open is cancelled, whatever becomes of it", async () => {
    const controller = new AbortController();
    const { radio } = choosing(() => new Promise(() => undefined));
    const outcome = radio.choose(undefined, controller.signal);
    controller.abort();
    await expect(outcome).rejects.toMatchObject({ code: "cancelled" });
  });

  test.each([
    [true, "cancelled"],
    [false, "bluetooth_unavailable"],
  ])("closed where the adapter is available (%s) is %s", async (available, code) => {
    await expect(ended("NotFoundError", async () => available)).rejects.toMatchObject({ code });
  });

  test.each([
    ["does not say", () => Promise.reject(failure("AbortError"))],
    ["cannot be asked", undefined],
  ])(
    "closed where the browser %s whether there is an adapter was closed by the person",
    async (_, getAvailability) => {
      const requestDevice = () => Promise.reject(failure("NotFoundError"));
      const radio = webBluetoothRadio(() => ({ requestDevice, getAvailability }) as unknown as Bluetooth);
      const chosen = radio.choose(undefined, neverCancelled());
      await expect(chosen).rejects.toMatchObject({ name: "OperationError", code: "cancelled" });
    },
  );

  test("closed where the browser has no such policy was closed by the person", async () => {
    // As Chromium on Linux without Web Bluetooth: what it does not know, it allows nowhere.
    const allowsFeature = vi.fn(() => false);
    vi.stubGlobal("document", { featurePolicy: { allowsFeature, features: () => ["camera"] } });
    await expect(ended("NotFoundError")).rejects.toMatchObject({ code: "cancelled" });
    expect(allowsFeature).not.toHaveBeenCalled();
  });

  test.each([
    ["needs a tap where the last one is too long ago", false, "needs_user_gesture"],
    ["is blocked where the tap was just now", true, "blocked_by_policy"],
  ])("refused for security %s", async (_what, isActive, code) => {
    vi.stubGlobal("navigator", { userActivation: { isActive } });
    await expect(ended("SecurityError")).rejects.toMatchObject({ code });
  });

  test.each([
    [true, "permission_refused"],
    [false, "blocked_by_policy"],
  ])("refused where the page's policy allows Bluetooth (%s) is %s", async (allowed, code) => {
    const allowsFeature = vi.fn(() => allowed);
    vi.stubGlobal("document", { featurePolicy: { allowsFeature, features: () => ["bluetooth"] } });
    await expect(ended("NotAllowedError")).rejects.toMatchObject({ code });
    expect(allowsFeature).toHaveBeenCalledWith("bluetooth");
  });
});

describe("a browser without Web Bluetooth", () => {
  test.each([
    [true, "unsupported"],
    [undefined, "unsupported"],
    [false, "insecure_context"],
  ])("in a secure context (%s) is %s", async (isSecureContext, code) => {
    vi.stubGlobal("isSecureContext", isSecureContext);
    const radio = webBluetoothRadio(() => undefined);
    await expect(radio.choose(undefined, neverCancelled())).rejects.toMatchObject({ code });
  });

  test("is looked for each time: a virtual one may have been installed", async () => {
    let bluetooth: Bluetooth | undefined;
    const radio = webBluetoothRadio(() => bluetooth);
    await expect(radio.choose(undefined, neverCancelled())).rejects.toMatchObject({ code: "unsupported" });
    bluetooth = { requestDevice: async () => browserDevice().device } as unknown as Bluetooth;
    expect(await radio.choose(undefined, neverCancelled())).toMatchObject({ deviceId: "d" });
  });

  test("is the page's own where nothing else is given", async () => {
    vi.stubGlobal("navigator", { bluetooth: { requestDevice: async () => browserDevice().device } });
    expect(await webBluetoothRadio().choose(undefined, neverCancelled())).toMatchObject({ deviceId: "d" });
  });
});

describe("what this browser can do", () => {
  const nothing = { present: false, available: false, getDevices: false, watchAdvertisements: false };

  test("is nothing without Web Bluetooth", async () => {
    expect(await radioAbilities(undefined)).toEqual(nothing);
  });

  test("is what its Web Bluetooth has", async () => {
    vi.stubGlobal(
      "BluetoothDevice",
      class {
        watchAdvertisements() {}
      },
    );
    const bluetooth = {
      getAvailability: async () => true,
      getDevices: async () => [],
    } as unknown as Bluetooth;
    expect(await radioAbilities(bluetooth)).toEqual({
      present: true,
      available: true,
      getDevices: true,
      watchAdvertisements: true,
    });
  });

  test("is little where the radio is off and the rest behind a flag", async () => {
    vi.stubGlobal("BluetoothDevice", class {});
    for (const getAvailability of [undefined, async () => false, () => Promise.reject(failure("AbortError"))])
      expect(await radioAbilities({ getAvailability } as unknown as Bluetooth)).toEqual({
        ...nothing,
        present: true,
      });
  });
});
