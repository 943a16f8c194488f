import type { Page } from "@playwright/test";
import { PROFILE } from "../core/gatt/profile.ts";
import { endsOf } from "../scripts/drivers/tag-checks.ts";
import type { VirtualTag } from "../sim/tag/tag-types.ts";
import { test as base, expect } from "./support/test.ts";

// The bridge itself, without the product: real navigator.bluetooth on one side, a simulated tag on the other.

const { service, characteristics } = PROFILE;

type Picking = typeof globalThis & { tag: BluetoothDevice; picked: Promise<string> };

/**
 * In the page, by the next click: chooses, connects and keeps the device as `globalThis.tag`; `globalThis.picked` resolves
 * with the tag's ID.
 */
const pickByClick = ({ service, id }: { service: string; id: string }): void => {
  const world = globalThis as Picking;
  const choose = async () => {
    world.tag = await navigator.bluetooth.requestDevice({ filters: [{ services: [service] }] });
    const server = await world.tag.gatt?.connect();
    const found = await (await server?.getPrimaryService(service))?.getCharacteristic(id);
    return new TextDecoder().decode(await found?.readValue());
  };
  world.picked = new Promise((resolve, reject) => {
    addEventListener("click", () => choose().then(resolve, reject), { once: true });
  });
};

/** A chooser needs a person's hand: the gesture that Playwright lends to a script can be gone before it runs. */
async function pick(page: Page): Promise<string> {
  await page.evaluate(pickByClick, ID);
  await page.mouse.click(0, 0);
  return page.evaluate(() => (globalThis as Picking).picked);
}

/** A tag that the page has chosen, and is connected to. */
const test = base.extend({
  tag: async ({ page, tag }, use) => {
    await pick(page);
    await use(tag);
  },
});

const connectAgain = async ({ service, id }: { service: string; id: string }): Promise<string> => {
  const { gatt } = (globalThis as unknown as { tag: BluetoothDevice }).tag;
  const server = await gatt?.connect();
  const found = await (await server?.getPrimaryService(service))?.getCharacteristic(id);
  return new TextDecoder().decode(await found?.readValue());
};

const disconnect = () => (globalThis as unknown as { tag: BluetoothDevice }).tag.gatt?.disconnect();

/** Reads as fast as it can; resolves with the events of the link's end as the page saw them, in order. */
const readUntilLost = async ({ service, id }: { service: string; id: string }): Promise<string[]> => {
  const { tag } = globalThis as unknown as { tag: BluetoothDevice };
  const seen: string[] = [];
  tag.addEventListener("gattserverdisconnected", () => seen.push("disconnected"), { once: true });
  const server = await tag.gatt?.connect();
  const found = await (await server?.getPrimaryService(service))?.getCharacteristic(id);
  try {
    for (;;) await found?.readValue();
  } catch (error) {
    seen.push((error as DOMException).name);
  }
  return seen;
};

/** When the tag has been read once more. */
function nextRead(tag: VirtualTag): Promise<void> {
  return new Promise((resolve) => {
    const stop = tag.observe((event) => {
      if (event.type !== "gatt") return;
      stop();
      resolve();
    });
  });
}

const ID = { service, id: characteristics.ID.uuid };

test("a connection that fails is an error of the network, and the next one works", async ({
  page,
  makeTag,
  open,
}) => {
  const tag = await makeTag("2.1");
  tag.faults.refuseConnects = 1;
  await open([tag]);
  await expect(pick(page)).rejects.toThrow("NetworkError");
  expect(await page.evaluate(connectAgain, ID)).toBe(tag.id);
});

test("a link the tag drops ends the operation in flight and can be made again", async ({
  page,
  makeTag,
  open,
}) => {
  const tag = await makeTag("2.1");
  tag.faults.dropAt = { operation: 1, when: "before" };
  await open([tag]);
  await expect(pick(page)).rejects.toThrow();
  await page.waitForFunction(
    () => (globalThis as unknown as { tag: BluetoothDevice }).tag.gatt?.connected === false,
  );
  expect(await page.evaluate(connectAgain, ID)).toBe(tag.id);
});

test("a page that reads when the tag ends the link gets the event, then its read fails, and the next link works", async ({
  page,
  tag,
}) => {
  tag.disconnect();
  // Each time the read is at another stage.
  for (let round = 0; round < 20; round++) {
    const seen = page.evaluate(readUntilLost, ID);
    await nextRead(tag);
    tag.disconnect();
    expect(await seen).toEqual(["disconnected", "NetworkError"]);
  }
});

test("a connect the page withdraws leaves no link behind, and the next one works", async ({ page, tag }) => {
  const ends = endsOf(tag);
  await page.evaluate(disconnect);
  await expect.poll(() => ends).toEqual(["central"]);
  const [asked, allowed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const connect = tag.connect.bind(tag);
  tag.connect = async () => {
    asked.resolve();
    await allowed.promise;
    await connect();
  };
  const answer = page.evaluate(connectAgain, ID);
  await asked.promise;
  await page.evaluate(disconnect);
  allowed.resolve();
  await expect(answer).rejects.toThrow("AbortError");
  await expect.poll(() => ends).toEqual(["central", "central"]);
  expect(await page.evaluate(connectAgain, ID)).toBe(tag.id);
});
