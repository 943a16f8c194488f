/** A tag that waits for a token, on either path: what the checks of tokens and commits share. */
import { type Bytes, concat } from "../../core/encoding/bytes.ts";
import { type GattVersion, STATUS } from "../../core/gatt/profile.ts";
import { SecError } from "../../core/sec/errors.ts";
import type { Hello, InitiatorRecord } from "../../core/sec/records.ts";
import type { Opened } from "./handshake.ts";
import type { FramedName, Probe, Sparing } from "./probe.ts";
import type { Answer } from "./types.ts";

/** What became of a token. `renewed` is the nonce that came after a refusal. */
export interface Offer {
  readonly answer: Answer;
  readonly renewed?: Bytes;
}

/** How a delivery differs from an honest one. */
export interface Deviation {
  readonly total?: number;
  readonly offset?: number;
}

export interface DeskSession {
  readonly generation: GattVersion;
  /** Whether it still waits for a token. */
  readonly alive: boolean;
  readonly nonce: Bytes;
  readonly channelBinding?: Bytes;
  offer(token: Bytes): Promise<Offer>;
  /** Sends part of the payload, and nothing that makes the tag use it. */
  stage(payload: Bytes): Promise<void>;
  /** Sends all of it, and the commit; returns the answer once the display is done. */
  deliver(payload: Bytes, digest: Bytes, deviation?: Deviation): Promise<Answer>;
}

/** Held reads (5 s each) that a display may take. */
const DISPLAY_PATIENCE = 12;
const SHORT_FRAME = 20;

export class SecSession implements DeskSession {
  readonly generation = "2.1";
  readonly opened: Opened;
  readonly #probe: Probe;
  #hello: Hello;
  readonly #connection: number;
  #over = false;
  #last: { readonly on: FramedName; readonly record: Bytes } | undefined;
  /** Requests for another nonce so far. */
  freshes = 0;

  constructor(probe: Probe, opened: Opened) {
    this.#probe = probe;
    this.#connection = probe.connectionNumber;
    this.opened = opened;
    this.#hello = opened.hello;
  }

  get alive(): boolean {
    return !this.#over && this.isOpen;
  }

  /** Whether there are keys and a link, in whatever state. */
  get isOpen(): boolean {
    return isConnected(this.#probe, this.#connection) && this.opened.channel.alive;
  }

  get hello(): Hello {
    return this.#hello;
  }

  get nonce(): Bytes {
    return this.#hello.nonce;
  }

  get channelBinding(): Bytes {
    return this.opened.channel.channelBinding;
  }

  seal(record: InitiatorRecord): Promise<Bytes> {
    return this.opened.channel.seal(record);
  }

  /**
   * Sends a sealed record on a characteristic of the caller's choice; nothing after it is expected to work.
   */
  async sendSealed(on: FramedName, record: Bytes, sparing?: Sparing): Promise<void> {
    this.#last = { on, record };
    await this.#probe.try(() => this.#probe.send(on, "APP", record, sparing));
  }

  /** Sends the last record once more, byte for byte. */
  async repeat(): Promise<void> {
    if (this.#last !== undefined) await this.sendSealed(this.#last.on, this.#last.record);
  }

  /** The next answer; a hello counts as `app` and is kept. */
  async next(patience?: number): Promise<Answer> {
    const answer = await this.#probe.receive(patience);
    if (answer.kind !== "app") return answer;
    try {
      const record = await this.opened.channel.open(answer.message);
      if (record.kind === "status") return { kind: "code", code: record.status };
      if (record.kind === "statement") return record;
      if (record.kind === "hello") this.#hello = record;
      return answer;
    } catch (error) {
      if (error instanceof SecError) return { kind: "garbage" };
      throw error;
    }
  }

  /** Sends `[5]`, and returns the answer. */
  async askFresh(): Promise<Answer> {
    this.freshes++;
    await this.sendSealed("SEC", await this.seal({ kind: "fresh" }));
    return this.next();
  }

  /** Sends `[6, challenge]`, and returns the answer. */
  async askStatement(challenge: Bytes): Promise<Answer> {
    await this.sendSealed("SEC", await this.seal({ kind: "challenge", challenge }));
    return this.next();
  }

  async offer(token: Bytes): Promise<Offer> {
    await this.sendSealed("SEC", await this.seal({ kind: "token", token }));
    const answer = await this.next();
    if (!isRefusal(answer)) {
      this.#over = true;
      return { answer };
    }
    const hello = await this.next();
    return hello.kind === "app" ? { answer, renewed: this.nonce } : { answer };
  }

  async stage(payload: Bytes): Promise<void> {
    this.#over = true;
    const data = payload.slice(0, payload.length >> 1);
    await this.sendSealed("DATA", await this.seal({ kind: "data", offset: 0, data }));
  }

  async deliver(payload: Bytes, digest: Bytes, deviation: Deviation = {}): Promise<Answer> {
    this.#over = true;
    const { total = payload.length, offset = 0 } = deviation;
    await this.sendSealed("DATA", await this.seal({ kind: "data", offset, data: payload }));
    await this.sendSealed("SEC", await this.seal({ kind: "commit", sha256: digest, total }));
    return this.displayed();
  }

  /** Token, all of the payload and the commit, one behind the other; returns the first answer. */
  async deliverAtOnce(token: Bytes, payload: Bytes, sha256: Bytes, sparing: boolean): Promise<Answer> {
    this.#over = true;
    const [all, butLast] = sparing ? (["all", "butLast"] as const) : [];
    await this.sendSealed("SEC", await this.seal({ kind: "token", token }), all);
    await this.sendSealed("DATA", await this.seal({ kind: "data", offset: 0, data: payload }), all);
    const total = payload.length;
    await this.sendSealed("SEC", await this.seal({ kind: "commit", sha256, total }), butLast);
    return this.next();
  }

  /** The next answer, which waits for the display. */
  displayed(): Promise<Answer> {
    return this.next(DISPLAY_PATIENCE);
  }

  /** Ends the session for every user of it. */
  abandon(): void {
    this.#over = true;
  }
}

export class PlainSession implements DeskSession {
  readonly generation = "2.0";
  readonly #probe: Probe;
  #nonce: Bytes = new Uint8Array();
  readonly #connection: number;
  #over = false;

  constructor(probe: Probe) {
    this.#probe = probe;
    this.#connection = probe.connectionNumber;
  }

  get alive(): boolean {
    return !this.#over && isConnected(this.#probe, this.#connection);
  }

  get nonce(): Bytes {
    return this.#nonce;
  }

  /** Presents the chain in endpoint 7's order, then reads the nonce. Undefined if that worked. */
  async present(chain: readonly Bytes[]): Promise<Answer | undefined> {
    const answer = await this.#probe.present(endpointOrder(chain));
    if (answer.kind !== "code" || answer.code !== STATUS.OK) return answer;
    this.#nonce = await this.#probe.read("NONCE");
    return undefined;
  }

  async offer(token: Bytes): Promise<Offer> {
    await this.#probe.try(() => this.#probe.send("AUTH", "TOKEN", token));
    const answer = await this.#probe.outcome();
    if (!isRefusal(answer) || !this.#probe.open) {
      this.#over = true;
      return { answer };
    }
    this.#nonce = await this.#probe.read("NONCE");
    return { answer, renewed: this.#nonce };
  }

  async stage(payload: Bytes): Promise<void> {
    this.#over = true;
    const parts = await this.#probe.framesOf("PAYLOAD", payload, SHORT_FRAME);
    for (const part of parts.slice(0, -1)) await this.#probe.write("DATA", part);
  }

  async deliver(payload: Bytes): Promise<Answer> {
    this.#over = true;
    await this.#probe.try(() => this.#probe.send("DATA", "PAYLOAD", payload));
    return this.#probe.outcome();
  }
}

/** After a refused token a tag gives another nonce, unless it has locked itself. */
const isRefusal = (answer: Answer): boolean =>
  answer.kind === "code" && answer.code !== STATUS.AUTHORIZED && answer.code !== STATUS.LOCKOUT;

/** Endpoint 7's order: intermediate, then leaf. */
export const endpointOrder = (chain: readonly Bytes[]): Bytes => concat(...chain.toReversed());

/** Whether the connection on which a session was made is still open. */
function isConnected(probe: Probe, connection: number): boolean {
  return probe.open && probe.connectionNumber === connection;
}
