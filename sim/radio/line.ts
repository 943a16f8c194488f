import type { Bytes } from "../../core/encoding/bytes.ts";
import type { FrameType } from "../../core/gatt/profile.ts";

/** What a path may do to the connection it serves. */
export interface Line {
  /** Queues a message for the central's reads of SEC. */
  send(type: FrameType, message: Bytes): void;
  /** Throws {@link Gone} where the session ended while its path was waiting for something. */
  alive(): void;
  /** INFO as last read on this connection, else as it is. */
  readonly info: Bytes;
}

/** The session ended meanwhile; whoever was at work for it stops here. Not a failure. */
export class Gone extends Error {
  override readonly name = "Gone";
}
