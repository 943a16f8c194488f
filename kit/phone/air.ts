/**
 * The air between virtual controllers: advertisers, scanners, and links that carry packets in order, lose them all at
 * once when they fall, and never deliver in the caller's own turn, as no radio does.
 */
import type { Address } from "./hci-packets.ts";

/** A controller, as the air knows it. */
export interface Station {
  readonly address: Address;
  readonly advertising: boolean;
  readonly scanning: boolean;
  /** Whether it is connecting to `other`. */
  isConnectingTo(other: Station): boolean;
  receiveAdvertisement(from: Station): void;
  /** What it sends in its advertisements, and to those who ask for more. */
  readonly announced: { readonly data: Buffer; readonly answer: Buffer };
  connected(link: AirLink, role: "central" | "peripheral", peer: Address): void;
  received(link: AirLink, begins: boolean, data: Buffer): void;
  disconnected(link: AirLink, how: DisconnectReason): void;
  /** `parameters` as HCI has them: interval, latency, time-out. */
  updated(link: AirLink, parameters: Buffer): void;
}

/** Who ended a link, as one side sees it. */
export type DisconnectReason = "local" | "remote" | "timeout";

/** Where a link falls: at its n-th packet on the air, counted from 1 over both directions. */
export interface FallAt {
  readonly packet: number;
  /** Before the packet has arrived, or after it and before its sender knows. */
  readonly when: "before" | "after";
}

export interface AirOptions {
  /** Milliseconds between connection events; 0, the default, is as soon as the program comes to it. */
  readonly interval?: number;
}

export class Air {
  readonly interval: number;
  readonly #controllers = new Set<Station>();
  readonly #links = new Set<AirLink>();
  /** For the next link; it serves once. */
  fallAt: FallAt | undefined;
  /** Packets of all links so far. */
  packets = 0;
  /** Links that fell where {@link fallAt} said. */
  falls = 0;
  #isScheduled = false;

  constructor({ interval = 0 }: AirOptions = {}) {
    this.interval = interval;
  }

  add(controller: Station): void {
    this.#controllers.add(controller);
  }

  /** A station began to advertise, to scan or to connect: matches them in a later turn. */
  scheduleMatch(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.schedule(() => {
      this.#isScheduled = false;
      this.#match();
    });
  }

  schedule(action: () => void, interval: number = this.interval): void {
    if (interval === 0) setImmediate(action);
    else setTimeout(action, interval);
  }

  /** Milliseconds between connection events of each link. */
  get intervals(): readonly number[] {
    return [...this.#links].map(({ interval }) => interval);
  }

  #match(): void {
    for (const advertiser of this.#controllers) {
      if (!advertiser.advertising) continue;
      for (const listener of this.#controllers) {
        if (listener === advertiser || !advertiser.advertising) continue;
        if (listener.isConnectingTo(advertiser)) this.#join(listener, advertiser);
        else listener.receiveAdvertisement(advertiser);
      }
    }
    if ([...this.#controllers].some((each) => each.scanning)) setTimeout(() => this.scheduleMatch(), 5);
  }

  #join(central: Station, peripheral: Station): void {
    const link = new AirLink(this, central, peripheral, this.fallAt, () => this.#links.delete(link));
    this.fallAt = undefined;
    this.#links.add(link);
    peripheral.connected(link, "peripheral", central.address);
    central.connected(link, "central", peripheral.address);
  }
}

interface QueuedPacket {
  readonly from: Station;
  readonly begins: boolean;
  readonly data: Buffer;
  /** The sender's buffer is free again. */
  readonly sent: () => void;
}

/** One link: packets of both directions in one queue, one of them per connection event. */
export class AirLink {
  readonly #air: Air;
  readonly #central: Station;
  readonly #peripheral: Station;
  readonly #fallAt: FallAt | undefined;
  readonly #gone: () => void;
  #queue: QueuedPacket[] = [];
  #count = 0;
  #isOpen = true;
  #running = false;
  interval: number;

  constructor(air: Air, central: Station, peripheral: Station, fallAt: FallAt | undefined, gone: () => void) {
    this.#air = air;
    this.interval = air.interval;
    this.#central = central;
    this.#peripheral = peripheral;
    this.#fallAt = fallAt;
    this.#gone = gone;
  }

  send(packet: QueuedPacket): void {
    if (!this.#isOpen) return;
    this.#queue.push(packet);
    this.#run();
  }

  /** `by` ends it: what was not sent is lost, on both sides. */
  end(by: Station): void {
    this.#finish((side) => (side === by ? "local" : "remote"));
  }

  fall(): void {
    this.#finish(() => "timeout");
  }

  /** The central's controller changes the link; an air without intervals has none to change. */
  update(interval: number, parameters: Buffer): void {
    this.#air.schedule(() => {
      if (!this.#isOpen) return;
      if (this.interval > 0) this.interval = interval;
      for (const side of [this.#central, this.#peripheral]) side.updated(this, parameters);
    }, this.interval);
  }

  #run(): void {
    if (this.#running || this.#queue.length === 0) return;
    this.#running = true;
    this.#air.schedule(() => {
      this.#running = false;
      this.#next();
      this.#run();
    }, this.interval);
  }

  #next(): void {
    const packet = this.#queue.shift();
    if (packet === undefined || !this.#isOpen) return;
    this.#count++;
    this.#air.packets++;
    const falls = this.#fallAt?.packet === this.#count ? this.#fallAt.when : undefined;
    if (falls !== "before") {
      const to = packet.from === this.#central ? this.#peripheral : this.#central;
      to.received(this, packet.begins, packet.data);
    }
    if (falls === undefined) {
      packet.sent();
      return;
    }
    this.#air.falls++;
    this.fall();
  }

  #finish(how: (side: Station) => DisconnectReason): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#queue = [];
    this.#gone();
    for (const side of [this.#central, this.#peripheral]) side.disconnected(this, how(side));
  }
}
