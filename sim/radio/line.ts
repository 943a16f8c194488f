import type { Bytes } from "../../core/encoding/bytes.ts";
import type { FrameType } from "../../core/gatt/profile.ts";

/** What a path may do to the connection it serves. */
export interface Line {
  /** Queues a message for the central's reads of SEC. */
  send(type: FrameType, message: Bytes): void;
  /** Throws {@link Gone} if the session ended while its path was waiting for something. */
  alive(): void;
  /** INFO as last read on this connection, else its current value. */
  readonly info: Bytes;
}

/** The session has ended; its pending work stops here. Not a failure. */
export class Gone extends Error {
  override readonly name = "Gone";
}
