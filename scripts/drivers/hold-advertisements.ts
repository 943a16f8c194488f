import type { Page } from "@playwright/test";

interface Held {
  readonly BluetoothDevice?: { readonly prototype: BluetoothDevice };
  watched?: Set<BluetoothDevice>;
}

/**
 * Chromium's emulation cannot advertise: a page that listens to a remembered tag would never receive one. Listening
 * succeeds at once here, and {@link advertise} reaches every listener. Devices, permissions and connections stay
 * Chromium's own.
 */
export async function holdAdvertisements(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const world = globalThis as unknown as Held;
    const device = world.BluetoothDevice?.prototype;
    if (device?.watchAdvertisements === undefined) return;
    const watched = new Set<BluetoothDevice>();
    world.watched = watched;
    device.watchAdvertisements = async function watch(this: BluetoothDevice, options) {
      watched.add(this);
      options?.signal?.addEventListener("abort", () => watched.delete(this));
    };
  });
}

/** One advertisement to every device the page listens to; waits until it listens. A remembered device has no name yet. */
export async function advertise(page: Page, name: string): Promise<void> {
  await page.waitForFunction(() => ((globalThis as unknown as Held).watched?.size ?? 0) > 0);
  await page.evaluate((tag) => {
    const { watched } = globalThis as unknown as Held;
    for (const device of watched ?? [])
      if ((device.name || tag) === tag) device.dispatchEvent(new Event("advertisementreceived"));
  }, name);
}
