/** Whole messages over characteristics: frames are written out and read in (the pull model of GATT v2.1). */
import type { Bytes } from "../../core/encoding/bytes.ts";
import { type FrameType, PROFILE } from "../../core/gatt/profile.ts";
import type { Info } from "../../core/gatt/values.ts";
import { errorFrom } from "../../core/sec/answers.ts";
import { type FramedMessage, frames, Reassembler } from "../../core/sec/framing.ts";
import { BluetoothError, TagError } from "../errors.ts";
import type { TagConnection } from "./link.ts";

const SEC = PROFILE.characteristics.SEC.uuid;

interface Sending {
  readonly frame?: (fraction: number) => void;
  readonly last?: () => Promise<void>;
  /** Only what nothing follows at once needs a response of its own. */
  readonly hurry?: boolean;
  /** Another message follows at once. */
  readonly followed?: boolean;
}

/**
 * Writes one framed message; calls `on.frame` with the part sent so far, and awaits `on.last` before the last frame.
 */
export async function sendMessage(
  connection: TagConnection,
  uuid: string,
  { type, message, frame }: { readonly type: FrameType; readonly message: Bytes; readonly frame: number },
  signal: AbortSignal,
  on: Sending = {},
): Promise<void> {
  const parts = frames(type, message, frame);
  for (const [index, part] of parts.entries()) {
    const last = index === parts.length - 1;
    if (last) await on.last?.();
    await connection.write(uuid, part, signal, on.hurry === true && (!last || on.followed === true));
    on.frame?.((index + 1) / parts.length);
  }
}

/** The SEC characteristic as a pipe of messages in both directions. */
export class SecPipe {
  readonly #connection: TagConnection;
  readonly #info: Info;
  readonly #incoming: Reassembler;
  readonly #hurry: boolean;
  /** Messages that came in one value with another. */
  #come: FramedMessage[] = [];

  constructor(connection: TagConnection, info: Info, hurry = false) {
    this.#hurry = hurry;
    this.#connection = connection;
    this.#info = info;
    this.#incoming = new Reassembler(info.maxMessage);
  }

  send(
    type: "EDHOC" | "APP",
    message: Bytes,
    signal: AbortSignal,
    { uuid = SEC, ...on }: Pick<Sending, "frame" | "followed"> & { readonly uuid?: string } = {},
  ): Promise<void> {
    const framed = { type, message, frame: this.#info.frame };
    return sendMessage(this.#connection, uuid, framed, signal, { ...on, hurry: this.#hurry });
  }

  /**
   * The next message, which must be of `type`; reads again while the tag has nothing yet, for at most
   * `patience` milliseconds. Throws alerts and EDHOC errors as the errors they stand for.
   */
  async receive(type: "EDHOC" | "APP", patience: number, signal: AbortSignal): Promise<Bytes> {
    const deadline = performance.now() + patience;
    for (;;) {
      if (this.#come.length === 0)
        this.#come = this.#incoming.pushValue(await this.#connection.read(SEC, signal));
      const whole = this.#come.shift();
      if (whole?.type === "ALERT" || whole?.type === "EDHOC_ERROR")
        throw errorFrom(whole.type, whole.message);
      if (whole?.type === type) return whole.message;
      if (whole !== undefined) throw new TagError("protocol", `unexpected ${whole.type} message`);
      if (performance.now() > deadline) throw new BluetoothError("timeout", "the tag did not answer in time");
    }
  }
}
