/**
 * A radio over the plugin `@capacitor-community/bluetooth-le`, for apps on iOS and Android: an entrance of its own, made from
 * what the package exports. What the plugin does was read in its sources, version 8.3.0.
 */
import {
  BluetoothError,
  linkOver,
  OperationError,
  orCancelled,
  type PlatformConnection,
  type PlatformDevice,
  sleep,
  TAG_PROFILE,
  type TagLink,
  type TagRadio,
  tagName,
  within,
} from "./index.ts";

/** The plugin's `BleClient`, as far as the radio uses it. */
export interface CapacitorBluetooth {
  disableQueue(): void;
  isEnabled(): Promise<boolean>;
  initialize(options: { readonly androidNeverForLocation?: boolean }): Promise<void>;
  requestDevice(options: CapacitorScan): Promise<CapacitorDevice>;
  requestLEScan(options: CapacitorScan, found: (result: { device: CapacitorDevice }) => void): Promise<void>;
  stopLEScan(): Promise<void>;
  getDevices(deviceIds: string[]): Promise<CapacitorDevice[]>;
  connect(
    deviceId: string,
    disconnected: (deviceId: string) => void,
    options: { readonly skipDescriptorDiscovery: boolean },
  ): Promise<void>;
  disconnect(deviceId: string): Promise<void>;
  getServices(deviceId: string): Promise<CapacitorService[]>;
  discoverServices(deviceId: string): Promise<void>;
  read(deviceId: string, service: string, characteristic: string, options: TimeLimit): Promise<DataView>;
  write: CapacitorWrite;
  writeWithoutResponse: CapacitorWrite;
}

export type CapacitorWrite = (
  deviceId: string,
  service: string,
  characteristic: string,
  value: DataView,
  options: TimeLimit,
) => Promise<void>;

/** Of an operation, in milliseconds. */
interface TimeLimit {
  readonly timeout: number;
}

/** A device as the plugin gives it. */
export interface CapacitorDevice {
  readonly deviceId: string;
  readonly name?: string;
}

/** A service as the plugin discovered it. */
export interface CapacitorService {
  readonly uuid: string;
  readonly characteristics: PlatformConnection["characteristics"];
}

/** What the plugin's chooser and scan look for. */
export interface CapacitorScan {
  readonly services: string[];
  readonly name?: string;
  readonly optionalServices?: string[];
  /** Android: 2 scans without pauses. */
  readonly scanMode?: number;
  /** iOS: the alert does not scroll. */
  readonly displayMode?: "list";
}

export interface CapacitorRadioOptions {
  /** Ids of tags chosen in earlier runs (`deviceId` of a picked tag), which the app has stored. Default: none. */
  readonly deviceIds?: () => readonly string[] | Promise<readonly string[]>;
  /** Default true: the manifest says `neverForLocation`, and Android asks for no location. */
  readonly androidNeverForLocation?: boolean;
}

/** Longer than the SDK's own limit of 8 s: the plugin's default, 5 s, is as long as a tag may hold a read. */
const OPERATION = { timeout: 10_000 } as const;
const SCAN: CapacitorScan = { services: [TAG_PROFILE.service], scanMode: 2 };
/** How long to wait until a tag of an earlier run advertises. */
const REACH = 5_000;
/** How long to wait for the end of the last link, milliseconds. */
const ENDING = 1_000;

type Platform = "ios" | "android" | "web";

/** `@capacitor/core` makes this global on every platform. */
const platform = (): Platform =>
  (globalThis as { Capacitor?: { getPlatform(): Platform } }).Capacitor?.getPlatform() ?? "web";

/**
 * A radio for `createTaglatch({ radio })` over the plugin's `BleClient`. Switches its queue off: in the queue a disconnect
 * waits for the operation that it is to end. The SDK has a queue for each tag.
 */
export function capacitorRadio(client: CapacitorBluetooth, options: CapacitorRadioOptions = {}): TagRadio {
  client.disableQueue();
  const links = new Map<string, TagLink>();
  const names = new Map<string, string>();
  const isReachable = new Set<string>();
  const seen = ({ deviceId, name }: CapacitorDevice) => {
    isReachable.add(deviceId);
    if (name !== undefined) names.set(deviceId, name);
  };
  const linkTo = ({ deviceId, name }: CapacitorDevice): TagLink => {
    if (name !== undefined) names.set(deviceId, name);
    const link = links.get(deviceId) ?? linkOver(deviceOver(client, deviceId, { names, isReachable, seen }));
    links.set(deviceId, link);
    return link;
  };
  const recall = async () => {
    const deviceIds = (await options.deviceIds?.()) ?? [];
    if (deviceIds.length === 0) return [];
    await start(client, options);
    // Android gives back every id, iOS and browsers those that they know.
    return (await client.getDevices([...deviceIds]).catch(() => [])).map(linkTo);
  };
  return {
    async choose(uniqueDeviceId, signal) {
      await orCancelled(signal, start(client, options));
      const name = uniqueDeviceId === undefined ? {} : { name: tagName(uniqueDeviceId) };
      const optionalServices = [...TAG_PROFILE.optionalServices];
      const chooser: CapacitorScan = { ...SCAN, optionalServices, displayMode: "list", ...name };
      try {
        const device = await orCancelled(signal, client.requestDevice(chooser));
        seen(device);
        return linkTo(device);
      } catch (cause) {
        // The dialog stays, but a scan that goes on would refuse the next chooser.
        if (signal.aborted) client.stopLEScan().catch(() => undefined);
        throw choiceError(cause);
      }
    },
    find: async (deviceId) =>
      links.get(deviceId) ?? (await recall()).find((link) => link.deviceId === deviceId),
    remembered: () => recall().catch(() => []),
  };
}

/**
 * Initializes the plugin where neither the app nor an earlier call has. On iOS every further time ends all connections, so
 * this happens again only while Bluetooth is off or not allowed.
 */
async function start(client: CapacitorBluetooth, options: CapacitorRadioOptions): Promise<void> {
  const isOn = await client.isEnabled().catch(() => false);
  // A browser is always "enabled".
  if (isOn && platform() !== "web") return;
  const { androidNeverForLocation = true } = options;
  await client.initialize({ androidNeverForLocation }).catch((cause: unknown) => {
    const isRefused = /permission/i.test(messageOf(cause));
    const code = isRefused ? "permission_refused" : "unsupported";
    throw new BluetoothError(code, `Bluetooth cannot be used: ${messageOf(cause)}`, { cause });
  });
  if (!(await client.isEnabled())) throw new BluetoothError("bluetooth_off", "Bluetooth is off");
}

/** The plugin's errors differ only by message. */
const messageOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause));

function choiceError(cause: unknown): Error {
  if (cause instanceof OperationError) return cause;
  if (/cancell?ed/i.test(messageOf(cause)))
    return new OperationError("cancelled", "the chooser was closed", { cause });
  return new BluetoothError("operation_refused", `the chooser failed: ${messageOf(cause)}`, { cause });
}

/** What the links of one radio share. */
interface Known {
  readonly names: ReadonlyMap<string, string>;
  /** Devices that the chooser or a scan of this run has found. */
  readonly isReachable: ReadonlySet<string>;
  seen(device: CapacitorDevice): void;
}

function deviceOver(client: CapacitorBluetooth, deviceId: string, known: Known): PlatformDevice {
  let ending: Promise<unknown> = Promise.resolve();
  const disconnect = () => {
    ending = Promise.race([client.disconnect(deviceId).catch(() => undefined), pause(ENDING)]);
    return ending;
  };
  return {
    deviceId,
    get name() {
      return known.names.get(deviceId) ?? "";
    },
    async connect() {
      // On iOS the end of the last link, if it came later, would count as the end of the next one.
      await ending;
      return connectTo(client, deviceId, disconnect);
    },
    disconnect,
    async reach(signal) {
      // Browsers scan only behind a flag. Android reaches no random address that it has not seen.
      if (known.isReachable.has(deviceId) || platform() === "web") return;
      const late = () => new BluetoothError("out_of_reach", "the tag of an earlier run did not advertise");
      const found = new Promise<void>((resolve, reject) => {
        const scan = client.requestLEScan(SCAN, ({ device }) => {
          known.seen(device);
          if (device.deviceId === deviceId) resolve();
        });
        scan.catch((cause) => reject(new BluetoothError("out_of_reach", "the scan failed", { cause })));
      });
      await within(REACH, signal, found, late).finally(() => client.stopLEScan().catch(() => undefined));
    },
  };
}

const pause = (milliseconds: number) => sleep(milliseconds, new AbortController().signal);

/** The plugin asks for an MTU of 512 itself (Android), or the system does (iOS). */
async function connectTo(
  client: CapacitorBluetooth,
  deviceId: string,
  disconnect: () => unknown,
): Promise<PlatformConnection> {
  const falls = new Set<() => void>();
  let isUp = true;
  const fell = () => {
    isUp = false;
    for (const fall of falls) fall();
  };
  await client.connect(deviceId, fell, { skipDescriptorDiscovery: true });
  const service = async () => {
    const services = await client.getServices(deviceId).catch((cause: unknown) => {
      throw new BluetoothError("link_lost", "the link fell during discovery", { cause });
    });
    return services.find(({ uuid }) => uuid.toLowerCase() === TAG_PROFILE.service);
  };
  // Android reads the table again only when asked to.
  const again = () => client.discoverServices(deviceId).then(service, () => undefined);
  const found = (await service()) ?? (await again());
  if (found === undefined) throw new BluetoothError("not_a_tag", "the device has no tag service");
  return {
    characteristics: found.characteristics,
    read: (service, characteristic) => client.read(deviceId, service, characteristic, OPERATION),
    write: (service, characteristic, { buffer, byteOffset, byteLength }, withoutResponse) => {
      const value = new DataView(buffer, byteOffset, byteLength);
      return withoutResponse
        ? client.writeWithoutResponse(deviceId, service, characteristic, value, OPERATION)
        : client.write(deviceId, service, characteristic, value, OPERATION);
    },
    disconnect,
    onDisconnect(fall) {
      falls.add(fall);
      return () => falls.delete(fall);
    },
    isConnected: () => isUp,
    // Android confirms when its queue has room; iOS drops what does not fit.
    keepsCommands: platform() === "android",
  };
}
