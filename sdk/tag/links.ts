/** Connections to tags: made without a second chooser, kept open from `pickTag` to the next operation. */

import { tagName } from "../../core/gatt/tag-name.ts";
import { BluetoothError, type BluetoothErrorCode, OperationError, TagError } from "../errors.ts";
import type { PickedTag } from "../types.ts";
import type { TagConnection, TagLink, TagRadio } from "./link.ts";
import { type OpenTag, openTag } from "./tag.ts";

/** Failures that a new connection may mend. */
const LINK_FAILURES: readonly BluetoothErrorCode[] = [
  "link_lost",
  "timeout",
  "link_busy",
  "operation_refused",
];

/** A garbled frame counts too: some stacks truncate values. */
export function isLinkFailure(error: unknown): boolean {
  if (error instanceof TagError) return error.code === "protocol";
  return error instanceof BluetoothError && LINK_FAILURES.includes(error.code);
}

/**
 * The tag counts its handshake timer (30 s) from connect: before a session, a kept connection older than this
 * (milliseconds) is replaced by a new one.
 */
const FRESH = 12_000;
/**
 * How often the link may fall while a tag is first read: the person should not have to choose the tag again for that.
 */
const MAX_LOSSES = 2;

export class Links {
  readonly #radio: TagRadio;
  readonly #open = new Map<string, OpenTag>();

  constructor(radio: TagRadio) {
    this.#radio = radio;
  }

  /** The chooser; must be reached within the tap's own task. */
  choose(uniqueDeviceId: string | undefined, signal: AbortSignal): Promise<TagLink> {
    return this.#radio.choose(uniqueDeviceId, signal);
  }

  /**
   * Connects and reads the tag; starts again if the link falls. The connection is kept.
   */
  async open(link: TagLink, signal: AbortSignal, onRetry: () => void): Promise<OpenTag> {
    for (let losses = 0; ; losses++) {
      try {
        return await this.#openOnce(link, signal, onRetry);
      } catch (error) {
        if (!isLinkFailure(error) || losses >= MAX_LOSSES) throw error;
        onRetry();
      }
    }
  }

  async #openOnce(link: TagLink, signal: AbortSignal, onRetry: () => void): Promise<OpenTag> {
    this.close(link.deviceId);
    let connection: TagConnection | undefined;
    try {
      connection = await link.connect(signal, onRetry);
      const tag = await openTag(connection, signal);
      this.#open.set(link.deviceId, tag);
      return tag;
    } catch (error) {
      connection?.close();
      throw error;
    }
  }

  /** The kept connection if it is open, and young enough if `fresh` is set; else a new one. */
  async reach(deviceId: string, fresh: boolean, signal: AbortSignal, onRetry: () => void): Promise<OpenTag> {
    const kept = this.#open.get(deviceId);
    if (kept?.connection.open && (!fresh || isFresh(kept))) return kept;
    return this.open(await this.find(deviceId), signal, onRetry);
  }

  async find(deviceId: string): Promise<TagLink> {
    const link = await this.#radio.find(deviceId);
    if (link === undefined) throw new OperationError("unknown_device", "no tag was picked under this id");
    return link;
  }

  remembered(): Promise<readonly TagLink[]> {
    return this.#radio.remembered();
  }

  close(deviceId: string): void {
    this.#open.get(deviceId)?.connection.close();
    this.#open.delete(deviceId);
  }
}

/** Whether a handshake may still begin on this connection. */
export function isFresh({ connection }: OpenTag): boolean {
  return performance.now() - connection.openedAt < FRESH;
}

/** What hosts see of a tag. */
export function pickedTag({ deviceId }: TagLink, { id, generation, info }: OpenTag): PickedTag {
  return { deviceId, name: tagName(id), uniqueDeviceId: id, generation, batteryLevel: info.battery };
}
