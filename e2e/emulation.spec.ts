import { PROFILE } from "../core/gatt/profile.ts";
import { expect, test } from "./support/test.ts";

// The bridge itself, without the product: real navigator.bluetooth on one side, a simulated tag on the other.

const { service, characteristics } = PROFILE;

/** Chooses, connects and keeps the device as `globalThis.tag`; resolves with the tag's ID. */
const pick = async ({ service, id }: { service: string; id: string }): Promise<string> => {
  const device = await navigator.bluetooth.requestDevice({ filters: [{ services: [service] }] });
  (globalThis as unknown as { tag: BluetoothDevice }).tag = device;
  const server = await device.gatt?.connect();
  const found = await (await server?.getPrimaryService(service))?.getCharacteristic(id);
  return new TextDecoder().decode(await found?.readValue());
};

const connectAgain = async ({ service, id }: { service: string; id: string }): Promise<string> => {
  const { gatt } = (globalThis as unknown as { tag: BluetoothDevice }).tag;
  const server = await gatt?.connect();
  const found = await (await server?.getPrimaryService(service))?.getCharacteristic(id);
  return new TextDecoder().decode(await found?.readValue());
};

const ID = { service, id: characteristics.ID.uuid };

test("a page reads the id of the tag it chose", async ({ page, makeTag, open }) => {
  const [tag, other] = [await makeTag("2.1"), await makeTag("2.0")];
  await open([tag, other]);
  expect(await page.evaluate(pick, ID)).toBe(tag.id);
});

test("a chooser that is closed gives the page no device", async ({ page, makeTag, open }) => {
  const emulated = await open([await makeTag("2.1")]);
  emulated.choose("cancel");
  await expect(page.evaluate(pick, ID)).rejects.toThrow("NotFoundError");
});

test("a connection that fails is an error of the network, and the next one works", async ({
  page,
  makeTag,
  open,
}) => {
  const tag = await makeTag("2.1");
  tag.faults.refuseConnects = 1;
  await open([tag]);
  await expect(page.evaluate(pick, ID)).rejects.toThrow("NetworkError");
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
  await expect(page.evaluate(pick, ID)).rejects.toThrow();
  await page.waitForFunction(
    () => (globalThis as unknown as { tag: BluetoothDevice }).tag.gatt?.connected === false,
  );
  expect(await page.evaluate(connectAgain, ID)).toBe(tag.id);
});

test("a link the page ends is gone on the tag too", async ({ page, makeTag, open }) => {
  const tag = await makeTag("2.1");
  await open([tag]);
  await page.evaluate(pick, ID);
  await page.evaluate(() => (globalThis as unknown as { tag: BluetoothDevice }).tag.gatt?.disconnect());
  await expect.poll(() => tag.snapshot().connected).toBe(false);
  expect(await page.evaluate(connectAgain, ID)).toBe(tag.id);
});

test("a tag whose link has ended can be chosen again", async ({ page, makeTag, open }) => {
  const tag = await makeTag("2.1");
  await open([tag]);
  await page.evaluate(pick, ID);
  tag.disconnect();
  await page.waitForFunction(
    () => (globalThis as unknown as { tag: BluetoothDevice }).tag.gatt?.connected === false,
  );
  expect(await page.evaluate(pick, ID)).toBe(tag.id);
});

test("a reloaded page finds the tag again", async ({ page, makeTag, open }) => {
  const tag = await makeTag("2.1");
  const emulated = await open([tag]);
  await page.evaluate(pick, ID);
  await emulated.reload();
  expect(tag.snapshot().connected).toBe(false);
  expect(await page.evaluate(pick, ID)).toBe(tag.id);
});
