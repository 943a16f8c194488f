import type { Page } from "@playwright/test";

interface Instrumented {
  readonly BluetoothRemoteGATTServer?: { readonly prototype: BluetoothRemoteGATTServer };
  tagDisconnected(name: string): Promise<void>;
  tagSettled(name: string): Promise<void>;
}

/**
 * Calls `disconnected` with the device's name when a page's script calls `gatt.disconnect()`, which
 * Chromium's emulation does not report, and holds a `connect()` made straight after it until that is done:
 * otherwise the emulation takes the old link for the new one. `settled` resolves once a link that the tag itself has
 * ended is gone on both sides: a `connect()` in between would be lost. Nothing else of the interface is touched.
 */
export async function reportDisconnects(
  page: Page,
  disconnected: (name: string) => Promise<void>,
  settled: (name: string) => Promise<void>,
): Promise<void> {
  await page.exposeFunction("tagDisconnected", disconnected);
  await page.exposeFunction("tagSettled", settled);
  await page.addInitScript(() => {
    const world = globalThis as unknown as Instrumented;
    const server = world.BluetoothRemoteGATTServer?.prototype;
    if (server === undefined) return;
    const { connect, disconnect } = server;
    let reported: Promise<void> = Promise.resolve();
    server.disconnect = function disconnectAndReport(this: BluetoothRemoteGATTServer) {
      const wasConnected = this.connected;
      disconnect.call(this);
      const name = this.device.name;
      if (!wasConnected || name === undefined) return;
      reported = world.tagDisconnected(name);
    };
    server.connect = async function connectAfterReport(this: BluetoothRemoteGATTServer) {
      await reported;
      await world.tagSettled(this.device.name ?? "");
      return connect.call(this);
    };
  });
}
