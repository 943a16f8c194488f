import bleHost, { type Connection, type Manager } from "ble-host";
import { PROFILE } from "../../core/gatt/profile.ts";
import type { TagEvent, VirtualTag } from "../../sim/tag/tag-types.ts";
import { frameOf, type ServedLink, servedServices } from "./gatt-server.ts";
import type { HciTransport } from "./hci-transport.ts";
import { RadioError } from "./radio-error.ts";

/** An advertising packet holds 31 bytes. */
const ADVERTISING = 31;
/** 100 to 150 ms, in units of 0.625 ms: soon found, and a plugged-in computer has no battery to spare. */
const INTERVAL = { intervalMin: 160, intervalMax: 240 } as const;
/** 15 ms, latency 0 (protocol.md, Over ATT); a silent link falls after 4 s. iOS takes 15 ms where both ends of the range are 15. */
const SESSION = {
  connIntervalMin: 12,
  connIntervalMax: 12,
  connLatency: 0,
  supervisionTimeout: 400,
} as const;
/** How long a last answer may take to get through before the tag ends the link all the same. */
const LAST_WORD = 2_000;
const PAIRING_NOT_SUPPORTED = 0x05;

/** A tag on the air. */
export interface Peripheral {
  /** Resolves with the reason when the radio is gone. */
  readonly closed: Promise<RadioError>;
  /** Takes the tag off the air. Idempotent. */
  close(): void;
}

/** The host stack above `transport`, ready. Throws {@link RadioError} where the controller does not answer. */
export async function hostOver(transport: HciTransport, address: string): Promise<Manager> {
  const { promise, resolve, reject } = Promise.withResolvers<Manager>();
  bleHost.BleManager.create(transport, { staticRandomAddress: address }, (error, manager) => {
    if (error === null) resolve(manager);
    else reject(new RadioError("controller_failed", { cause: error }));
  });
  const gone = transport.closed.then((why) => Promise.reject(why));
  const manager = await Promise.race([promise, gone]);
  // `closed` gives the reason already; without a listener the stack's own event would crash the process.
  manager.on("error", () => undefined);
  return manager;
}

/**
 * Advertises `tag` under `address` (a static random one), one central at a time, until the transport closes. The tag's
 * state machine decides everything; this carries bytes.
 */
export async function advertise(
  tag: VirtualTag,
  transport: HciTransport,
  address: string,
): Promise<Peripheral> {
  const manager = await hostOver(transport, address);
  const links = new WeakMap<Connection, ServedLink>();
  let current: Connection | undefined;
  let hurried: Connection | undefined;
  manager.gattDb.setDeviceName(tag.name);
  manager.gattDb.addServices(servedServices(tag, (connection) => links.get(connection)));
  announce(manager, tag.name);
  const listen = () =>
    manager.startAdvertising(INTERVAL, (status, connection) => {
      if (status === 0) welcome(connection);
      else transport.close();
    });
  const welcome = (connection: Connection) => {
    current = connection;
    const ready = tag.connect(() => frameOf(connection.gatt.currentMtu));
    const link: ServedLink = { turn: ready, lastRead: new Map(), stopNotifying: undefined };
    links.set(connection, link);
    ready.catch(() => connection.disconnect());
    // No bond: a session proves who is there, and the tag keeps no keys of phones.
    connection.smp.on("pairingRequest", () => connection.smp.sendPairingFailed(PAIRING_NOT_SUPPORTED));
    connection.on("disconnect", () => {
      current = undefined;
      link.stopNotifying?.();
      tag.disconnect();
      listen();
    });
  };
  // A Disconnect makes the controller forget what it has not sent yet: the answer that says why comes first.
  const unsubscribe = tag.onDisconnect(() => {
    const leaving = current;
    if (leaving !== undefined) void transport.drained(LAST_WORD).then(() => leaving.disconnect());
  });
  const unobserve = tag.observe((event) => {
    if (!beginsSession(event) || current === undefined || current === hurried) return;
    hurried = current;
    current.updateConnParams(SESSION);
  });
  void transport.closed.then(() => {
    unsubscribe();
    unobserve();
    tag.disconnect();
  });
  listen();
  return { closed: transport.closed, close: () => transport.close() };
}

/** The tag has received what a session begins with: message_1, or the chain on CERT. */
const beginsSession = (event: TagEvent): boolean =>
  event.type === "message" && ["message_1", "certificate chain"].includes(event.name);

/** Name and service together where they fit, else the name in the answer to a scan. */
function announce(manager: Manager, name: string): void {
  const builder = new bleHost.AdvertisingDataBuilder();
  builder.addFlags(["leGeneralDiscoverableMode", "brEdrNotSupported"]);
  builder.add128BitServiceUUIDs(true, [PROFILE.service]);
  const named = new bleHost.AdvertisingDataBuilder();
  named.addLocalName(true, name);
  const [data, title] = [builder.build(), named.build()];
  const together = data.length + title.length <= ADVERTISING;
  manager.setAdvertisingData(together ? Buffer.concat([data, title]) : data);
  manager.setScanResponseData(together ? Buffer.alloc(0) : title);
}
