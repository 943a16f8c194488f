/** The radio over Capacitor's plugin: over its native halves as their sources have them, and over its own web half. */
import { BleClient } from "@capacitor-community/bluetooth-le";
import { afterEach, describe, expect, test, vi } from "vitest";
import { checkRadio, RadioTestTag } from "../sim/install.ts";
import { fakeBluetooth } from "../sim/radio/fake-bluetooth.ts";
import { VirtualTime } from "../sim/test-support/virtual-time.ts";
import { type CapacitorBluetooth, type CapacitorRadioOptions, capacitorRadio } from "./capacitor.ts";
import { TAG_PROFILE, type TagRadio } from "./index.ts";
import { CapacitorNative } from "./test-support/capacitor-native.ts";

const PLATFORMS = ["ios", "android"] as const;
const signal = new AbortController().signal;
const noRetry = () => undefined;

afterEach(() => void vi.unstubAllGlobals());

const failuresOf = (radio: TagRadio, tag: RadioTestTag) =>
  new VirtualTime(1).run(1_500_000, async () => {
    const { checks } = await checkRadio(radio, { tag });
    return checks.filter(({ outcome }) => outcome === "failed");
  });

/** A radio over the plugin's half for `platform`, in an app that stored the ids that `options` names. */
function over(platform: (typeof PLATFORMS)[number], options: CapacitorRadioOptions = {}) {
  vi.stubGlobal("Capacitor", { getPlatform: () => platform });
  const tag = new RadioTestTag();
  const native = new CapacitorNative(platform, tag);
  return { tag, native, radio: capacitorRadio(native, options) };
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    ({ code }) => code,
  );

test.each(PLATFORMS)("the radio passes every check over the plugin's half for %s", async (platform) => {
  const { radio, tag, native } = over(platform);
  expect(await failuresOf(radio, tag)).toEqual([]);
  expect([native.initialized, native.choosers.length, native.queue]).toEqual([1, 1, false]);
});

test("the radio passes every check over the plugin itself and its half for browsers", async () => {
  const tag = new RadioTestTag();
  vi.stubGlobal("navigator", { bluetooth: fakeBluetooth([tag], async ([first]) => first) });
  expect(await failuresOf(capacitorRadio(BleClient), tag)).toEqual([]);
});

test("with the plugin's queue a link outlives its cancelled operation: the queue must be off", async () => {
  const tag = new RadioTestTag();
  vi.stubGlobal("navigator", { bluetooth: fakeBluetooth([tag], async ([first]) => first) });
  const radio = capacitorRadio(BleClient);
  BleClient.enableQueue();
  expect(await failuresOf(radio, tag)).toContainEqual(
    expect.objectContaining({ name: expect.stringContaining("a write in flight is cancelled at once") }),
  );
});

describe.each(PLATFORMS)("choosing on %s", (platform) => {
  test("shows tags alone, or the one whose id was asked for", async () => {
    const { radio, native } = over(platform);
    await radio.choose(undefined, signal);
    await radio.choose("ebt-21-0042", signal);
    const services = [TAG_PROFILE.service];
    expect(native.choosers).toEqual([
      expect.objectContaining({ services }),
      expect.objectContaining({ services, name: "EBT-0042" }),
    ]);
  });

  test.each([
    ["BLE permission denied", "permission_refused"],
    ["Permission denied.", "permission_refused"],
    ["BLE unsupported", "unsupported"],
    ["BLE is not supported.", "unsupported"],
  ])("says of %j: %s, and asks again the next time", async (refusal, code) => {
    const { radio, native } = over(platform);
    native.refusal = refusal;
    expect(await codeOf(radio.choose(undefined, signal))).toBe(code);
    native.refusal = undefined;
    expect(await codeOf(radio.choose(undefined, signal))).toBe("done");
  });

  test("says where Bluetooth is off, and works once it is on", async () => {
    const { radio, native } = over(platform);
    native.enabled = false;
    expect(await codeOf(radio.choose(undefined, signal))).toBe("bluetooth_off");
    native.enabled = true;
    expect(await codeOf(radio.choose(undefined, signal))).toBe("done");
  });

  test("ends as cancelled, by the person or by the signal; the scan then ends", async () => {
    const { radio, native } = over(platform);
    native.choice = "close";
    expect(await codeOf(radio.choose(undefined, signal))).toBe("cancelled");
    native.choice = "stay open";
    const controller = new AbortController();
    const choosing = codeOf(radio.choose(undefined, controller.signal));
    await vi.waitFor(() => expect(native.choosers).toHaveLength(2));
    controller.abort();
    expect([await choosing, native.scans]).toEqual(["cancelled", -1]);
  });

  test("another failure of the chooser is one of the radio", async () => {
    const { radio, native } = over(platform);
    vi.spyOn(native, "requestDevice").mockRejectedValue(new Error("Already scanning. Stopping now."));
    expect(await codeOf(radio.choose(undefined, signal))).toBe("operation_refused");
  });

  test("leaves an app's own initialization alone", async () => {
    const { radio, native } = over(platform);
    await native.initialize();
    await radio.choose(undefined, signal);
    expect(native.initialized).toBe(1);
  });
});

describe.each(PLATFORMS)("a tag of an earlier run on %s", (platform) => {
  const earlier = () => {
    const ids: string[] = [];
    const scene = over(platform, { deviceIds: () => ids });
    const { deviceId } = scene.native.device;
    ids.push(deviceId);
    return { ...scene, deviceId };
  };

  test("is remembered, and connects once it advertises", async () => {
    const { radio, native, deviceId } = earlier();
    expect((await radio.remembered()).map((link) => link.deviceId)).toEqual([deviceId]);
    const link = await radio.find(deviceId);
    const connection = await link?.connect(signal, noRetry);
    expect([connection?.open, link?.name, native.scans]).toEqual([true, native.device.name, 0]);
  });

  test("is out of reach where it does not advertise within 5 s", async () => {
    const { radio, native, deviceId } = earlier();
    native.advertises = false;
    const link = await radio.find(deviceId);
    const time = new VirtualTime(1);
    const code = await time.run(10_000, () => codeOf(link?.connect(signal, noRetry) ?? Promise.resolve()));
    expect([code, native.scans]).toEqual(["out_of_reach", 0]);
    expect(time.world.now()).toBeLessThan(5_100);
  });

  test("is none where the app stored none: the plugin is not even initialized", async () => {
    const { radio, native } = over(platform);
    expect([await radio.remembered(), await radio.find("any"), native.initialized]).toEqual([
      [],
      undefined,
      0,
    ]);
  });
});

test.each(PLATFORMS)(
  "a device without the tag service is no tag, on %s, also read again",
  async (platform) => {
    const { radio, native } = over(platform);
    vi.spyOn(native, "getServices").mockResolvedValue([]);
    const link = await radio.choose(undefined, signal);
    expect(await new VirtualTime(1).run(20_000, () => codeOf(link.connect(signal, noRetry)))).toBe(
      "not_a_tag",
    );
  },
);

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

describe.each(PLATFORMS)("a link on %s", (platform) => {
  test("that is made right after another's end outlives its report, and falls by itself", async () => {
    const { radio, tag } = over(platform);
    await new VirtualTime(1).run(20_000, async () => {
      const link = await radio.choose(undefined, signal);
      (await link.connect(signal, noRetry)).close();
      const next = await link.connect(signal, noRetry);
      await pause(100);
      expect(next.open).toBe(true);
      tag.fall();
      await pause(100);
      expect(next.open).toBe(false);
    });
  });

  test("that falls during discovery is closed", async () => {
    const { radio, tag, native } = over(platform);
    const services = native.getServices.bind(native);
    vi.spyOn(native, "getServices").mockImplementation(async () => {
      const found = await services();
      tag.fall();
      await pause(100);
      return found;
    });
    const link = await radio.choose(undefined, signal);
    expect((await link.connect(signal, noRetry)).open).toBe(false);
  });

  test("writes without response where the plugin waits for the system's queue: Android", async () => {
    const { radio } = over(platform);
    const connection = await (await radio.choose(undefined, signal)).connect(signal, noRetry);
    expect(connection.sparesResponses?.(TAG_PROFILE.characteristics.DATA.uuid)).toBe(platform === "android");
  });
});

test("the plugin's client is what the radio takes", () => {
  const client: CapacitorBluetooth = BleClient;
  expect(client).toBe(BleClient);
});
