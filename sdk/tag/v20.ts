/**
 * GATT v2.0, the simplified authorize: present the chain, read a nonce, hand over a token bound to the payload's
 * digest, write the payload in clear. Every answer is in STATUS.
 */
import { type Bytes, concat, equalBytes } from "../../core/encoding/bytes.ts";
import { type FrameType, PROFILE, type StatusName } from "../../core/gatt/profile.ts";
import type { Status } from "../../core/gatt/values.ts";
import { TagError } from "../errors.ts";
import { type ClientState, ClientSteps } from "./client-table.ts";
import { sendMessage } from "./message-pipe.ts";
import { refusal } from "./sec-errors.ts";
import type { Delivery, LastCommit, SecuredTag, TagNonce } from "./secured-tag.ts";
import { type OpenTag, readStatus, settledStatus } from "./tag.ts";

const { CERT, NONCE, AUTH, DATA } = PROFILE.characteristics;

const NONCE_LENGTH = 16;
const NO_COMMIT = new Uint8Array(8);

/**
 * `chain`: leaf first, as the SDK keeps it; the tag gets it in endpoint 7's order. Closes the connection on
 * failure.
 */
export async function secureV20(
  tag: OpenTag,
  chain: readonly Bytes[],
  signal: AbortSignal,
): Promise<SecuredTag> {
  try {
    const session = new V20Session(tag);
    await session.present(concat(...chain.toReversed()), signal);
    return session;
  } catch (error) {
    tag.connection.close();
    throw error;
  }
}

class V20Session implements SecuredTag {
  readonly generation = "2.0";
  readonly id: string;
  readonly lastCommit: LastCommit;
  readonly #tag: OpenTag;
  readonly #steps = new ClientSteps();
  #nonce: TagNonce = { value: NO_COMMIT, readAt: 0 };

  constructor(tag: OpenTag) {
    this.#tag = tag;
    this.id = tag.id;
    const { markPrefix = NO_COMMIT } = tag;
    this.lastCommit = equalBytes(markPrefix, NO_COMMIT) ? {} : { mark: markPrefix };
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

  present(chain: Bytes, signal: AbortSignal): Promise<void> {
    return this.#steps.take("INFO", async () => {
      await this.#send(CERT.uuid, "CERTIFICATE_CHAIN", chain, signal);
      const status = await readStatus(this.#tag.connection, signal);
      if (status.state !== "PRESENTED") throw refusal(status.code);
      await this.#readNonce(signal);
      return ["presented", undefined];
    });
  }

  /** The tag gives a new one only when the old one was burnt or has expired. */
  refreshNonce(signal: AbortSignal): Promise<void> {
    return this.#steps.take("ESTABLISHED", async () => {
      await this.#readNonce(signal);
      return ["nonce", undefined];
    });
  }

  async write(token: Bytes, delivery: Delivery, signal: AbortSignal): Promise<void> {
    await this.#authorize(token, signal);
    await this.#deliver(delivery, signal);
  }

  async #authorize(token: Bytes, signal: AbortSignal): Promise<void> {
    const refused = await this.#steps.take("ESTABLISHED", async () => {
      await this.#send(AUTH.uuid, "TOKEN", token, signal);
      const status = await readStatus(this.#tag.connection, signal);
      if (status.state === "AUTHORIZED") return ["tokenAccepted", undefined];
      if (status.state !== "PRESENTED") throw refusal(status.code);
      await this.#readNonce(signal);
      return ["tokenRefused", refusal(status.code)];
    });
    if (refused !== undefined) throw refused;
  }

  async #deliver({ payload, onProgress, onCommit }: Delivery, signal: AbortSignal): Promise<void> {
    await this.#steps.take("AUTHORIZED", async () => {
      // The last frame is the commit: the tag checks the digest and changes its display by itself.
      await this.#send(DATA.uuid, "PAYLOAD", payload, signal, { frame: onProgress, last: onCommit });
      return ["payload", undefined];
    });
    await this.#steps.take("WRITING", async () => {
      await this.#displayed(signal);
      return ["committed", undefined];
    });
  }

  async #displayed(signal: AbortSignal): Promise<void> {
    const { state, code } = await settledStatus(this.#tag.connection, signal, isWorking);
    if (state !== "COMMITTED") throw refusal(code);
  }

  async #readNonce(signal: AbortSignal): Promise<void> {
    const value = await this.#tag.connection.read(NONCE.uuid, signal);
    if (value.length !== NONCE_LENGTH) throw new TagError("protocol", "the nonce is not 16 bytes");
    this.#nonce = { value, readAt: performance.now() };
  }

  /** On v2.0 nothing is signed. */
  async statement(): Promise<undefined> {
    return undefined;
  }

  close(): void {
    this.#steps.end();
    this.#tag.connection.close();
  }

  #send(
    uuid: string,
    type: FrameType,
    message: Bytes,
    signal: AbortSignal,
    on: Parameters<typeof sendMessage>[4] = {},
  ): Promise<void> {
    return sendMessage(
      this.#tag.connection,
      uuid,
      { type, message, frame: this.#tag.info.frame },
      signal,
      on,
    );
  }
}

const WORKING: readonly StatusName[] = ["OK", "AUTHORIZED", "BUSY_DISPLAY"];

function isWorking({ state, code }: Status): boolean {
  return state === "COMMITTING" || (state === "RECEIVING" && WORKING.includes(code));
}
