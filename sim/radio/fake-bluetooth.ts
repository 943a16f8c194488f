import { AttError, type GattPeer, type TagChooser } from "../tag/tag-types.ts";
import { canonicalUuid, domException, type FakeLink, FakeService } from "./fake-gatt.ts";

/**
 * Web Bluetooth over virtual tags: what a page finds under `navigator.bluetooth` where there is no radio.
 * Same shapes, same exceptions by name, same moments of failure as Chromium: what works here works there.
 */

/** A `Bluetooth` whose radio reaches exactly `tags`. */
export function fakeBluetooth<Tag extends GattPeer>(
  tags: readonly Tag[],
  choose: TagChooser<Tag>,
): Bluetooth {
  return new FakeBluetooth(tags, choose) as EventTarget as Bluetooth;
}

class FakeBluetooth<Tag extends GattPeer> extends EventTarget {
  readonly #tags: readonly Tag[];
  readonly #choose: TagChooser<Tag>;
  readonly #devices = new Map<Tag, FakeDevice>();

  constructor(tags: readonly Tag[], choose: TagChooser<Tag>) {
    super();
    this.#tags = tags;
    this.#choose = choose;
  }

  async getAvailability(): Promise<boolean> {
    return true;
  }

  async getDevices(): Promise<BluetoothDevice[]> {
    return [...this.#devices.values()].map((device) => device.asDevice());
  }

  async requestDevice(options?: RequestDeviceOptions): Promise<BluetoothDevice> {
    const { filters, allowed } = readOptions(options);
    const fitting = this.#tags.filter(
      (tag) => filters === undefined || filters.some((filter) => fits(tag, filter)),
    );
    const tag = await this.#choose(fitting);
    if (tag === undefined)
      throw new DOMException("User cancelled the requestDevice() chooser.", "NotFoundError");
    const device = this.#devices.get(tag) ?? new FakeDevice(tag, () => this.#devices.delete(tag));
    this.#devices.set(tag, device);
    device.allow(allowed);
    return device.asDevice();
  }
}

function readOptions(options: RequestDeviceOptions | undefined): {
  readonly filters: readonly BluetoothLEScanFilter[] | undefined;
  readonly allowed: readonly string[];
} {
  const filters = options !== undefined && "filters" in options ? options.filters : undefined;
  const all = options !== undefined && "acceptAllDevices" in options && options.acceptAllDevices;
  if ((filters === undefined) === !all)
    throw new TypeError("Either 'filters' or 'acceptAllDevices' is needed.");
  if (filters?.length === 0) throw new TypeError("'filters' must not be empty.");
  const named = (filters ?? []).flatMap((filter) => filter.services ?? []);
  return { filters, allowed: [...named, ...(options?.optionalServices ?? [])].map(canonicalUuid) };
}

function fits(tag: GattPeer, filter: BluetoothLEScanFilter): boolean {
  const services = tag.services.map(({ uuid }) => uuid);
  return (
    (filter.name === undefined || filter.name === tag.name) &&
    (filter.namePrefix === undefined || tag.name.startsWith(filter.namePrefix)) &&
    (filter.services ?? []).every((uuid) => services.includes(canonicalUuid(uuid)))
  );
}

/** One connection and its handles. */
class FakeConnection implements FakeLink {
  readonly tag: GattPeer;
  readonly #server: FakeServer;

  constructor(tag: GattPeer, server: FakeServer) {
    this.tag = tag;
    this.#server = server;
  }

  get state(): FakeLink["state"] {
    if (!this.#server.connected) return "disconnected";
    return this.#server.session === this ? "live" : "stale";
  }
}

class FakeDevice extends EventTarget {
  readonly id: string;
  readonly name: string;
  readonly gatt: FakeServer;
  readonly #forget: () => void;
  readonly #allowed = new Set<string>();

  constructor(tag: GattPeer, forget: () => void) {
    super();
    this.id = `virtual-${tag.id}`;
    this.name = tag.name;
    this.#forget = forget;
    this.gatt = new FakeServer(this, tag, this.#allowed);
    tag.onDisconnect(() => this.gatt.fell());
  }

  async forget(): Promise<void> {
    this.gatt.disconnect();
    this.#forget();
  }

  /** Services the page may use from now on. */
  allow(services: readonly string[]): void {
    for (const uuid of services) this.#allowed.add(uuid);
  }

  asDevice(): BluetoothDevice {
    return this as EventTarget as BluetoothDevice;
  }
}

class FakeServer {
  readonly #device: FakeDevice;
  readonly #tag: GattPeer;
  readonly #allowed: ReadonlySet<string>;
  #session: FakeConnection | undefined;
  #services: FakeService[] = [];
  /** Number of the latest attempt to connect: a disconnect aborts the ones before it. */
  #attempt = 0;

  constructor(device: FakeDevice, tag: GattPeer, allowed: ReadonlySet<string>) {
    this.#device = device;
    this.#tag = tag;
    this.#allowed = allowed;
  }

  get device(): BluetoothDevice {
    return this.#device.asDevice();
  }

  get session(): FakeConnection | undefined {
    return this.#session;
  }

  get connected(): boolean {
    return this.#session !== undefined;
  }

  async connect(): Promise<FakeServer> {
    if (this.connected) return this;
    const attempt = ++this.#attempt;
    try {
      await this.#tag.connect();
    } catch (error) {
      throw error instanceof AttError ? domException(error) : error;
    }
    if (attempt !== this.#attempt) {
      this.#tag.disconnect();
      throw new DOMException("Connection attempt was aborted.", "AbortError");
    }
    const session = new FakeConnection(this.#tag, this);
    this.#session = session;
    this.#services = this.#tag.services.map((service) => new FakeService(this.device, service, session));
    return this;
  }

  disconnect(): void {
    this.#attempt++;
    if (this.connected) this.#tag.disconnect();
  }

  /** The link ended, by either side. */
  fell(): void {
    if (!this.connected) return;
    this.#session = undefined;
    this.#services = [];
    this.#device.dispatchEvent(new Event("gattserverdisconnected", { bubbles: true }));
  }

  async getPrimaryService(uuid: BluetoothServiceUUID): Promise<FakeService> {
    const [found] = await this.getPrimaryServices(uuid);
    return found as FakeService;
  }

  async getPrimaryServices(uuid?: BluetoothServiceUUID): Promise<FakeService[]> {
    const wanted = uuid === undefined ? undefined : canonicalUuid(uuid);
    const permitted = (service: string) => this.#allowed.has(service);
    if (wanted !== undefined && !permitted(wanted)) {
      throw new DOMException("Origin is not allowed to access the service.", "SecurityError");
    }
    if (!this.connected) {
      throw new DOMException(
        "GATT Server is disconnected. Cannot retrieve services. (Re)connect first with `device.gatt.connect`.",
        "NetworkError",
      );
    }
    const found = this.#services.filter(
      (service) => permitted(service.uuid) && (wanted ?? service.uuid) === service.uuid,
    );
    if (found.length === 0)
      throw new DOMException(`No Services matching UUID ${wanted} found in Device.`, "NotFoundError");
    return found;
  }
}
