/** One GATT connection over Web Bluetooth, with the handles that belong to it and to no later one. */
import type { Bytes } from "../../core/encoding/bytes.ts";
import type { PlatformConnection } from "./connection-over.ts";

/**
 * Android reports when it has taken a write without response, and Chrome waits for it. CoreBluetooth and Windows drop
 * them silently when their queues are full (docs/adr/0024-profile.md).
 */
const losesNoCommands = (): boolean => globalThis.navigator?.userAgent?.includes("Android") === true;

export function webBluetoothConnection(
  device: BluetoothDevice,
  gatt: BluetoothRemoteGATTServer,
  characteristics: readonly BluetoothRemoteGATTCharacteristic[],
): PlatformConnection {
  const handles = new Map(characteristics.map((each) => [each.uuid, each]));
  /** Battery and device information are discovered when they are first read. */
  const find = async (service: string, uuid: string) => {
    const found =
      handles.get(uuid) ?? (await (await gatt.getPrimaryService(service)).getCharacteristic(uuid));
    handles.set(uuid, found);
    return found;
  };
  return {
    characteristics,
    read: async (service, uuid) => (await find(service, uuid)).readValue(),
    async write(service, uuid, value: Bytes, withoutResponse) {
      const found = await find(service, uuid);
      return withoutResponse ? found.writeValueWithoutResponse(value) : found.writeValueWithResponse(value);
    },
    disconnect: () => gatt.disconnect(),
    onDisconnect(fell) {
      device.addEventListener("gattserverdisconnected", fell);
      return () => device.removeEventListener("gattserverdisconnected", fell);
    },
    isConnected: () => gatt.connected,
    keepsCommands: losesNoCommands(),
  };
}
