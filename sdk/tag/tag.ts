/** A connected tag before any session: what it reports, whether a session may begin, and its connection. */
import { type Bytes, fromUtf8 } from "../../core/encoding/bytes.ts";
import { type GattVersion, PROFILE, VERSION } from "../../core/gatt/profile.ts";
import { tagName } from "../../core/gatt/tag-name.ts";
import {
  decodeId,
  decodeInfo,
  decodeStatus,
  type Info,
  type Status,
  ValueError,
} from "../../core/gatt/values.ts";
import { foldDeviceId } from "../../core/pki/tag-roots.ts";
import { sleep } from "../abort.ts";
import { BluetoothError, type BluetoothErrorCode, OperationError, TagError } from "../errors.ts";
import type { PickedTag, TagDevice } from "../types.ts";
import type { TagConnection, TagLink, TagRadio } from "./link.ts";

const { INFO, ID, STATUS, CERT, NONCE, AUTH, SEC, DATA } = PROFILE.characteristics;

/**
 * How often to read again while the tag has nothing to report; also keeps its idle timer (10 s) from
 * expiring.
 */
const POLL = 250;
/** Longest time a display may take. */
const DISPLAY_TIMEOUT = 60_000;

export interface OpenTag {
  readonly connection: TagConnection;
  readonly info: Info;
  /** INFO as read, which the session's keys depend on. */
  readonly infoBytes: Bytes;
  /** The tag's id as read; exactly this spelling goes into requests and tokens. */
  readonly id: string;
  readonly generation: GattVersion;
  /** v2.0, which has no hello: first 8 bytes of the last commit's mark, zeros where none was. */
  readonly markPrefix?: Bytes;
}

/**
 * Reads INFO (ID and STATUS only where it does not say enough) and determines the generation: INFO states it, the
 * characteristics must agree. Waits while the display still works on an earlier commit. Throws {@link TagError}
 * `generation_refused`, `outdated_table`, `lockout`, `protocol`.
 */
export async function openTag(connection: TagConnection, signal: AbortSignal): Promise<OpenTag> {
  const infoBytes = await connection.read(INFO.uuid, signal);
  const info = decoded(decodeInfo, infoBytes);
  if (info.state === "COMMITTING") {
    await settledStatus(connection, signal);
    return openTag(connection, signal);
  }
  if (info.state === "LOCKOUT")
    throw new TagError("lockout", "the tag has locked itself", { status: "LOCKOUT" });
  const generation = generationOf(info, connection);
  const id = info.id ?? decoded(decodeId, await connection.read(ID.uuid, signal));
  const tag = { connection, info, infoBytes, id, generation };
  return generation === "2.1"
    ? tag
    : { ...tag, markPrefix: (await readStatus(connection, signal)).markPrefix };
}

/** What a tag says of itself in its Device Information Service. Never throws: a tag without it has no model. */
export async function readModel(
  connection: TagConnection,
  signal: AbortSignal,
): Promise<Pick<TagDevice, "model" | "firmwareVersion">> {
  const { MODEL, FIRMWARE } = PROFILE.deviceInformation.characteristics;
  const text = (uuid: string) =>
    connection
      .read(uuid, signal)
      .then(fromUtf8)
      .catch(() => undefined);
  const model = await text(MODEL.uuid);
  const firmwareVersion = await text(FIRMWARE.uuid);
  return { ...(model !== undefined && { model }), ...(firmwareVersion !== undefined && { firmwareVersion }) };
}

function generationOf(info: Info, connection: TagConnection): GattVersion {
  const secure = info.versionMax >= VERSION["2.1"];
  const needed = secure ? [DATA] : [CERT, NONCE, AUTH, DATA];
  const spoken = secure ? info.versionMin <= VERSION["2.1"] : info.versionMax === VERSION["2.0"];
  if (spoken && secure && !connection.has(SEC.uuid))
    throw new TagError("outdated_table", "INFO says v2.1, but the table has no SEC");
  if (!spoken || connection.has(SEC.uuid) !== secure || needed.some(({ uuid }) => !connection.has(uuid)))
    throw new TagError("generation_refused", "INFO and the characteristics disagree");
  return secure ? "2.1" : "2.0";
}

/** STATUS once it is there (an empty value means "read again"). */
export async function readStatus(connection: TagConnection, signal: AbortSignal): Promise<Status> {
  const deadline = performance.now() + DISPLAY_TIMEOUT;
  for (;;) {
    const value = await connection.read(STATUS.uuid, signal);
    if (value.length > 0) return decoded(decodeStatus, value);
    if (performance.now() > deadline) throw new TagError("protocol", "the tag withholds its status");
  }
}

/** STATUS when no commit is under way any more. Throws {@link TagError} `tag_busy` after a minute. */
export async function settledStatus(
  connection: TagConnection,
  signal: AbortSignal,
  isWorking = ({ state }: Status) => state === "COMMITTING",
): Promise<Status> {
  const deadline = performance.now() + DISPLAY_TIMEOUT;
  for (;;) {
    const status = await readStatus(connection, signal);
    if (!isWorking(status)) return status;
    if (performance.now() > deadline)
      throw new TagError("tag_busy", "the display does not finish", { status: "BUSY_DISPLAY" });
    await sleep(POLL, signal);
  }
}

/** Whether two spellings mean the same device id (rules §5). */
export function sameDevice(a: string, b: string): boolean {
  return foldDeviceId(a) === foldDeviceId(b);
}

/** Decodes a value; if the codec refuses it, the tag is at fault. */
export function decoded<T>(codec: (value: Bytes) => T, value: Bytes): T {
  try {
    return codec(value);
  } catch (cause) {
    throw new TagError(
      "protocol",
      cause instanceof ValueError ? cause.message : "not a value of the profile",
      {
        cause,
      },
    );
  }
}

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

/** Connections to tags: made without a second chooser, kept open from `pickTag` to the next operation. */
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
