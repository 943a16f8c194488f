/** {@link TagRadio} over Web Bluetooth: the only file that names `navigator.bluetooth`. */
import type { Bytes } from "../../core/encoding/bytes.ts";
import { PROFILE } from "../../core/gatt/profile.ts";
import { tagName } from "../../core/gatt/tag-name.ts";
import { cancelled, orCancelled, throwIfCancelled, within } from "../abort.ts";
import { BluetoothError } from "../errors.ts";
import { type Circumstances, choiceError, type LinkOperation, linkError } from "./bluetooth-errors.ts";
import type { PlatformConnection } from "./connection-over.ts";
import { OPTIONAL_SERVICES, type TagLink, type TagRadio } from "./link.ts";
import { linkOver } from "./link-over.ts";

/** How long to wait until a remembered tag advertises. A woken tag advertises several times a second. */
const REACH = 5_000;

/** The browser's own Bluetooth, if it has any. */
export const platformBluetooth = (): Bluetooth | undefined => globalThis.navigator?.bluetooth;

/** `bluetooth` is called each time: a page may install a virtual radio after the SDK was made. */
export function webBluetoothRadio(bluetooth: () => Bluetooth | undefined = platformBluetooth): TagRadio {
  const known = new Map<string, TagLink>();
  const reachable = new Set<string>();
  const remember = (device: BluetoothDevice, from: "chooser" | "memory") => {
    const link = known.get(device.id) ?? webBluetoothLink(device, reachable);
    if (from === "chooser") reachable.add(device.id);
    known.set(device.id, link);
    return link;
  };
  /** Chrome has this behind a flag, and only for permissions the person has not taken back. */
  const granted = async () => {
    const devices = await bluetooth()
      ?.getDevices?.()
      .catch(() => []);
    return devices ?? [];
  };
  return {
    async choose(uniqueDeviceId, signal) {
      const api = bluetooth();
      if (api === undefined) throw absent();
      throwIfCancelled(signal);
      try {
        // Called before anything is awaited: the chooser needs the tap's own task.
        const device = await orCancelled(signal, api.requestDevice(chooserOptions(uniqueDeviceId)));
        return remember(device, "chooser");
      } catch (cause) {
        if (signal.aborted) throw cancelled(cause);
        throw choiceError(cause, await circumstances(api));
      }
    },
    async find(deviceId) {
      const link = known.get(deviceId);
      if (link !== undefined) return link;
      const device = (await granted()).find(({ id }) => id === deviceId);
      return device && remember(device, "memory");
    },
    async remembered() {
      return (await granted()).map((device) => remember(device, "memory"));
    },
  };
}

function absent(): BluetoothError {
  return globalThis.isSecureContext === false
    ? new BluetoothError("insecure_context", "Web Bluetooth needs a secure context")
    : new BluetoothError("unsupported", "this browser has no Web Bluetooth");
}

function chooserOptions(uniqueDeviceId: string | undefined): RequestDeviceOptions {
  const name = uniqueDeviceId === undefined ? {} : { name: tagName(uniqueDeviceId) };
  return {
    filters: [{ services: [PROFILE.service], ...name }],
    optionalServices: [...OPTIONAL_SERVICES],
  };
}

/** The part of it that is asked. */
interface FeaturePolicy {
  features?(): readonly string[];
  allowsFeature(name: string): boolean;
}

async function circumstances(api: Partial<Bluetooth>): Promise<Circumstances> {
  const { featurePolicy: policy } = (globalThis.document ?? {}) as { readonly featurePolicy?: FeaturePolicy };
  // A browser that was built without Web Bluetooth does not know the feature, and so allows it nowhere.
  const isKnown = policy?.features?.().includes("bluetooth") ?? true;
  return {
    // Some browsers have the chooser alone.
    available: (await api.getAvailability?.().catch(() => true)) ?? true,
    allowedByPolicy: !isKnown || (policy?.allowsFeature("bluetooth") ?? true),
    userActive: globalThis.navigator?.userActivation?.isActive ?? true,
  };
}

/** `reachable`: ids of the devices that the system can reach, because they came from the chooser, or have advertised since. */
const webBluetoothLink = (device: BluetoothDevice, reachable: Set<string>): TagLink =>
  linkOver({
    deviceId: device.id,
    /** A remembered device has no name until it advertises. */
    get name() {
      return device.name ?? "";
    },
    connect: () => connectTo(device),
    disconnect: () => device.gatt?.disconnect(),
    async reach(signal) {
      if (!reachable.has(device.id)) await untilAdvertised(device, signal);
      reachable.add(device.id);
    },
    mayRetry: ({ code, cause }) =>
      cause instanceof Error && cause.name === (code === "not_a_tag" ? "NotFoundError" : "NetworkError"),
  });

/** Browsers connect to a remembered device only once it has advertised. */
async function untilAdvertised(device: BluetoothDevice, signal: AbortSignal): Promise<void> {
  if (device.watchAdvertisements === undefined) return;
  const watching = new AbortController();
  const advertised = new Promise<void>((resolve) =>
    device.addEventListener("advertisementreceived", () => resolve(), { signal: watching.signal }),
  );
  const late = () => new BluetoothError("out_of_reach", "the remembered tag did not advertise");
  try {
    const watched = device.watchAdvertisements({ signal: watching.signal }).then(() => advertised);
    await within(REACH, signal, watched, late);
  } catch (cause) {
    if (signal.aborted) throw cancelled(cause);
    if (cause instanceof BluetoothError) throw cause;
    throw new BluetoothError("out_of_reach", "the browser cannot listen for the tag", { cause });
  } finally {
    watching.abort();
  }
}

async function connectTo(device: BluetoothDevice): Promise<PlatformConnection> {
  const { gatt } = device;
  if (gatt === undefined) throw new BluetoothError("not_a_tag", "the device has no GATT server");
  let operation: LinkOperation = "connect";
  try {
    const server = await gatt.connect();
    operation = "discover";
    const service = await server.getPrimaryService(PROFILE.service);
    return webBluetoothConnection(device, gatt, await service.getCharacteristics());
  } catch (cause) {
    throw linkError(cause, operation, gatt.connected);
  }
}

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
