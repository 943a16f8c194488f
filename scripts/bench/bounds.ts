/**
 * What a transfer must cost at least, derived from its bytes and the MTU alone, and how GATT turns operations into
 * time. Nothing here was measured.
 */

/** Longest attribute value (Bluetooth Core, Vol 3 Part F §3.2.9). */
const LONGEST_VALUE = 512;
/** Opcode and handle of an ATT write request. */
const ATT_HEADER = 3;

/** The most one operation can carry. */
export const valueLength = (mtu: number): number => Math.min(mtu - ATT_HEADER, LONGEST_VALUE);

/**
 * Operations that `runs` need at least: bytes that go the same way over the same characteristic, one message behind the
 * other, share values; each run as many as its bytes fill, without any framing.
 */
export function leastOperations(runs: readonly number[], mtu: number): number {
  return runs.reduce((sum, bytes) => sum + Math.ceil(bytes / valueLength(mtu)), 0);
}

/**
 * A request leaves at one connection event, its response comes with the next: two intervals for one operation with
 * response, whatever it carries.
 */
export const EVENTS_PER_OPERATION = 2;

/**
 * Packets that one connection event carries in one direction, taken low: 251 bytes take 2.1 ms at 1 Mbit/s, and phones
 * stop after four to six.
 */
export const PACKETS_PER_EVENT = 4;

/**
 * Requests before the first operation: exchange of the MTU; the service by its UUID, and the answer that there is no
 * other; its characteristics, 21 bytes each in one Read By Type response of MTU − 2 bytes, and the answer that there
 * are no more (Vol 3 Part G §4.3.1, §4.4.2, §4.6.1).
 */
export function discoveryRequests(characteristics: number, mtu: number): number {
  const perResponse = Math.max(1, Math.floor((mtu - 2) / 21));
  return 1 + 2 + Math.ceil(characteristics / perResponse) + 1;
}
