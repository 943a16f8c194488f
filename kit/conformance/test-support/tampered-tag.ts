/** Something between a good tag and the air that turns it into a bad one. */
import type { Bytes } from "../../../core/encoding/bytes.ts";
import { type FrameType, MAX_FRAME } from "../../../core/gatt/profile.ts";
import { SecError } from "../../../core/sec/errors.ts";
import { frames, Reassembler } from "../../../core/sec/framing.ts";
import { AttError, type GattService, type VirtualTag } from "../../../sim/tag/tag-types.ts";

export interface Tampering {
  readonly name?: string;
  readonly services?: readonly GattService[];
  /** A value on its way out. */
  readonly read?: (name: string, value: Bytes) => Bytes;
  /** The result of a read that the tag refuses. */
  readonly unreadable?: (name: string) => Bytes;
  /** A frame on its way in: itself, another, or none. `command`: it came without response. */
  readonly frame?: (name: string, frame: Bytes, command: boolean) => Bytes | [];
  /** A whole message on its way in: itself, another, or frames that SEC answers with instead. */
  readonly message?: (name: string, message: Bytes) => Bytes | { readonly instead: readonly Bytes[] };
}

/** Longest value that the simulator takes; anything else is passed on unchanged. */
const LONGEST = 244;

/** Frame of one EDHOC message that fits one frame. */
export function edhoc(message: Bytes): Bytes {
  return frames("EDHOC", message, MAX_FRAME)[0] as Bytes;
}

export function tampered(tag: VirtualTag, tampering: Tampering): VirtualTag {
  const rows = new Map(
    tag.services.flatMap(({ characteristics }) =>
      characteristics.map((row) => [row.uuid, row.name] as const),
    ),
  );
  const nameOf = (uuid: string): string => rows.get(uuid) ?? uuid;
  let way = new WayIn(tag, tampering);

  return {
    id: tag.id,
    name: tampering.name ?? tag.name,
    services: tampering.services ?? tag.services,
    faults: tag.faults,
    async connect() {
      way = new WayIn(tag, tampering);
      await tag.connect();
    },
    disconnect: () => tag.disconnect(),
    read: async (uuid) =>
      (nameOf(uuid) === "SEC" ? way.said.shift() : undefined) ??
      (await wayOut(tag, tampering, uuid, nameOf(uuid))),
    async write(uuid, value, command = false) {
      const frame = tampering.frame?.(nameOf(uuid), value, command) ?? value;
      if (!(frame instanceof Uint8Array)) return;
      if (tampering.message === undefined) await tag.write(uuid, frame, command);
      else await way.frame(uuid, nameOf(uuid), frame);
    },
    reboot: () => tag.reboot(),
    onDisconnect: (listener) => tag.onDisconnect(listener),
    onNotify: (listener) => tag.onNotify(listener),
    observe: (listener) => tag.observe(listener),
    snapshot: () => tag.snapshot(),
    settled: () => tag.settled(),
  };
}

async function wayOut(tag: VirtualTag, tampering: Tampering, uuid: string, name: string): Promise<Bytes> {
  try {
    const value = await tag.read(uuid);
    return tampering.read?.(name, value) ?? value;
  } catch (error) {
    const refused = error instanceof AttError && error.code === "READ_NOT_PERMITTED";
    if (!refused || tampering.unreadable === undefined) throw error;
    return tampering.unreadable(name);
  }
}

/**
 * The frames of one connection: keeps the frames of a message until it is complete, then passes on the message or its
 * replacement.
 */
class WayIn {
  /** What SEC answers before any answer of the tag's. */
  readonly said: Bytes[] = [];
  readonly #open = new Map<string, { readonly reassembler: Reassembler; held: Bytes[] }>();
  readonly #tag: VirtualTag;
  readonly #tampering: Tampering;

  constructor(tag: VirtualTag, tampering: Tampering) {
    this.#tag = tag;
    this.#tampering = tampering;
  }

  async frame(uuid: string, name: string, frame: Bytes): Promise<void> {
    const at = this.#open.get(name) ?? { reassembler: new Reassembler(2_048, LONGEST), held: [] };
    this.#open.set(name, at);
    at.held.push(frame);
    const message = pushed(at.reassembler, frame);
    if (message === undefined) return;
    this.#open.delete(name);
    const change = message === "broken" ? undefined : this.#tampering.message?.(name, message.message);
    if (change !== undefined && "instead" in change) this.said.push(...change.instead);
    else if (message === "broken" || change === undefined || change === message.message)
      for (const one of at.held) await this.#tag.write(uuid, one);
    else for (const one of frames(message.type, change, 200)) await this.#tag.write(uuid, one);
  }
}

function pushed(
  reassembler: Reassembler,
  frame: Bytes,
): { readonly type: FrameType; readonly message: Bytes } | "broken" | undefined {
  try {
    return reassembler.push(frame);
  } catch (error) {
    if (error instanceof SecError) return "broken";
    throw error;
  }
}
