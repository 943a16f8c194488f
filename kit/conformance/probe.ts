/**
 * The driver of the checks: one tag, one connection at a time, every step by hand, so that a check can leave
 * one out or do it wrong. It silently repeats only what a radio and the message_1 allowance make it repeat.
 * It never continues on a new connection what began on another: a tag may end the link at any time, and what
 * comes on the next one is no answer.
 */
import { type Bytes, fromUtf8 } from "../../core/encoding/bytes.ts";
import {
  type FrameType,
  type GattVersion,
  GENERIC_ATTRIBUTE,
  PROFILE,
  STATUS,
  VERSION,
} from "../../core/gatt/profile.ts";
import { decodeInfo, decodeStatus, type Info, type Status } from "../../core/gatt/values.ts";
import { SecError } from "../../core/sec/errors.ts";
import { type FramedMessage, frames, Reassembler } from "../../core/sec/framing.ts";
import { decodeError } from "../../core/sec/messages.ts";
import type { SuiteId } from "../../core/sec/suites.ts";
import type {
  CharacteristicProperties,
  TagConnection,
  TagLink,
  TransactionTokenRequest,
} from "../../sdk/index.ts";
import { BluetoothError, sleep } from "../../sdk/index.ts";
import type { ThrowAway } from "./throw-away.ts";
import { type Answer, type ClientCredential, Skipped } from "./types.ts";

const UUIDS = {
  ...PROFILE.characteristics,
  ...PROFILE.battery.characteristics,
  ...PROFILE.deviceInformation.characteristics,
  ...GENERIC_ATTRIBUTE.characteristics,
};
export type ProbeName = keyof typeof UUIDS;
export type FramedName = "CERT" | "AUTH" | "SEC" | "DATA";
/** Which frames of a message need no response, because another write follows. */
export type Sparing = "all" | "butLast";

/** What the checks work with: the tag, and the service's permissions. */
export interface Bench {
  readonly link: TagLink;
  /** The credential that the service certified. */
  readonly credential: ClientCredential;
  /** DER of the pinned tag roots. */
  readonly tagRoots: readonly Bytes[];
  /** Certificates and keys that no tag trusts. */
  readonly throwAway: ThrowAway;
  /** A transaction token. Throws NotPermitted if the service refuses. */
  readonly requestToken: (tokenRequest: TransactionTokenRequest) => Promise<Bytes>;
  /** Milliseconds between two tries for the tag's message_1 allowance. Default 2,000. */
  readonly pause?: number;
  /** What the tag has asked for on this connection. Absent where the host stack does not say, as in browsers. */
  readonly requested?: () => RequestedInterval | undefined;
}

/** Of a Connection Parameter Update Request: the longest interval in units of 1.25 ms. */
export interface RequestedInterval {
  readonly connIntervalMax: number;
  readonly connLatency: number;
}

/** Milliseconds between two reads of something that changes by itself. */
const LOOK = 25;
const DISPLAY_POLL = 250;
const DISPLAY_TIMEOUT = 60_000;
/** After so many empty answers of held reads (5 s each) a tag counts as silent. */
const PATIENCE = 2;

export class Probe {
  readonly bench: Bench;
  readonly signal: AbortSignal;
  #connection: TagConnection | undefined;
  /** INFO as last read on this connection: the session's keys depend on it. */
  infoBytes: Bytes = new Uint8Array();
  #info: Info | undefined;
  #connections = 0;
  /** The suites that the tag has taken, the chosen one last. */
  suites: readonly SuiteId[] | undefined;
  /** The certificates under which the tag signed its last message_2. */
  peerChain: readonly Bytes[] | undefined;
  #incoming: Reassembler | undefined;
  /** Messages that came in one value with another. */
  #come: FramedMessage[] = [];

  constructor(bench: Bench, signal: AbortSignal) {
    this.bench = bench;
    this.signal = signal;
  }

  /** Number of the connection: a session belongs to one. */
  get connectionNumber(): number {
    return this.#connections;
  }

  get open(): boolean {
    return this.#connection?.open === true;
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  /** The connection; makes one if there is none. */
  async connected(): Promise<TagConnection> {
    if (this.#connection?.open) return this.#connection;
    this.#connection = await this.bench.link.connect(this.signal, () => undefined);
    this.#connections++;
    this.#incoming = undefined;
    this.#come = [];
    return this.#connection;
  }

  /** Makes a new connection to a tag whose display is at rest. */
  async fresh(): Promise<void> {
    this.close();
    await this.connected();
    const { state } = await this.settled();
    if (state === "LOCKOUT") throw new Skipped("state", "LOCKOUT");
    await this.info();
  }

  has(name: ProbeName): boolean {
    return this.#connection?.has(UUIDS[name].uuid) === true;
  }

  properties(name: ProbeName): CharacteristicProperties | undefined {
    return this.#connection?.properties(UUIDS[name].uuid);
  }

  /** Reads on the connection of {@link connected}; throws `link_lost` if that has fallen. */
  async read(name: ProbeName): Promise<Bytes> {
    return this.#openConnection().read(UUIDS[name].uuid, this.signal);
  }

  /** Writes one value as it is, on the same connection as {@link read}. */
  async write(name: ProbeName, value: Bytes, goesOn = false): Promise<void> {
    await this.#openConnection().write(UUIDS[name].uuid, value, this.signal, goesOn);
  }

  /** Whether the radio and the tag take writes without response, where another write follows. */
  get sparesResponses(): boolean {
    const sparing = (name: FramedName) => this.#connection?.sparesResponses?.(UUIDS[name].uuid) === true;
    return sparing("SEC") && sparing("DATA");
  }

  #openConnection(): TagConnection {
    if (this.#connection === undefined) throw new BluetoothError("link_lost", "no connection was made");
    return this.#connection;
  }

  // ---- plain values

  async info(): Promise<Info> {
    this.infoBytes = await this.read("INFO");
    this.#info = decodeInfo(this.infoBytes);
    return this.#info;
  }

  /** STATUS; if a held read comes back empty, reads again. */
  async status(): Promise<Status> {
    for (let empty = 0; ; empty++) {
      const value = await this.read("STATUS");
      if (value.length > 0 || empty > PATIENCE) return decodeStatus(value);
    }
  }

  async id(): Promise<string> {
    return fromUtf8(await this.read("ID"));
  }

  async generation(): Promise<GattVersion> {
    const { versionMax } = this.#info ?? (await this.info());
    return versionMax >= VERSION["2.1"] ? "2.1" : "2.0";
  }

  /** Whether it serves v2.0; a v2.1 tag does until its first v2.1 commit. */
  async servesV20(): Promise<boolean> {
    const { versionMin } = this.#info ?? (await this.info());
    return versionMin < VERSION["2.1"];
  }

  /** Whether it gives signed statements. */
  async signs(): Promise<boolean> {
    const { versionMax, caps } = this.#info ?? (await this.info());
    return versionMax >= VERSION["2.1"] && caps.statement;
  }

  /** STATUS once the display has finished. */
  async settled(): Promise<Status> {
    const deadline = performance.now() + DISPLAY_TIMEOUT;
    for (;;) {
      const status = await this.status();
      if (status.state !== "COMMITTING" || performance.now() > deadline) return status;
      await sleep(DISPLAY_POLL, this.signal);
    }
  }

  // ---- frames

  /** Frames of `message`, none longer than `length` (INFO's `frame` unless given). */
  async framesOf(type: FrameType, message: Bytes, length?: number): Promise<Bytes[]> {
    return frames(type, message, length ?? (this.#info ?? (await this.info())).frame);
  }

  /** With `sparing`, without response where possible; the caller says what follows the last frame. */
  async send(on: FramedName, type: FrameType, message: Bytes, sparing?: Sparing): Promise<void> {
    const parts = await this.framesOf(type, message);
    for (const [at, frame] of parts.entries())
      await this.write(on, frame, sparing === "all" || (sparing === "butLast" && at < parts.length - 1));
  }

  /**
   * Writes what a tag may refuse half way: if the link falls while it is written, that is its answer, not a failure.
   */
  async try(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.open) throw error;
    }
  }

  /** The next message on SEC, or what comes in its place. */
  async receive(patience = PATIENCE): Promise<Answer> {
    this.#incoming ??= new Reassembler((this.#info ?? (await this.info())).maxMessage);
    for (let empty = 0; empty < patience; ) {
      const come = this.#come.shift();
      if (come !== undefined) return asAnswer(come);
      let part: Bytes;
      try {
        if (!this.open) return { kind: "gone" };
        part = await this.read("SEC");
      } catch (error) {
        if (this.open) throw error;
        return { kind: "gone" };
      }
      if (part.length === 0) empty++;
      const whole = pushed(this.#incoming, part);
      if (whole === "garbage") return { kind: "garbage" };
      this.#come = whole;
    }
    return { kind: "silence" };
  }

  /** The last operation's STATUS (v2.0); `gone` if the link fell before it could be read. */
  async outcome(): Promise<Answer> {
    try {
      if (!this.open) return { kind: "gone" };
      const { code } = await this.settled();
      return { kind: "code", code: STATUS[code] };
    } catch (error) {
      if (this.open) throw error;
      return { kind: "gone" };
    }
  }

  /** Where a session begins, and the type of its first message: SEC where the tag has it, else CERT. */
  async opening(): Promise<{ readonly on: FramedName; readonly type: FrameType }> {
    return (await this.generation()) === "2.1"
      ? { on: "SEC", type: "EDHOC" }
      : { on: "CERT", type: "CERTIFICATE_CHAIN" };
  }

  /** Sends certificates on the path of v2.0, and returns the answer. */
  async present(certificates: Bytes): Promise<Answer> {
    await this.try(() => this.send("CERT", "CERTIFICATE_CHAIN", certificates));
    return this.outcome();
  }

  /** The answer to something written on `on`: from SEC if that is a v2.1 path, else from STATUS. */
  async answer(on: FramedName): Promise<Answer> {
    return on === "SEC" ? this.receive() : this.outcome();
  }

  /** Whether the link ends by itself within `milliseconds`. */
  async ends(milliseconds: number): Promise<boolean> {
    const deadline = performance.now() + milliseconds;
    while (this.open && performance.now() < deadline) await sleep(LOOK, this.signal);
    return !this.open;
  }
}

function pushed(incoming: Reassembler, part: Bytes): FramedMessage[] | "garbage" {
  try {
    return incoming.pushValue(part);
  } catch (error) {
    if (error instanceof SecError) return "garbage";
    throw error;
  }
}

function asAnswer({ type, message }: FramedMessage): Answer {
  const [code] = message;
  if (type === "ALERT" && code !== undefined && message.length === 1) return { kind: "alert", code };
  if (type === "EDHOC_ERROR") return edhocError(message);
  if (type === "EDHOC") return { kind: "edhoc", message };
  return type === "APP" ? { kind: "app", message } : { kind: "garbage" };
}

function edhocError(message: Bytes): Answer {
  try {
    const error = decodeError(message);
    return { kind: "edhocError", code: error.code, suitesR: error.code === 2 ? error.suitesR : [] };
  } catch (cause) {
    if (cause instanceof SecError) return { kind: "garbage" };
    throw cause;
  }
}
