/**
 * The smallest client that can talk to a tag, made of core alone. It has no retries, and a test calls every step itself,
 * so that it can leave one out or do it wrong.
 */
import { payloadDigest } from "../../core/bag/payload.ts";
import { type Bytes, concat } from "../../core/encoding/bytes.ts";
import { PROFILE, STATUS } from "../../core/gatt/profile.ts";
import { decodeInfo, decodeStatus, type Info, type Status } from "../../core/gatt/values.ts";
import { verifyChain } from "../../core/pki/chain.ts";
import { EKU_TAG } from "../../core/pki/profiles.ts";
import { type InitiatorChannel, openInitiatorChannel } from "../../core/sec/channel.ts";
import type { EphemeralKey } from "../../core/sec/ecdh.ts";
import { type FramedMessage, frames, Reassembler } from "../../core/sec/framing.ts";
import {
  type InitiatorConfig,
  readMessage2,
  readMessage4,
  type WaitMessage4,
  writeMessage1,
  writeMessage3,
} from "../../core/sec/initiator.ts";
import type { Hello, InitiatorRecord, ResponderRecord } from "../../core/sec/records.ts";
import type { SuiteId } from "../../core/sec/suites.ts";
import type { TokenClaims } from "../../core/sec/token.ts";
import type { TagCredential, VirtualTag } from "../tag/tag-types.ts";
import type { VirtualWorld } from "../virtual-world.ts";
import { type Parties, TAG_ID } from "./parties.ts";
import { drive } from "./virtual-time.ts";

const UUID = PROFILE.characteristics;

export class Central {
  readonly tag: VirtualTag;
  readonly world: VirtualWorld;
  readonly parties: Parties;
  credential: TagCredential;
  frame = 244;
  channel: InitiatorChannel | undefined;
  #incoming: Reassembler | undefined;
  /** Messages that came in one value with another. */
  #come: FramedMessage[] = [];
  /** The id in the tag's certificate. */
  peerId: string | undefined;
  hello: Hello | undefined;
  /** The handshake under way: message_3 as it is sent, and what is needed after it. */
  begun: Awaited<ReturnType<Central["begin"]>> | undefined;

  constructor(tag: VirtualTag, world: VirtualWorld, parties: Parties) {
    this.tag = tag;
    this.world = world;
    this.parties = parties;
    this.credential = parties.client;
    tag.onDisconnect(() => this.#forget());
  }

  #forget(): void {
    this.#incoming = undefined;
    this.#come = [];
  }

  async info(): Promise<Info> {
    return decodeInfo(await this.tag.read(UUID.INFO.uuid));
  }

  async status(): Promise<Status> {
    return decodeStatus(await this.tag.read(UUID.STATUS.uuid));
  }

  async send(
    on: "CERT" | "AUTH" | "SEC" | "DATA",
    type: FramedMessage["type"],
    message: Bytes,
  ): Promise<void> {
    for (const frame of frames(type, message, this.frame)) await this.tag.write(UUID[on].uuid, frame);
  }

  /** All frames of a message but the last. */
  async sendPart(on: "DATA" | "SEC", type: FramedMessage["type"], message: Bytes): Promise<void> {
    for (const frame of frames(type, message, this.frame).slice(0, -1))
      await this.tag.write(UUID[on].uuid, frame);
  }

  /** One characteristic value as it is. */
  async raw(on: "CERT" | "AUTH" | "SEC" | "DATA", value: Bytes): Promise<void> {
    await this.tag.write(UUID[on].uuid, value);
  }

  /** The next message on SEC; `undefined` if the tag has nothing to say for 5 s. */
  async receive(): Promise<FramedMessage | undefined> {
    for (;;) {
      const [message, ...others] = this.#come;
      this.#come = others;
      if (message !== undefined) return message;
      const value = await this.patiently(this.tag.read(UUID.SEC.uuid));
      if (value.length === 0) return undefined;
      this.#incoming ??= new Reassembler(2048, this.frame);
      this.#come = this.#incoming.pushValue(value);
    }
  }

  /** Lets time pass if an operation waits for nothing but time. */
  patiently<Value>(operation: Promise<Value>): Promise<Value> {
    return drive(this.world, () => operation);
  }

  // ---- v2.1

  async message1(suites: readonly SuiteId[] = [6], ephemeral?: EphemeralKey) {
    const config: InitiatorConfig<{ publicKey: CryptoKey }> = {
      credential: this.credential,
      suites,
      verifyPeer: async (chain) => {
        const leaf = await verifyChain({ chain, anchors: [this.parties.tags.root], eku: EKU_TAG });
        this.peerId = leaf.subjectSerialNumber;
        return leaf;
      },
    };
    return writeMessage1(config, ephemeral);
  }

  async expect(type: FramedMessage["type"]): Promise<Bytes> {
    const message = await this.receive();
    if (message?.type !== type) throw new Error(`${type} expected, not ${message?.type} ${message?.message}`);
    return message.message;
  }

  /** Up to message_3 sent; the rest of the handshake is {@link finish}. */
  async begin(
    suites: readonly SuiteId[] = [6],
  ): Promise<{ info: Bytes; message3: Bytes; state: WaitMessage4<{ publicKey: CryptoKey }> }> {
    const info = await this.tag.read(UUID.INFO.uuid);
    const first = await this.message1(suites);
    await this.send("SEC", "EDHOC", first.message);
    const { state } = await readMessage2(first.state, await this.expect("EDHOC"));
    const third = await writeMessage3(state);
    this.begun = { info, message3: third.message, state: third.state };
    return this.begun;
  }

  async handshake(suites: readonly SuiteId[] = [6]): Promise<Hello> {
    const { message3 } = await this.begin(suites);
    await this.send("SEC", "EDHOC", message3);
    return this.finish();
  }

  /** message_4 and hello. */
  async finish(): Promise<Hello> {
    if (this.begun === undefined) throw new Error("no handshake under way");
    const { info, state } = this.begun;
    const session = await readMessage4(state, await this.expect("EDHOC"));
    this.channel = await openInitiatorChannel(session, info);
    return this.nextHello();
  }

  async nextHello(): Promise<Hello> {
    const record = await this.record();
    if (record.kind !== "hello") throw new Error(`hello expected, not ${record.kind}`);
    this.hello = record;
    return record;
  }

  /** The next record on SEC. */
  async record(): Promise<ResponderRecord> {
    return this.keys.open(await this.expect("APP"));
  }

  /** The next record's status code. */
  async code(): Promise<number> {
    const record = await this.record();
    if (record.kind !== "status") throw new Error("a status expected");
    return record.status;
  }

  async say(record: InitiatorRecord): Promise<void> {
    await this.send(record.kind === "data" ? "DATA" : "SEC", "APP", await this.keys.seal(record));
  }

  get keys(): InitiatorChannel {
    if (this.channel === undefined) throw new Error("no handshake yet");
    return this.channel;
  }

  /** A token for this session, bound to everything, except for `changes`. */
  async token(
    payload: Bytes,
    operation: "write" | "clear",
    changes: Partial<TokenClaims> = {},
  ): Promise<Bytes> {
    return this.parties.tokens.sign({
      aud: TAG_ID,
      nonce: this.hello?.nonce ?? new Uint8Array(16),
      channelBinding: this.keys.channelBinding,
      version: "2.1",
      payloadDigest: await payloadDigest(payload),
      operation,
      ...changes,
    });
  }

  /** Token, payload in pieces, commit; the last status code. */
  async transfer(payload: Bytes, operation: "write" | "clear" = "write"): Promise<number> {
    await this.authorize(payload, operation);
    await this.stage(payload);
    await this.commit(payload);
    return this.code();
  }

  async authorize(payload: Bytes, operation: "write" | "clear" = "write"): Promise<void> {
    await this.say({ kind: "token", token: await this.token(payload, operation) });
    const code = await this.code();
    if (code !== STATUS.AUTHORIZED) throw new Error(`not authorized: ${code}`);
  }

  async stage(payload: Bytes, piece = 64): Promise<void> {
    for (let offset = 0; offset < payload.length; offset += piece) {
      await this.say({ kind: "data", offset, data: payload.slice(offset, offset + piece) });
    }
  }

  async commit(payload: Bytes, changes: { sha256?: Bytes; total?: number } = {}): Promise<void> {
    const sha256 = await payloadDigest(payload);
    await this.say({ kind: "commit", sha256, total: payload.length, ...changes });
  }

  // ---- v2.0

  /** The chain on CERT in endpoint 7's order: intermediate ‖ leaf. */
  async sendChain(): Promise<void> {
    const [leaf, intermediate] = this.credential.chain as [Bytes, Bytes];
    await this.send("CERT", "CERTIFICATE_CHAIN", concat(intermediate, leaf));
  }

  async present(): Promise<Status> {
    await this.sendChain();
    return this.status();
  }

  async nonce(): Promise<Bytes> {
    return this.tag.read(UUID.NONCE.uuid);
  }

  async plainToken(
    payload: Bytes,
    operation: "write" | "clear",
    changes: Partial<TokenClaims> = {},
  ): Promise<Bytes> {
    const drawn = await this.nonce();
    const nonce = drawn.length === 16 ? drawn : new Uint8Array(16);
    const claims = { aud: TAG_ID, nonce, version: "2.0", operation } as const;
    return this.parties.tokens.sign({ ...claims, payloadDigest: await payloadDigest(payload), ...changes });
  }

  async plainTransfer(payload: Bytes, operation: "write" | "clear" = "write"): Promise<Status> {
    await this.send("AUTH", "TOKEN", await this.plainToken(payload, operation));
    const { code } = await this.status();
    if (code !== "AUTHORIZED") throw new Error(`not authorized: ${code}`);
    await this.send("DATA", "PAYLOAD", payload);
    return decodeStatus(await this.patiently(this.tag.read(UUID.STATUS.uuid)));
  }
}
