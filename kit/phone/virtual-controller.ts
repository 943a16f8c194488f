/**
 * A Bluetooth controller without a radio, as a host sees it over H4: as much of HCI as advertising, scanning,
 * connecting and carrying data need, and `Unknown HCI Command` for the rest. Not everything is checked that a real
 * one checks; what it does accept, it does as the specification says.
 */
import { spawn } from "node:child_process";
import { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import { PACKET, PacketCutter } from "../radio/hci-transport.ts";
import { RadioError } from "../radio/radio-error.ts";
import type { Air, AirLink, DisconnectReason, Station } from "./air.ts";
import {
  type Address,
  aclToHost,
  advertisingReport,
  COMMAND,
  commandComplete,
  commandStatus,
  completedPackets,
  connectionCancelled,
  connectionComplete,
  connectionUpdated,
  disconnectionComplete,
  hardwareError,
  STATUS,
  sameAddress,
  u16,
} from "./hci-packets.ts";

export interface ControllerOptions {
  /** Longest data packet from the host; 27 is the smallest there is. */
  readonly aclLength?: number;
  /** How many of them it holds. */
  readonly aclBuffers?: number;
  /** Longest packet on the air; 27 without, 251 with data length extension. */
  readonly airLength?: number;
  /** The receive MTU of the host above it, where that is to be smaller than its stack's: 23 to 517. */
  readonly mtu?: number;
}

interface OpenLink {
  readonly link: AirLink;
  readonly handle: number;
}

const REASON = {
  local: STATUS.LOCAL_HOST,
  remote: STATUS.REMOTE_USER,
  timeout: STATUS.CONNECTION_TIMEOUT,
} as const satisfies Record<DisconnectReason, number>;

/** Milliseconds. */
const INTERVAL_UNIT = 1.25;

/** ATT's fixed channel, and the exchange of MTUs on it. */
const ATT = { CHANNEL: 4, MTU_REQUEST: 0x02, MTU_RESPONSE: 0x03 } as const;

export class VirtualController implements Station {
  /** The host's end: write H4 into it, read H4 from it. */
  readonly stream: Duplex;
  readonly #air: Air;
  readonly #options: Required<ControllerOptions>;
  readonly #cutter = new PacketCutter();
  readonly #publicAddress: Buffer;
  #randomAddress = Buffer.alloc(6);
  #own: "public" | "random" = "public";
  #advertising = false;
  #data = Buffer.alloc(0);
  #answer = Buffer.alloc(0);
  #scanning: "passive" | "active" | undefined;
  #scanType: "passive" | "active" = "passive";
  #target: Address | undefined;
  #links: OpenLink[] = [];
  #lastHandle = 0x3f;
  #buffered = 0;
  /** Data packets that came while all buffers were full: a real controller loses them. */
  overruns = 0;

  constructor(air: Air, number: number, options: ControllerOptions = {}) {
    this.#air = air;
    this.#options = { aclLength: 27, aclBuffers: 8, airLength: 27, mtu: 517, ...options };
    this.#publicAddress = Buffer.of(number, 0, 0, 0x5e, 0, 0x02);
    this.stream = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer, _encoding, done) => {
        for (const packet of this.#cutter.push(chunk)) this.#take(packet);
        done();
      },
      destroy: (error, done) => {
        this.#reset();
        done(error);
      },
    });
    air.add(this);
  }

  get address(): Address {
    const random = this.#own === "random";
    return { random, bytes: random ? this.#randomAddress : this.#publicAddress };
  }

  get advertising(): boolean {
    return this.#advertising;
  }

  get scanning(): boolean {
    return this.#scanning !== undefined;
  }

  /** It reports that it has failed. */
  fail(): void {
    this.#report(hardwareError(0x42));
  }

  // ---- from the air

  get announced(): Station["announced"] {
    return { data: this.#data, answer: this.#answer };
  }

  isConnectingTo(other: Station): boolean {
    return this.#target !== undefined && sameAddress(this.#target, other.address);
  }

  receiveAdvertisement({ address, announced }: Station): void {
    if (this.#scanning === undefined) return;
    this.#report(advertisingReport(false, address, announced.data));
    if (this.#scanning === "active") this.#report(advertisingReport(true, address, announced.answer));
  }

  connected(link: AirLink, role: "central" | "peripheral", peer: Address): void {
    if (role === "central") this.#target = undefined;
    else this.#advertising = false;
    const handle = ++this.#lastHandle;
    this.#links.push({ link, handle });
    this.#report(connectionComplete(handle, role, peer));
  }

  received(link: AirLink, begins: boolean, data: Buffer): void {
    const open = this.#links.find((each) => each.link === link);
    if (open !== undefined) this.#report(aclToHost(open.handle, begins, this.#withMtu(begins, data)));
  }

  disconnected(link: AirLink, how: DisconnectReason): void {
    const open = this.#links.find((each) => each.link === link);
    this.#links = this.#links.filter((each) => each !== open);
    this.#buffered = 0;
    if (open !== undefined) this.#report(disconnectionComplete(open.handle, REASON[how]));
  }

  updated(link: AirLink, parameters: Buffer): void {
    const open = this.#links.find((each) => each.link === link);
    if (open !== undefined) this.#report(connectionUpdated(open.handle, parameters));
  }

  // ---- from the host

  #take(packet: Buffer): void {
    if (packet[0] === PACKET.ACL) this.#send(packet);
    if (packet[0] !== PACKET.COMMAND) return;
    const opcode = packet.readUInt16LE(1);
    // The answer comes before anything that the command sets going.
    setImmediate(() => this.#report(this.#obey(opcode, packet.subarray(4))));
  }

  /** Cut to packets of the air; the host has its buffer back when the last of them has arrived. */
  #send(packet: Buffer): void {
    const handle = packet.readUInt16LE(1) & 0xfff;
    const begins = (packet.readUInt16LE(1) & 0x3000) === 0;
    const open = this.#links.find((each) => each.handle === handle);
    if (open === undefined) return;
    const data = this.#withMtu(begins, packet.subarray(5));
    const { airLength, aclBuffers, aclLength } = this.#options;
    if (++this.#buffered > aclBuffers || data.length > aclLength) this.overruns++;
    for (let at = 0; at < data.length; at += airLength) {
      const piece = data.subarray(at, at + airLength);
      const isLast = at + airLength >= data.length;
      const sent = () => isLast && this.#completed(handle);
      open.link.send({ from: this, begins: begins && at === 0, data: piece, sent });
    }
  }

  #completed(handle: number): void {
    this.#buffered--;
    this.#report(completedPackets(handle, 1));
  }

  /** The exchange of MTUs as a host would lead it whose stack takes no more than ours says. */
  #withMtu(begins: boolean, data: Buffer): Buffer {
    const exchange =
      begins &&
      data.length === 7 &&
      data.readUInt16LE(2) === ATT.CHANNEL &&
      (data[4] === ATT.MTU_REQUEST || data[4] === ATT.MTU_RESPONSE);
    if (!exchange || data.readUInt16LE(5) <= this.#options.mtu) return data;
    return Buffer.concat([data.subarray(0, 5), u16(this.#options.mtu)]);
  }

  #obey(opcode: number, values: Buffer): Buffer {
    const { aclLength, aclBuffers } = this.#options;
    const done = (result?: Buffer) => commandComplete(opcode, STATUS.OK, result);
    switch (opcode) {
      case COMMAND.RESET:
        this.#reset();
        return done();
      case COMMAND.READ_BD_ADDR:
        return done(this.#publicAddress);
      case COMMAND.LE_READ_BUFFER_SIZE:
        return done(Buffer.concat([u16(aclLength), Buffer.of(aclBuffers)]));
      case COMMAND.LE_READ_WHITE_LIST_SIZE:
        return done(Buffer.of(8));
      case COMMAND.LE_READ_SUPPORTED_STATES:
        return done(Buffer.alloc(8, 0xff));
      case COMMAND.SET_EVENT_MASK:
      case COMMAND.LE_SET_EVENT_MASK:
      case COMMAND.LE_CLEAR_WHITE_LIST:
      case COMMAND.LE_ADD_TO_WHITE_LIST:
      case COMMAND.LE_REMOVE_FROM_WHITE_LIST:
        return done();
      case COMMAND.LE_SET_RANDOM_ADDRESS:
        this.#randomAddress = Buffer.from(values.subarray(0, 6));
        return done();
      case COMMAND.DISCONNECT:
        return this.#disconnect(values.readUInt16LE(0));
      case COMMAND.LE_CONNECTION_UPDATE:
        return this.#update(values);
      case COMMAND.LE_CREATE_CONNECTION:
      case COMMAND.LE_CREATE_CONNECTION_CANCEL:
        return this.#initiate(opcode, values);
      default:
        return this.#announceOrListen(opcode, values);
    }
  }

  #announceOrListen(opcode: number, values: Buffer): Buffer {
    switch (opcode) {
      case COMMAND.LE_SET_ADVERTISING_PARAMETERS:
        this.#own = values[5] === 1 ? "random" : "public";
        break;
      case COMMAND.LE_SET_ADVERTISING_DATA:
        this.#data = Buffer.from(values.subarray(1, 1 + (values[0] ?? 0)));
        break;
      case COMMAND.LE_SET_SCAN_RESPONSE:
        this.#answer = Buffer.from(values.subarray(1, 1 + (values[0] ?? 0)));
        break;
      case COMMAND.LE_SET_ADVERTISING_ENABLE:
        this.#advertising = values[0] === 1;
        this.#air.scheduleMatch();
        break;
      case COMMAND.LE_SET_SCAN_PARAMETERS:
        this.#scanType = values[0] === 1 ? "active" : "passive";
        break;
      case COMMAND.LE_SET_SCAN_ENABLE:
        this.#scanning = values[0] === 1 ? this.#scanType : undefined;
        this.#air.scheduleMatch();
        break;
      default:
        return commandComplete(opcode, STATUS.UNKNOWN_COMMAND);
    }
    return commandComplete(opcode, STATUS.OK);
  }

  #initiate(opcode: number, values: Buffer): Buffer {
    if (opcode === COMMAND.LE_CREATE_CONNECTION_CANCEL) {
      if (this.#target === undefined) return commandComplete(opcode, STATUS.DISALLOWED);
      this.#target = undefined;
      this.#air.schedule(() => this.#report(connectionCancelled()));
      return commandComplete(opcode, STATUS.OK);
    }
    if (this.#target !== undefined) return commandStatus(opcode, STATUS.DISALLOWED);
    this.#target = { random: values[5] === 1, bytes: Buffer.from(values.subarray(6, 12)) };
    this.#own = values[12] === 1 ? "random" : "public";
    this.#air.scheduleMatch();
    return commandStatus(opcode, STATUS.OK);
  }

  #disconnect(handle: number): Buffer {
    const open = this.#links.find((each) => each.handle === handle);
    if (open === undefined) return commandStatus(COMMAND.DISCONNECT, STATUS.UNKNOWN_CONNECTION);
    // At once: what it still holds is lost, as the specification allows.
    setImmediate(() => open.link.end(this));
    return commandStatus(COMMAND.DISCONNECT, STATUS.OK);
  }

  /** With the longest interval that the host allows. */
  #update(values: Buffer): Buffer {
    const open = this.#links.find((each) => each.handle === values.readUInt16LE(0));
    const status = open === undefined ? STATUS.UNKNOWN_CONNECTION : STATUS.OK;
    open?.link.update(values.readUInt16LE(4) * INTERVAL_UNIT, values.subarray(4, 10));
    return commandStatus(COMMAND.LE_CONNECTION_UPDATE, status);
  }

  #reset(): void {
    for (const { link } of [...this.#links]) link.end(this);
    this.#advertising = false;
    this.#scanning = undefined;
    this.#target = undefined;
  }

  #report(packet: Buffer): void {
    if (!this.stream.destroyed) this.stream.push(packet);
  }
}

const PTY = fileURLToPath(new URL("pty.py", import.meta.url));

/** A controller at the end of a pseudo-terminal, for a host stack in another program. */
export interface SerialLine {
  /** The end to open, H4 over it: `/dev/pts/7`. */
  readonly name: string;
  close(): void;
}

/** Needs Python 3, as the radio does. Throws {@link RadioError} `no_python`. */
export async function serialLine(controller: VirtualController): Promise<SerialLine> {
  const child = spawn("python3", [PTY], { stdio: ["pipe", "pipe", "pipe"] });
  child.stdout.on("data", (chunk: Buffer) => controller.stream.write(chunk));
  controller.stream.on("data", (chunk: Buffer) => child.stdin.write(chunk));
  // A line that was closed takes nothing any more, and what the controller still says is lost, as on a cable pulled out.
  child.stdin.on("error", () => undefined);
  child.once("exit", () => controller.stream.destroy());
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  child.once("error", (cause) => reject(new RadioError("no_python", { cause })));
  child.stderr.once("data", resolve);
  const name = await promise;
  return { name: name.toString().trim(), close: () => child.kill() };
}
