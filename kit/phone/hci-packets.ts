/** HCI as the virtual controllers speak it: numbers and builders (Bluetooth Core 6.0, Vol 4, Part E). */
import { PACKET } from "../radio/hci-transport.ts";

export const STATUS = {
  OK: 0x00,
  UNKNOWN_COMMAND: 0x01,
  UNKNOWN_CONNECTION: 0x02,
  CONNECTION_TIMEOUT: 0x08,
  DISALLOWED: 0x0c,
  LOCAL_HOST: 0x16,
  REMOTE_USER: 0x13,
} as const;

export const COMMAND = {
  DISCONNECT: 0x0406,
  SET_EVENT_MASK: 0x0c01,
  RESET: 0x0c03,
  READ_BUFFER_SIZE: 0x1005,
  READ_BD_ADDR: 0x1009,
  LE_SET_EVENT_MASK: 0x2001,
  LE_READ_BUFFER_SIZE: 0x2002,
  LE_SET_RANDOM_ADDRESS: 0x2005,
  LE_SET_ADVERTISING_PARAMETERS: 0x2006,
  LE_SET_ADVERTISING_DATA: 0x2008,
  LE_SET_SCAN_RESPONSE: 0x2009,
  LE_SET_ADVERTISING_ENABLE: 0x200a,
  LE_SET_SCAN_PARAMETERS: 0x200b,
  LE_SET_SCAN_ENABLE: 0x200c,
  LE_CREATE_CONNECTION: 0x200d,
  LE_CREATE_CONNECTION_CANCEL: 0x200e,
  LE_READ_WHITE_LIST_SIZE: 0x200f,
  LE_CLEAR_WHITE_LIST: 0x2010,
  LE_ADD_TO_WHITE_LIST: 0x2011,
  LE_REMOVE_FROM_WHITE_LIST: 0x2012,
  LE_CONNECTION_UPDATE: 0x2013,
  LE_READ_SUPPORTED_STATES: 0x201c,
} as const;

/** Addresses are six bytes, little endian on the wire, and behind their type. */
export interface Address {
  readonly random: boolean;
  readonly bytes: Buffer;
}

export const sameAddress = (a: Address, b: Address): boolean =>
  a.random === b.random && a.bytes.equals(b.bytes);

export const addressBytes = ({ random, bytes }: Address): Buffer =>
  Buffer.concat([Buffer.of(random ? 1 : 0), bytes]);

export const u16 = (value: number): Buffer => Buffer.of(value & 0xff, value >> 8);

const event = (code: number, ...parts: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(PACKET.EVENT, code, body.length), body]);
};

export const commandComplete = (
  opcode: number,
  status: number,
  result: Uint8Array = Buffer.alloc(0),
): Buffer => event(0x0e, Buffer.of(1), u16(opcode), Buffer.of(status), result);

export const commandStatus = (opcode: number, status: number): Buffer =>
  event(0x0f, Buffer.of(status, 1), u16(opcode));

export const disconnectionComplete = (handle: number, reason: number): Buffer =>
  event(0x05, Buffer.of(STATUS.OK), u16(handle), Buffer.of(reason));

export const completedPackets = (handle: number, count: number): Buffer =>
  event(0x13, Buffer.of(1), u16(handle), u16(count));

export const hardwareError = (code: number): Buffer => event(0x10, Buffer.of(code));

export const connectionComplete = (handle: number, role: "central" | "peripheral", peer: Address): Buffer =>
  event(
    0x3e,
    Buffer.of(0x01, STATUS.OK),
    u16(handle),
    Buffer.of(role === "central" ? 0 : 1),
    addressBytes(peer),
    // 30 ms, no latency, 4 s supervision, 50 ppm.
    Buffer.concat([u16(24), u16(0), u16(400), Buffer.of(5)]),
  );

/** Interval in units of 1.25 ms, latency, time-out in units of 10 ms, each two bytes. */
export const connectionUpdated = (handle: number, parameters: Buffer): Buffer =>
  event(0x3e, Buffer.of(0x03, STATUS.OK), u16(handle), parameters);

/** A connect that was called off. */
export const connectionCancelled = (): Buffer =>
  event(0x3e, Buffer.of(0x01, STATUS.UNKNOWN_CONNECTION), Buffer.alloc(17));

export const advertisingReport = (isAnswer: boolean, from: Address, data: Buffer): Buffer =>
  event(
    0x3e,
    Buffer.of(0x02, 1, isAnswer ? 0x04 : 0x00),
    addressBytes(from),
    Buffer.of(data.length),
    data,
    Buffer.of(-50 & 0xff),
  );

/** Data to a host: `begins` marks the first piece of an L2CAP packet. */
export const aclToHost = (handle: number, begins: boolean, data: Buffer): Buffer =>
  Buffer.concat([Buffer.of(PACKET.ACL), u16(handle | (begins ? 0x2000 : 0x1000)), u16(data.length), data]);
