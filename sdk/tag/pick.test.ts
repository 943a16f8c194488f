import { describe, expect, test, vi } from "vitest";
import { fakeBluetooth } from "../../sim/radio/fake-bluetooth.ts";
import { outcomeOf, scene, valueIn } from "../test-support/scene.ts";
import { webBluetoothRadio } from "./web-bluetooth-link.ts";

describe("picking a tag", () => {
  test("reports what it is and keeps the link for the transfer", async () => {
    const { client, picked, request, tag } = await scene();
    expect(picked).toEqual({
      deviceId: "virtual-ebt-21-0001",
      uniqueDeviceId: "ebt-21-0001",
      name: "EBT-0001",
      generation: "2.1",
      batteryLevel: 87,
    });
    const links: string[] = [];
    tag.observe((event) => event.type === "link" && links.push(event.change));
    valueIn(await client.transferTag(request));
    expect(links).toEqual(["disconnected"]);
  });

  test("long before the transfer means a new connection: the tag's handshake timer counts from connect", async () => {
    const { client, request, tag } = await scene();
    const now = performance.now.bind(performance);
    vi.spyOn(performance, "now").mockImplementation(() => now() + 13_000);
    const links: string[] = [];
    tag.observe((event) => event.type === "link" && links.push(event.change));
    valueIn(await client.transferTag(request));
    vi.restoreAllMocks();
    expect(links).toEqual(["disconnected", "connected", "disconnected"]);
  });

  test("with a closed chooser is cancelled, not an error of its own", async () => {
    const { another, tag } = await scene();
    const client = another({ radio: webBluetoothRadio(() => fakeBluetooth([tag], async () => undefined)) });
    expect(outcomeOf(await client.pickTag())).toBe("OperationError:cancelled");
  });

  test("answers at once when the caller cancels while the chooser is open", async () => {
    const { another, tag } = await scene();
    const open = fakeBluetooth([tag], () => new Promise(() => undefined));
    const client = another({ radio: webBluetoothRadio(() => open) });
    const controller = new AbortController();
    const picking = client.pickTag({ signal: controller.signal });
    controller.abort();
    expect(outcomeOf(await picking)).toBe("OperationError:cancelled");
  });

  test("without Web Bluetooth says that this browser cannot", async () => {
    const { another } = await scene();
    const client = another({ radio: webBluetoothRadio(() => undefined) });
    expect(outcomeOf(await client.pickTag())).toBe("BluetoothError:unsupported");
  });

  test("reaches the chooser in the caller's own task, as browsers demand", async () => {
    const { another, client, picked, tag } = await scene();
    await client.disconnect(picked.deviceId);
    const bluetooth = fakeBluetooth([tag], async ([first]) => first);
    const asked = vi.spyOn(bluetooth, "requestDevice");
    const picking = another({ radio: webBluetoothRadio(() => bluetooth) }).pickTag();
    expect(asked).toHaveBeenCalledOnce();
    valueIn(await picking);
  });
});

describe("a tag that supports only suite 3", () => {
  test("is asked for suite 6 once, and never again", async () => {
    const { client, request, tag } = await scene({ tag: { suites: [3] } });
    const messages: string[] = [];
    tag.observe((event) => event.type === "message" && messages.push(event.name));
    valueIn(await client.transferTag(request));
    expect(messages.filter((name) => name === "message_1")).toHaveLength(2);
    messages.length = 0;
    valueIn(await client.transferTag(request));
    expect(messages.filter((name) => name === "message_1")).toHaveLength(1);
  });
});
