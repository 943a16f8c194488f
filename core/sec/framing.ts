/**
 * Framing of messages into characteristic values, as two pure halves (docs/protocol.md, frames). Knows neither
 * EDHOC nor GATT: a frame goes out, a frame comes in.
 *
 * ```
 * b0(1)  = F(0x80) | L(0x40) | sequence mod 64     sequence restarts at 0 with each F
 * if F:    type(1)  total_len(2, little endian)
 * body     at least one byte
 * ```
 * What is written has one frame in a value. What is read has one or more, one behind the other: a frame with L ends with
 * its message, any other with the value.
 */
import { type Bytes, concat } from "../encoding/bytes.ts";
import { FRAME_TYPE, type FrameType, MAX_FRAME } from "../gatt/profile.ts";
import { SecError } from "./errors.ts";

const FIRST = 0x80;
const LAST = 0x40;
const SEQUENCE = 0x3f;
/** Bytes before the body. */
const FIRST_HEADER = 4;
const HEADER = 1;
const LONGEST = 0xffff;

/** A whole message, as it was before framing. */
export interface FramedMessage {
  readonly type: FrameType;
  readonly message: Bytes;
}

/**
 * The frames of one message of 1–65,535 bytes, none longer than `frameLength` (bytes, 5–512: INFO's `frame`).
 * Throws `RangeError` on lengths that a caller must never ask for.
 */
export function frames(type: FrameType, message: Bytes, frameLength: number): Bytes[] {
  if (message.length < 1 || message.length > LONGEST) throw new RangeError("a message has 1 to 65535 bytes");
  if (frameLength <= FIRST_HEADER || frameLength > MAX_FRAME) throw new RangeError("impossible frame length");
  const result: Bytes[] = [];
  const going = { type, message, sent: 0, sequence: 0 };
  while (going.sent < message.length) result.push(frameOf(going, frameLength));
  return result;
}

/** A message on its way out: bytes and frames of it that went. */
type Going = FramedMessage & { sent: number; sequence: number };

/** The next frame of a message, at most `room` bytes; moves the message on. */
function frameOf(going: Going, room: number): Bytes {
  const { type, message } = going;
  const first = going.sent === 0;
  const body = message.subarray(going.sent, going.sent + room - (first ? FIRST_HEADER : HEADER));
  going.sent += body.length;
  const b0 = (first ? FIRST : 0) | (going.sent === message.length ? LAST : 0) | (going.sequence++ & SEQUENCE);
  const header = first
    ? Uint8Array.of(b0, FRAME_TYPE[type], message.length & 0xff, message.length >> 8)
    : Uint8Array.of(b0);
  return concat(header, body);
}

interface OpenMessage {
  readonly type: FrameType;
  readonly buffer: Bytes;
  filled: number;
  sequence: number;
}

/**
 * Puts frames together again. `maxMessage` and `frameLength` are INFO's `max_msg` and `frame`. Throws `FRAME`
 * (gap, overrun, F while a message is open, L with a short body or missing, unknown type, empty body, frame too
 * long) or `TOO_LARGE`; after that it stays broken, as the connection does.
 */
export class Reassembler {
  readonly #maxMessage: number;
  readonly #frameLength: number;
  #partial: OpenMessage | undefined;
  #broken = false;

  constructor(maxMessage: number, frameLength: number = MAX_FRAME) {
    this.#maxMessage = maxMessage;
    this.#frameLength = frameLength;
  }

  /** Whether a message is open (the frame-gap timer runs exactly then). */
  get open(): boolean {
    return this.#partial !== undefined;
  }

  /** Takes one frame; returns the message it completes, if it does. */
  push(frame: Uint8Array): FramedMessage | undefined {
    if (this.#broken) throw new SecError("FRAME", { message: "after a framing failure" });
    const partial = this.#partial;
    this.#broken = true;
    this.#partial = undefined;
    const next = this.#accept(partial, frame);
    this.#broken = false;
    if (next.filled === next.buffer.length) return { type: next.type, message: next.buffer };
    this.#partial = next;
    return undefined;
  }

  /** Takes a value that was read, with all its frames; returns the messages that they complete. Throws as {@link push}. */
  pushValue(value: Bytes): FramedMessage[] {
    const messages: FramedMessage[] = [];
    for (let rest = value; rest.length > 0; ) {
      const end = this.#endOf(rest);
      const message = this.push(rest.subarray(0, end));
      if (message !== undefined) messages.push(message);
      rest = rest.subarray(end);
    }
    return messages;
  }

  /** Where the first frame of `value` ends; nothing is checked here. */
  #endOf(value: Bytes): number {
    const [b0 = 0, , low = 0, high = 0] = value;
    if ((b0 & LAST) === 0) return value.length;
    const open = this.#partial;
    const body = open === undefined ? low | (high << 8) : open.buffer.length - open.filled;
    return Math.min(value.length, Math.max(1, (open === undefined ? FIRST_HEADER : HEADER) + body));
  }

  #accept(open: OpenMessage | undefined, frame: Uint8Array): OpenMessage {
    const b0 = frame[0];
    if (b0 === undefined || frame.length > this.#frameLength)
      throw new SecError("FRAME", { message: "length" });
    const first = (b0 & FIRST) !== 0;
    if (first === (open !== undefined)) throw new SecError("FRAME", { message: "F out of place" });
    const partial = open ?? this.#begin(frame);
    if ((b0 & SEQUENCE) !== (partial.sequence & SEQUENCE))
      throw new SecError("FRAME", { message: "sequence" });
    partial.sequence++;
    const body = frame.subarray(first ? FIRST_HEADER : HEADER);
    if (body.length === 0) throw new SecError("FRAME", { message: "empty body" });
    if (partial.filled + body.length > partial.buffer.length)
      throw new SecError("FRAME", { message: "overrun" });
    partial.buffer.set(body, partial.filled);
    partial.filled += body.length;
    const complete = partial.filled === partial.buffer.length;
    if (complete !== ((b0 & LAST) !== 0)) throw new SecError("FRAME", { message: "L and length disagree" });
    return partial;
  }

  #begin(frame: Uint8Array): OpenMessage {
    const [, number, low, high] = frame;
    if (number === undefined || low === undefined || high === undefined) {
      throw new SecError("FRAME", { message: "short header" });
    }
    const type = frameType(number);
    const total = low | (high << 8);
    if (total > this.#maxMessage) throw new SecError("TOO_LARGE");
    return { type, buffer: new Uint8Array(total), filled: 0, sequence: 0 };
  }
}

function frameType(number: number): FrameType {
  const type = (Object.keys(FRAME_TYPE) as FrameType[]).find((name) => FRAME_TYPE[name] === number);
  if (type === undefined) throw new SecError("FRAME", { message: "unknown type" });
  return type;
}

/** Messages on their way out, cut into values as they are read: each as full as it can be, with several frames in it. */
export class FrameQueue {
  #messages: Going[] = [];

  get empty(): boolean {
    return this.#messages.length === 0;
  }

  add(type: FrameType, message: Bytes): void {
    this.#messages.push({ type, message, sent: 0, sequence: 0 });
  }

  /** The frames of the next value of at most `frameLength` bytes, none where nothing is due. */
  take(frameLength: number): Bytes[] {
    const taken: Bytes[] = [];
    for (let room = frameLength; ; ) {
      const [next] = this.#messages;
      if (next === undefined || room <= (next.sent === 0 ? FIRST_HEADER : HEADER)) return taken;
      const frame = frameOf(next, room);
      taken.push(frame);
      room -= frame.length;
      if (next.sent === next.message.length) this.#messages.shift();
    }
  }
}
