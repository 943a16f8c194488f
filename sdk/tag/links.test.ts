import { describe, expect, test, vi } from "vitest";
import { neverCancelled } from "../abort.ts";
import {
  BluetoothError,
  type BluetoothErrorCode,
  ServiceError,
  type ServiceErrorCode,
  TagError,
  type TagErrorCode,
} from "../errors.ts";
import { scriptedTag, virtually } from "../test-support/scripted-session.ts";
import type { Script } from "../test-support/scripted-tag.ts";
import { isLinkFailure, Links, pickedTag } from "./tag.ts";

const signal = neverCancelled();

/** Links to a tag whose connections follow `scripts`. */
async function linksOf(...scripts: readonly (Script | "out of reach")[]) {
  const tag = await scriptedTag("2.1");
  const links = new Links(tag.radio(...scripts));
  const onRetry = vi.fn();
  const open = async () => links.open(await links.find("scripted"), signal, onRetry);
  const reach = (fresh: boolean) => links.reach("scripted", fresh, signal, onRetry);
  return { tag, links, onRetry, open, reach };
}

/** A value of the tag that no codec takes. */
const GARBLED: Script = { garble: () => new Uint8Array() };
const sleepFor = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

describe("opening", () => {
  test("is tried three times in all where what is read is garbled, and reported each time", async () => {
    const { tag, onRetry, open } = await linksOf(GARBLED, GARBLED, {});
    expect(await virtually(open)).toMatchObject({ id: "ebt-21-0001" });
    expect(onRetry).toHaveBeenCalledTimes(2);
    expect(tag.connections.map((each) => each.open)).toEqual([false, false, true]);
  });

  test("is given up after the third, and leaves no link open", async () => {
    const { tag, onRetry, open } = await linksOf(GARBLED);
    await expect(virtually(open)).rejects.toMatchObject({ code: "protocol" });
    expect(onRetry).toHaveBeenCalledTimes(2);
    expect(tag.connections.map((each) => each.open)).toEqual([false, false, false]);
  });

  test("is tried once where no new link would help", async () => {
    const { tag, onRetry, open } = await linksOf("out of reach");
    await expect(virtually(open)).rejects.toMatchObject({ code: "out_of_reach" });
    const locked = await linksOf({ info: { state: "LOCKOUT" } });
    await expect(virtually(locked.open)).rejects.toMatchObject({ code: "lockout" });
    expect([onRetry.mock.calls.length, locked.onRetry.mock.calls.length]).toEqual([0, 0]);
    expect(
      [tag, locked.tag].map(({ connections }) => connections.filter((each) => each.open).length),
    ).toEqual([0, 0]);
  });

  test("ends the link that was kept: a tag has one at a time", async () => {
    const { tag, open } = await linksOf({});
    await virtually(open);
    await virtually(open);
    expect(tag.connections.map((each) => each.open)).toEqual([false, true]);
  });
});

describe("reaching", () => {
  test("takes the kept link, for a session only while the tag still waits for one", async () => {
    const { tag, reach } = await linksOf({});
    await virtually(async () => {
      const first = await reach(true);
      await sleepFor(11_999);
      expect(await reach(true)).toBe(first);
      await sleepFor(1);
      expect(await reach(false)).toBe(first);
      expect(await reach(true)).not.toBe(first);
    });
    expect(tag.connections).toHaveLength(2);
  });

  test("makes a new one where the kept one fell", async () => {
    const { tag, reach } = await linksOf({});
    await virtually(async () => {
      (await reach(false)).connection.close();
      await reach(false);
    });
    expect(tag.connections.map((each) => each.open)).toEqual([false, true]);
  });

  test("makes a new one where it was closed", async () => {
    const { tag, links, reach } = await linksOf({});
    await virtually(async () => {
      await reach(false);
      links.close("scripted");
      links.close("another");
      await reach(false);
    });
    expect(tag.connections.map((each) => each.open)).toEqual([false, true]);
  });

  test("knows only what was picked", async () => {
    const links = new Links({
      choose: () => Promise.reject(),
      find: async () => undefined,
      remembered: async () => [],
    });
    await expect(links.reach("d", false, signal, () => undefined)).rejects.toMatchObject({
      code: "unknown_device",
    });
  });
});

test("what hosts see of a tag is its id, the name that follows from it, and its battery", async () => {
  const { links, open } = await linksOf({});
  // A browser that remembers a tag has no name for it until it advertises, and may have an old one then.
  const link = { ...(await links.find("scripted")), name: "" };
  expect(pickedTag(link, await virtually(open))).toEqual({
    deviceId: "scripted",
    name: "EBT-0001",
    uniqueDeviceId: "ebt-21-0001",
    generation: "2.1",
    batteryLevel: 87,
  });
});

test.each<[BluetoothErrorCode | TagErrorCode, boolean]>([
  ["link_lost", true],
  ["timeout", true],
  ["link_busy", true],
  ["operation_refused", true],
  ["out_of_reach", false],
  ["not_a_tag", false],
  ["protocol", true],
  ["wrong_tag", false],
  ["lockout", false],
])("a new connection may mend %s: %s", (code, mends) => {
  const errors = [
    new BluetoothError(code as BluetoothErrorCode, "any"),
    new TagError(code as TagErrorCode, "any"),
  ];
  expect(errors.some(isLinkFailure)).toBe(mends);
});

test("a new connection mends nothing that is not the link's", () => {
  expect(isLinkFailure(new TypeError("any"))).toBe(false);
  expect(isLinkFailure(new ServiceError("timeout" as ServiceErrorCode, "any"))).toBe(false);
});
