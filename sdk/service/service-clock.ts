/**
 * The service's time, in milliseconds since 1970: the device's clock, corrected by the `Date` of the service's answers. For
 * what the service or a certificate authority has dated; the session and the outbox count in the device's own time.
 */

/** The service accepts proofs that are this far off (rules §3). */
const TOLERANCE = 5 * 60_000;
/** `Date` has whole seconds. */
const RESOLUTION = 1_000;

export class ServiceClock {
  readonly #device: () => number;
  /** How far the service is ahead of the device. */
  #offset = 0;
  #isKnown = false;

  constructor(device: () => number) {
    this.#device = device;
  }

  now(): number {
    return this.#device() + this.#offset;
  }

  /** The device's own time. */
  device(): number {
    return this.#device();
  }

  /** Reads an answer's date: it is at least that late now. A delayed or cached answer moves nothing back. */
  read(headers: Headers): void {
    const date = dateIn(headers);
    if (date === undefined) return;
    this.#isKnown = true;
    this.#offset = Math.max(this.#offset, date - this.#device());
  }

  /** Reads a refused proof's date: the request was sent, at `sentAt` by the device's clock, before that second ended. */
  limit(headers: Headers, sentAt: number): void {
    const date = dateIn(headers);
    if (date !== undefined) this.#offset = Math.min(this.#offset, date + RESOLUTION - sentAt);
  }

  /** Whether the device's clock is the cause, as far as can be said, where a certificate that begins at `begin` is not valid. */
  isWrong(begin: Date): boolean {
    return this.#isKnown ? Math.abs(this.#offset) > TOLERANCE : this.#device() < begin.getTime();
  }
}

function dateIn(headers: Headers): number | undefined {
  const date = Date.parse(headers.get("Date") ?? "");
  return date > 0 ? date : undefined;
}
