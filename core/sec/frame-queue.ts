import type { Bytes } from "../encoding/bytes.ts";
import type { FrameType } from "../gatt/profile.ts";
import { FIRST_HEADER, frameOf, type Going, HEADER } from "./framing.ts";

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
