/** {@link TagRadio} over Web Bluetooth: the only file that names `navigator.bluetooth`. */
import { PROFILE } from "../../core/gatt/profile.ts";
import { tagName } from "../../core/gatt/tag-name.ts";
import { cancelled, orCancelled, sleep, throwIfCancelled, within } from "../abort.ts";
import { BluetoothError } from "../errors.ts";
import { type Circumstances, choiceError, type LinkOperation, linkError } from "./bluetooth-errors.ts";
import type { TagConnection, TagLink, TagRadio } from "./link.ts";
import { WebBluetoothConnection } from "./web-bluetooth-connection.ts";

/** About a third of first connects on Android fail; 16 of 17 then succeed within seconds. */
const CONNECT = { delays: [500, 1_000, 2_000], budget: 12_000 } as const;

/** How long to wait until a remembered tag advertises. A woken tag advertises several times a second. */
const REACH = 5_000;

const OPTIONAL_SERVICES = [PROFILE.battery.service, PROFILE.deviceInformation.service];

/** The browser's own Bluetooth, if it has any. */
export const platformBluetooth = (): Bluetooth | undefined => globalThis.navigator?.bluetooth;

/** `bluetooth` is called each time: a page may install a virtual radio after the SDK was made. */
export function webBluetoothRadio(bluetooth: () => Bluetooth | undefined = platformBluetooth): TagRadio {
  const known = new Map<string, WebBluetoothLink>();
  const remember = (device: BluetoothDevice, from: "chooser" | "memory") => {
    const link = known.get(device.id) ?? new WebBluetoothLink(device);
    if (from === "chooser") link.markReachable();
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
  return { filters: [{ services: [PROFILE.service], ...name }], optionalServices: OPTIONAL_SERVICES };
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

class WebBluetoothLink implements TagLink {
  readonly deviceId: string;
  readonly #device: BluetoothDevice;
  /** The system can reach the device: it came from the chooser, or has advertised since. */
  #isReachable = false;

  constructor(device: BluetoothDevice) {
    this.#device = device;
    this.deviceId = device.id;
  }

  /** A remembered device has no name until it advertises. */
  get name(): string {
    return this.#device.name ?? "";
  }

  markReachable(): void {
    this.#isReachable = true;
  }

  async connect(signal: AbortSignal, onRetry: () => void): Promise<TagConnection> {
    await this.#waitUntilAdvertised(signal);
    const deadline = performance.now() + CONNECT.budget;
    let wasMissing = false;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#connectOnce(Math.max(0, deadline - performance.now()), signal);
      } catch (error) {
        const delay = CONNECT.delays[attempt];
        const wait = delay === undefined ? 0 : delay * (0.75 + Math.random() / 2);
        // The chooser shows only devices that offer the service: systems sometimes discover it at the second connection.
        const isNew: boolean = isMissing(error) && !wasMissing;
        wasMissing ||= isNew;
        if (!(isNew || isTransient(error)) || delay === undefined || performance.now() + wait >= deadline)
          throw error;
        onRetry();
        await sleep(wait, signal);
      }
    }
  }

  /** Browsers connect to a remembered device only once it has advertised. */
  async #waitUntilAdvertised(signal: AbortSignal): Promise<void> {
    const device = this.#device;
    if (this.#isReachable || device.watchAdvertisements === undefined) return;
    const watching = new AbortController();
    const advertised = new Promise<void>((resolve) =>
      device.addEventListener("advertisementreceived", () => resolve(), { signal: watching.signal }),
    );
    const late = () => new BluetoothError("out_of_reach", "the remembered tag did not advertise");
    try {
      const watched = device.watchAdvertisements({ signal: watching.signal }).then(() => advertised);
      await within(REACH, signal, watched, late);
      this.#isReachable = true;
    } catch (cause) {
      if (signal.aborted) throw cancelled(cause);
      if (cause instanceof BluetoothError) throw cause;
      throw new BluetoothError("out_of_reach", "the browser cannot listen for the tag", { cause });
    } finally {
      watching.abort();
    }
  }

  async #connectOnce(budget: number, signal: AbortSignal): Promise<TagConnection> {
    const { gatt } = this.#device;
    if (gatt === undefined) throw new BluetoothError("not_a_tag", "the device has no GATT server");
    let operation: LinkOperation = "connect";
    const discovered = async () => {
      const server = await gatt.connect();
      operation = "discover";
      const service = await server.getPrimaryService(PROFILE.service);
      return service.getCharacteristics();
    };
    const late = () => new BluetoothError("out_of_reach", "the tag did not connect in time");
    try {
      return new WebBluetoothConnection(this.#device, gatt, await within(budget, signal, discovered(), late));
    } catch (cause) {
      // Also withdraws a connect that is still pending.
      const available = gatt.connected;
      gatt.disconnect();
      if (signal.aborted || cause instanceof BluetoothError) throw signal.aborted ? cancelled(cause) : cause;
      throw linkError(cause, operation, available);
    }
  }
}

/** Only what the platform called NetworkError. */
const isTransient = (error: unknown) =>
  isCausedBy(error, "NetworkError") && (error.code === "out_of_reach" || error.code === "link_lost");

/** The service was not discovered. */
const isMissing = (error: unknown) => isCausedBy(error, "NotFoundError") && error.code === "not_a_tag";

const isCausedBy = (error: unknown, name: string): error is BluetoothError =>
  error instanceof BluetoothError && error.cause instanceof Error && error.cause.name === name;
