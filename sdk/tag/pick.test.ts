import { describe, expect, test, vi } from "vitest";
import { fakeBluetooth } from "../../sim/radio/fake-bluetooth.ts";
import { TagNames } from "../client.ts";
import { Database } from "../database.ts";
import { scene, valueIn } from "../test-support/scene.ts";
import type { PickedTag } from "../types.ts";

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

const picked = (deviceId: string, name: string): PickedTag => ({
  deviceId,
  name,
  uniqueDeviceId: deviceId,
  generation: "2.1",
  batteryLevel: 87,
});

/** Empty storage, each time under another name. */
function storage() {
  const database = new Database(crypto.randomUUID());
  return { database, names: new TagNames(database) };
}

/** As in a private window of some browsers. */
const NO_STORAGE = {
  read: () => Promise.reject(new Error("no storage")),
  write: () => Promise.reject(new Error("no storage")),
} as unknown as Database;

describe("a tag that was reached", () => {
  test("is called so from then on, beside the others, whatever the browser calls it", async () => {
    const { database, names } = storage();
    const tag = picked("a", "EBT-0001");
    expect(await names.keep(tag)).toBe(tag);
    await names.keep(picked("b", "EBT-0002"));
    const tags = [
      { deviceId: "a", name: "" },
      { deviceId: "b", name: "EBT-9999" },
    ];
    expect(await new TagNames(database).named(tags)).toEqual([
      { deviceId: "a", name: "EBT-0001" },
      { deviceId: "b", name: "EBT-0002" },
    ]);
  });

  test("is written down once for each name", async () => {
    const { database, names } = storage();
    const write = vi.spyOn(database, "write");
    for (const name of ["EBT-0001", "EBT-0001", "EBT-0002"]) await names.keep(picked("a", name));
    expect(write.mock.calls.map(([, value]) => value)).toEqual([{ a: "EBT-0001" }, { a: "EBT-0002" }]);
  });
});

test("a tag never reached has the browser's name, or is left out: it could not be distinguished from another", async () => {
  const tags = [
    { deviceId: "a", name: "EBT-0001" },
    { deviceId: "b", name: "" },
  ];
  expect(await storage().names.named(tags)).toEqual([{ deviceId: "a", name: "EBT-0001" }]);
});

test("a device without storage forgets the name, and nothing else", async () => {
  const names = new TagNames(NO_STORAGE);
  const tag = picked("a", "EBT-0001");
  expect(await names.keep(tag)).toBe(tag);
  expect(await names.named([{ deviceId: "a", name: "old" }])).toEqual([{ deviceId: "a", name: "old" }]);
});
