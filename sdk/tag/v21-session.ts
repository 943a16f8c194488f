/**
 * A standing v2.1 session: protected records over SEC and DATA. Each step is taken from exactly one state of the
 * client's table.
 */
import { type Bytes, equalBytes } from "../../core/encoding/bytes.ts";
import { PROFILE, STATUS } from "../../core/gatt/profile.ts";
import type { InitiatorChannel } from "../../core/sec/channel.ts";
import type { Hello, InitiatorRecord } from "../../core/sec/records.ts";
import { TagError } from "../errors.ts";
import type { ClientEvent, ClientState, ClientSteps } from "./client-table.ts";
import { type SecPipe, sendMessage } from "./message-pipe.ts";
import { refusalOf, translated } from "./sec-errors.ts";
import type { CommitMark, CommitOutcome, Delivery, SecuredTag, TagNonce } from "./secured-tag.ts";
import type { OpenTag } from "./tag.ts";

const DATA = PROFILE.characteristics.DATA.uuid;

/** How long the client reads again for one answer, in milliseconds. */
const PATIENCE = { record: 20_000, display: 60_000 } as const;
/** kind, CBOR heads and the AEAD's tag around the bytes of one data record. */
const DATA_OVERHEAD = 32;

/** What a handshake leaves behind. */
export interface Standing {
  readonly pipe: SecPipe;
  readonly channel: InitiatorChannel;
  readonly hello: Hello;
  readonly certificate: Bytes | undefined;
  readonly steps: ClientSteps;
}

export class V21Session implements SecuredTag {
  readonly generation = "2.1";
  readonly id: string;
  readonly channelBinding: Bytes;
  readonly certificate?: Bytes;
  readonly mark: CommitMark;
  readonly #tag: OpenTag;
  readonly #pipe: SecPipe;
  readonly #channel: InitiatorChannel;
  readonly #steps: ClientSteps;
  #nonce: TagNonce;

  constructor(tag: OpenTag, { pipe, channel, hello, certificate, steps }: Standing) {
    this.#tag = tag;
    this.#pipe = pipe;
    this.#channel = channel;
    this.#steps = steps;
    this.#nonce = nonceOf(hello);
    this.id = tag.id;
    this.channelBinding = channel.channelBinding;
    this.mark = { commits: hello.commits, ...(hello.lastCommitted && { lastDigest: hello.lastCommitted }) };
    if (certificate !== undefined) this.certificate = certificate;
  }

  get open(): boolean {
    return this.state !== "DISCONNECTED" && this.state !== "FAILED";
  }

  get state(): ClientState {
    return this.#tag.connection.open ? this.#steps.state : "DISCONNECTED";
  }

  get nonce(): TagNonce {
    return this.#nonce;
  }

  refreshNonce(signal: AbortSignal): Promise<void> {
    return this.#from("ESTABLISHED", async () => {
      await this.#say({ kind: "fresh" }, signal);
      await this.#takeHello(signal);
      return "nonce";
    });
  }

  async authorize(token: Bytes, signal: AbortSignal): Promise<void> {
    let status: number = STATUS.AUTHORIZED;
    await this.#from("ESTABLISHED", async () => {
      await this.#say({ kind: "token", token }, signal);
      status = await this.#status(PATIENCE.record, signal);
      if (status === STATUS.AUTHORIZED) return "tokenAccepted";
      if (status === STATUS.LOCKOUT) throw refusalOf(status);
      await this.#takeHello(signal);
      return "tokenRefused";
    });
    if (status !== STATUS.AUTHORIZED) throw refusalOf(status);
  }

  async deliver({ payload, digest, onProgress, onCommit }: Delivery, signal: AbortSignal): Promise<void> {
    await this.#from("AUTHORIZED", async () => {
      const longest = this.#tag.info.maxMessage - DATA_OVERHEAD;
      for (let offset = 0; offset < payload.length; offset += longest) {
        const data = payload.slice(offset, offset + longest);
        const message = await this.#channel.seal({ kind: "data", offset, data });
        const frame = (fraction: number) => onProgress((offset + fraction * data.length) / payload.length);
        await sendMessage(this.#tag.connection, DATA, this.#framed(message), signal, { frame });
      }
      return "payload";
    });
    await this.#from("WRITING", async () => {
      const commit = await this.#channel.seal({ kind: "commit", sha256: digest, total: payload.length });
      onCommit();
      await this.#pipe.send("APP", commit, signal);
      const status = await this.#status(PATIENCE.display, signal);
      if (status !== STATUS.COMMITTED) throw refusalOf(status);
      return "committed";
    });
  }

  outcomeOf(digest: Bytes, before: CommitMark): CommitOutcome {
    if (this.mark.commits === before.commits) return "unchanged";
    const oneMore = this.mark.commits === (before.commits ?? 0) + 1;
    return oneMore && this.mark.lastDigest && equalBytes(this.mark.lastDigest, digest)
      ? "committed"
      : "unknown";
  }

  close(): void {
    this.#steps.end();
    this.#channel.destroy();
    this.#tag.connection.close();
  }

  async #from(state: ClientState, work: () => Promise<ClientEvent>): Promise<void> {
    try {
      await this.#steps.take(state, async () => [await work(), undefined]);
    } catch (error) {
      this.close();
      throw translated(error);
    }
  }

  async #say(record: InitiatorRecord, signal: AbortSignal): Promise<void> {
    await this.#pipe.send("APP", await this.#channel.seal(record), signal);
  }

  async #status(patience: number, signal: AbortSignal): Promise<number> {
    const record = await this.#channel.open(await this.#pipe.receive("APP", patience, signal));
    if (record.kind !== "status") throw new TagError("protocol", "the tag gave no status");
    return record.status;
  }

  async #takeHello(signal: AbortSignal): Promise<void> {
    const record = await this.#channel.open(await this.#pipe.receive("APP", PATIENCE.record, signal));
    if (record.kind === "status") throw refusalOf(record.status);
    if (record.id !== this.id) throw new TagError("wrong_tag", "hello names another id");
    this.#nonce = nonceOf(record);
  }

  #framed(message: Bytes) {
    return { type: "APP", message, frame: this.#tag.info.frame } as const;
  }
}

function nonceOf(hello: Hello): TagNonce {
  return { value: hello.nonce, readAt: performance.now() };
}
