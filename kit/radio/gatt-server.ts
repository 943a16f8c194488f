import bleHost, { type Connection, type ServedCharacteristic, type ServedService } from "ble-host";
import { GENERIC_ATTRIBUTE, MAX_FRAME } from "../../core/gatt/profile.ts";
import {
  ATT_ERROR_NUMBER,
  AttError,
  type GattCharacteristic,
  type VirtualTag,
} from "../../sim/tag/tag-types.ts";

const { AttErrors } = bleHost;
const SUCCESS = 0;
const ATTRIBUTE_NOT_LONG = 0x0b;
const INVALID_OFFSET = 0x07;
/** Opcode and handle of a write or a notification. */
const ATT_HEADER = 3;

/** The stack's names of properties, and ours. */
const PROPERTIES = [
  ["read", "read"],
  ["write", "write"],
  ["write-without-response", "command"],
  ["notify", "notify"],
] as const;

/** One central's connection, as the attributes need it. */
export interface ServedLink {
  /**
   * Resolves once the tag has taken the connection and dealt with the operations before: writes without response may
   * come several at once.
   */
  turn: Promise<unknown>;
  /** The value each characteristic gave last: a long read goes on with it. */
  readonly lastRead: Map<string, Buffer>;
  /** Ends the notifications. */
  stopNotifying: (() => void) | undefined;
}

/** `frame` of protocol.md, INFO: the longest value that one packet of this connection carries. */
export const frameOf = (mtu: number): number => Math.min(mtu - ATT_HEADER, MAX_FRAME);

/**
 * The tag's services as the host stack serves them. `linkOf` gives the connection's state, or undefined where the
 * tag has no such connection.
 */
export function servedServices(
  tag: VirtualTag,
  linkOf: (connection: Connection) => ServedLink | undefined,
): ServedService[] {
  // The stack has a Generic Attribute of its own, with Service Changed alone, and a second one must not be.
  const own = tag.services.filter(({ uuid }) => uuid !== GENERIC_ATTRIBUTE.service);
  return own.map(({ uuid, characteristics }) => ({
    uuid,
    characteristics: characteristics.map((row) => served(tag, row, linkOf)),
  }));
}

function served(
  tag: VirtualTag,
  row: GattCharacteristic,
  linkOf: (connection: Connection) => ServedLink | undefined,
): ServedCharacteristic {
  const { uuid } = row;
  const properties = PROPERTIES.filter(([, has]) => row[has]).map(([name]) => name);
  const characteristic: ServedCharacteristic = {
    uuid,
    properties,
    maxLength: MAX_FRAME,
    onPartialRead: (connection, offset, answer) => {
      const link = linkOf(connection);
      if (link === undefined) return answer(numberOf("UNLIKELY_ERROR"));
      if (offset > 0) return readOn(link.lastRead.get(uuid), offset, answer);
      void attempt(link, answer, async () => {
        const value = Buffer.from(await tag.read(uuid));
        link.lastRead.set(uuid, value);
        return value;
      });
    },
    onWrite: (connection, needsResponse, value, answer) => {
      const link = linkOf(connection);
      if (link === undefined) return answer(numberOf("UNLIKELY_ERROR"));
      // The stack takes writes without response for every characteristic; the tag only where it says so. Their result is
      // not reported.
      void attempt(link, answer, async () => {
        await tag.write(uuid, Uint8Array.from(value), !needsResponse);
        return undefined;
      });
    },
    onSubscriptionChange: (connection, notification) => {
      const link = linkOf(connection);
      link?.stopNotifying?.();
      if (link === undefined || !notification) return;
      link.stopNotifying = tag.onNotify((changed, value) => {
        if (changed === uuid) characteristic.notify?.(connection, Buffer.from(value));
      });
    },
  };
  return characteristic;
}

/**
 * A Read Blob goes on with the value that the Read before it gave: asking the tag again would take the next frame
 * off its queue. Nothing is remembered for a Blob that no Read came before.
 */
function readOn(
  value: Buffer | undefined,
  offset: number,
  answer: (error: number, value?: Buffer) => void,
): void {
  if (value === undefined) answer(ATTRIBUTE_NOT_LONG);
  else if (offset > value.length) answer(INVALID_OFFSET);
  else answer(SUCCESS, value.subarray(offset));
}

async function attempt(
  link: ServedLink,
  answer: (error: number, value?: Buffer) => void,
  work: () => Promise<Buffer | undefined>,
): Promise<void> {
  try {
    const turn = link.turn.then(work);
    link.turn = turn.catch(() => undefined);
    const value = await turn;
    if (value === undefined) answer(SUCCESS);
    else answer(SUCCESS, value);
  } catch (error) {
    if (!(error instanceof AttError)) throw error;
    answer(numberOf(error.code));
  }
}

/** Errors of the link itself have no number of ATT's. */
function numberOf(code: AttError["code"]): number {
  return ATT_ERROR_NUMBER[code] ?? AttErrors.UNLIKELY_ERROR ?? 0x0e;
}
