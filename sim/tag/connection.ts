import { type Bytes, concat } from "../../core/encoding/bytes.ts";
import {
  type CharacteristicName,
  type FrameType,
  MAX_FRAME,
  type StatusName,
  TAG_TIMER,
} from "../../core/gatt/profile.ts";
import { SecError } from "../../core/sec/errors.ts";
import { type FramedMessage, FrameQueue, Reassembler } from "../../core/sec/framing.ts";
import { failureFields } from "../replay/transcript.ts";
import { AuthorizeV20 } from "./authorization.ts";
import type { Firmware } from "./firmware.ts";
import { HeldRead, type TimerName } from "./firmware-parts.ts";
import {
  departureOf,
  Gone,
  type Line,
  misplaced,
  type Outlet,
  outOfState,
  refusalOf,
  TagRefusal,
} from "./refusal.ts";
import { SecSession } from "./sec-session.ts";

/** Characteristics that take frames. */
export type FramedName = "CERT" | "AUTH" | "SEC" | "DATA";

/** Time from the central's last read to the end of the link: one connection interval. */
const CLOSING = 30;

/**
 * One connection to the tag: takes frames in, hands messages to the path they belong to, sends answers out,
 * and ends. Messages are processed one after the other, in the order they came.
 */
export class Connection implements Line {
  readonly #firmware: Firmware;
  readonly #close: () => void;
  readonly #reassemblers: Readonly<Record<FramedName, Reassembler>>;
  readonly #held: HeldRead;
  readonly #sec: SecSession;
  readonly #v20: AuthorizeV20;
  readonly #outbox = new FrameQueue();
  /** Messages that are not dealt with yet; a commit is one until the display is done. */
  #inWork = 0;
  #work: Promise<void> = Promise.resolve();
  #v20Work = 0;
  #lastInfo: Bytes | undefined;
  /** INFO's `frame` as last read: the client takes no longer one, whatever the MTU has become since. */
  #agreedFrame: number | undefined;
  #ending = false;
  #lastWordOn: "SEC" | "STATUS" | undefined;
  #overdue = false;
  #cancelClosing: (() => void) | undefined;

  constructor(firmware: Firmware, close: () => void) {
    this.#firmware = firmware;
    this.#close = close;
    // The longest frame may grow with the MTU: what is longer than it is now, the link's own check refuses.
    const longest = firmware.linkFrame === undefined ? firmware.frame : MAX_FRAME;
    const reassembler = () => new Reassembler(firmware.maxMessage, longest);
    this.#reassemblers = {
      CERT: reassembler(),
      AUTH: reassembler(),
      SEC: reassembler(),
      DATA: reassembler(),
    };
    this.#held = new HeldRead(firmware.world);
    this.#sec = new SecSession(firmware, this);
    this.#v20 = new AuthorizeV20(firmware, this);
  }

  // ---- reads

  readInfo(): Bytes {
    this.#lastInfo = this.#firmware.info();
    this.#agreedFrame = this.#firmware.frame;
    return this.#lastInfo.slice();
  }

  /** Held while a v2.0 message or a commit is in work; a session that has ended waits for no display. */
  async readStatus(): Promise<Bytes> {
    const value = await this.#held.hold((late) => {
      const displayWorks = this.#firmware.state === "COMMITTING" && !this.#ending;
      const busy = displayWorks || this.#v20Work > 0;
      return busy || late ? undefined : this.#firmware.status();
    });
    if (this.#lastWordOn === "STATUS" && value.length > 0) this.#closeAfter(CLOSING);
    return value;
  }

  /** Held until all that came is dealt with and there is something to say, so that one value says all of it. */
  async readSec(): Promise<Bytes> {
    const value = await this.#held.hold((late) => {
      if (this.#outbox.empty || (this.#inWork > 0 && !late && !this.#ending)) return undefined;
      const parts = this.#outbox.take(this.#agreedFrame ?? this.#firmware.frame);
      for (const part of parts) this.#emitFrame("out", "SEC", part);
      return concat(...parts);
    });
    if (this.#lastWordOn === "SEC" && value.length > 0) void this.#work.then(() => this.#closeWhenReceived());
    return value;
  }

  /** Sixteen bytes; empty if this tag no longer serves v2.0, or the state only allows INFO, ID and STATUS. */
  readNonce(): Bytes {
    const { state } = this.#firmware;
    if (state === "COMMITTING" || state === "LOCKOUT") return new Uint8Array();
    if (this.#v20.retired) {
      this.#firmware.report("VERSION");
      return new Uint8Array();
    }
    if (state === "CONNECTED" || state === "PRESENTED") return this.#v20.nonce();
    this.#refuse(outOfState("NONCE is not read in this state"), "NONCE");
    return new Uint8Array();
  }

  // ---- writes

  /** One frame. A refusal is never an ATT error: it is read from SEC or STATUS. */
  write(name: FramedName, frame: Bytes): void {
    if (this.#ending) return;
    const locked = this.#locked();
    if (locked !== undefined) this.#refuse(locked, name);
    else this.#frame(name, frame);
  }

  #frame(name: FramedName, frame: Bytes): void {
    try {
      const message = this.#reassemblers[name].push(frame);
      this.#emitFrame("in", name, frame);
      this.#watchGap();
      if (message !== undefined) this.#take(name, () => this.#receive(name, message));
      else if (name === "DATA" && this.#v20.begun) this.#take(name, () => this.#v20.payloadBegins());
    } catch (error) {
      this.#refuse(refusalOf(error), name);
    }
  }

  /** What forbids all writing: a display at work, a lockout, or the demo's switch. */
  #locked(): TagRefusal | undefined {
    const { state, faults } = this.#firmware;
    if (state === "LOCKOUT") return new TagRefusal(new SecError("LOCKOUT"));
    if (state === "COMMITTING" || faults.busy) return new TagRefusal(new SecError("BUSY"));
    return undefined;
  }

  #watchGap(): void {
    const open = Object.values(this.#reassemblers).some((reassembler) => reassembler.open);
    if (open) this.#firmware.timers.start("frameGap");
    else this.#firmware.timers.stop("frameGap");
  }

  /** A write in its turn. The display may have begun to work since it came: then it was no less out of place. */
  #take(name: FramedName, task: () => Promise<void> | void): void {
    this.#enqueue(name, () => {
      const locked = this.#locked();
      if (locked !== undefined) throw locked;
      return task();
    });
  }

  #enqueue(name: CharacteristicName, task: () => Promise<void> | void): void {
    const onV20 = name !== "SEC" && !this.#sec.hasKeys;
    this.#inWork++;
    if (onV20) this.#v20Work++;
    this.#work = this.#work.then(async () => {
      try {
        this.alive();
        await task();
      } catch (error) {
        if (!(error instanceof Gone)) this.#refuse(refusalOf(error), name);
      } finally {
        this.#inWork--;
        if (onV20) this.#v20Work--;
        this.#held.poke();
      }
    });
  }

  async #receive(name: FramedName, framed: FramedMessage): Promise<void> {
    if (name === "CERT" || name === "AUTH") return this.#v20.receive(name, framed);
    if (framed.type === "APP") return this.#sec.record(name, framed.message);
    if (name === "DATA") return this.#v20.receive(name, framed);
    if (framed.type === "EDHOC") return this.#sec.edhoc(framed.message);
    if (framed.type === "EDHOC_ERROR" || framed.type === "ALERT") {
      // The central gave up; an error is never answered with an error (RFC 9528 §6).
      this.#emitFailure("in", framed.type, framed.message);
      throw new SecError("PEER_ERROR");
    }
    throw misplaced("not for SEC");
  }

  // ---- Line

  get info(): Bytes {
    return this.#lastInfo ?? this.#firmware.info();
  }

  send(type: FrameType, message: Bytes): void {
    if (type === "EDHOC_ERROR" || type === "ALERT") this.#emitFailure("out", type, message);
    this.#outbox.add(type, message);
    this.#held.poke();
  }

  alive(): void {
    if (this.#ending) throw new Gone();
  }

  // ---- ends

  /** A timer of the session ran out. While the display changes nothing ends; afterwards the session does. */
  timerEnded(name: TimerName): void {
    if (this.#firmware.state === "COMMITTING") {
      this.#overdue = true;
      return;
    }
    this.#refuse(new TagRefusal(new SecError("TIMEOUT", { message: name }), "timer"), undefined);
  }

  /** The display begins to change, because this connection had asked for it. */
  committing(): void {
    this.#inWork++;
  }

  /** The display is done. */
  committed(): void {
    this.#inWork--;
    this.#enqueue("SEC", async () => {
      if (this.#sec.hasKeys) {
        await this.#sec.status("COMMITTED");
        await this.#sec.statement();
      }
      if (this.#overdue) this.timerEnded("session");
    });
  }

  /** STATUS may now read differently. */
  changed(): void {
    this.#held.poke();
  }

  /** Whether the session was refused and only its last message is left to send. */
  get ending(): boolean {
    return this.#ending;
  }

  /** The link is gone: work under way notices at its next step. */
  lost(): void {
    this.#ending = true;
    this.#cancelClosing?.();
    this.#held.abort();
    this.#wipe();
  }

  /** Resolves when no message is in work. */
  async settled(): Promise<void> {
    for (let work: Promise<void> | undefined; work !== this.#work; ) {
      work = this.#work;
      await work;
    }
  }

  /**
   * Ends the session: first the state changes, then the tag sends what it may, then the keys are wiped, and
   * the link ends after the answer was read.
   */
  #refuse(refusal: TagRefusal, on: CharacteristicName | undefined): void {
    if (this.#ending) return;
    const { clear, record, status } = departureOf(refusal, this.#outlet(on));
    this.#ending = true;
    if (status !== undefined) this.#firmware.report(status);
    this.#firmware.move(refusal.input);
    const onSec = clear?.type ?? record;
    this.#firmware.emit({
      type: "refusal",
      reason: refusal.message,
      sent: onSec ?? `STATUS ${status ?? "unchanged"}`,
    });
    // What was queued before stays readable: the sequence number of the last record builds on it.
    if (clear !== undefined) this.send(clear.type, clear.message);
    this.#work = this.#work.then(() => this.#part(record));
    this.#lastWordOn = onSec === undefined ? "STATUS" : "SEC";
    this.#closeAfter(onSec === undefined && status === undefined ? CLOSING : TAG_TIMER.alert);
  }

  async #part(record: StatusName | undefined): Promise<void> {
    try {
      if (record !== undefined && this.#sec.hasKeys) await this.#sec.status(record);
    } catch (error) {
      // The link has fallen and its keys were wiped: no central is left to receive it.
      if (!(error instanceof SecError)) throw error;
    } finally {
      this.#wipe();
    }
  }

  #outlet(on: CharacteristicName | undefined): Outlet {
    if (this.#sec.hasKeys) return "secWithKeys";
    if (this.#v20.begun || this.#firmware.config.generation === "2.0") return "v20";
    const v20Only = on === "CERT" || on === "NONCE" || on === "AUTH" || on === "DATA";
    return v20Only && this.#firmware.state === "CONNECTED" ? "v20" : "secBeforeKeys";
  }

  #wipe(): void {
    this.#sec.wipe();
    this.#v20.wipe();
    this.#firmware.nonce.burn();
  }

  /** The last message may still be in work, behind the one just read. */
  #closeWhenReceived(): void {
    if (this.#outbox.empty) this.#closeAfter(CLOSING);
  }

  #closeAfter(milliseconds: number): void {
    this.#cancelClosing?.();
    this.#cancelClosing = this.#firmware.world.after(milliseconds, this.#close);
  }

  #emitFrame(direction: "in" | "out", characteristic: CharacteristicName, frame: Bytes): void {
    const b0 = frame[0] as number;
    this.#firmware.emit({
      type: "frame",
      direction,
      characteristic,
      first: (b0 & 0x80) !== 0,
      last: (b0 & 0x40) !== 0,
      sequence: b0 & 0x3f,
      length: frame.length,
    });
  }

  #emitFailure(direction: "in" | "out", type: "EDHOC_ERROR" | "ALERT", bytes: Bytes): void {
    const name = type === "ALERT" ? "alert" : "EDHOC error";
    this.#firmware.emit({ type: "message", direction, name, bytes, fields: failureFields(type, bytes) });
  }
}
