/** What a browser's Web Bluetooth can do, asked without a chooser. */
import { platformBluetooth } from "./web-bluetooth-link.ts";

export interface RadioAbilities {
  /** The browser has Web Bluetooth. */
  readonly present: boolean;
  /** There is a radio, and it is on. */
  readonly available: boolean;
  /** The browser remembers tags, and receives their advertisements. */
  readonly getDevices: boolean;
  readonly watchAdvertisements: boolean;
}

/** The part of `Bluetooth` that is asked. */
interface Asked {
  getAvailability?(): Promise<boolean>;
  readonly getDevices?: unknown;
}

/** What this browser can do with Bluetooth; asks for no permission. */
export async function radioAbilities(
  bluetooth: Asked | undefined = platformBluetooth(),
): Promise<RadioAbilities> {
  const device = (globalThis as { BluetoothDevice?: { readonly prototype: object } }).BluetoothDevice
    ?.prototype;
  return {
    present: bluetooth !== undefined,
    available: (await bluetooth?.getAvailability?.().catch(() => false)) ?? false,
    getDevices: typeof bluetooth?.getDevices === "function",
    watchAdvertisements: device !== undefined && "watchAdvertisements" in device,
  };
}
