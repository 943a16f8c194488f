/**
 * A tag that answers as a test's script says: core's responder over connections of its own, without the rules of the
 * simulator. Answers that the script does not change are honest. It accepts every token, and answers at once, within the
 * write that asks.
 */
import { payloadDigest } from "../../core/bag/payload.ts";
import { type Bytes, concat, utf8 } from "../../core/encoding/bytes.ts";
import { type FrameType, type GattVersion, PROFILE, STATUS, VERSION } from "../../core/gatt/profile.ts";
import { encodeInfo, encodeStatus, type Info, type Status } from "../../core/gatt/values.ts";
import { verifyChain } from "../../core/pki/chain.ts";
import { EKU_CLIENT } from "../../core/pki/profiles.ts";
import { answerTo } from "../../core/sec/answers.ts";
import type { Peer } from "../../core/sec/authentication.ts";
import { openResponderChannel, type ResponderChannel } from "../../core/sec/channel.ts";
import { SecError } from "../../core/sec/errors.ts";
import { frames, Reassembler } from "../../core/sec/framing.ts";
import type { Hello, InitiatorRecord, ResponderRecord } from "../../core/sec/records.ts";
import {
  readMessage1,
  readMessage3,
  type WaitMessage3,
  writeMessage2,
  writeMessage4,
} from "../../core/sec/responder.ts";
import { certificateHash, commitMark, signStatement } from "../../core/sec/statement.ts";
import type { SuiteId } from "../../core/sec/suites.ts";
import { random } from "../../sim/test-support/parties.ts";
import { orCancelled, sleep } from "../abort.ts";
import { BluetoothError } from "../errors.ts";
import type { TagConnection, TagLink, TagRadio } from "../tag/link.ts";
import type { Authorities } from "./authorities.ts";

const { INFO, ID, STATUS: STATE, CERT, NONCE, AUTH, DATA } = PROFILE.characteristics;
const ROWS = {
  "2.0": [INFO, ID, STATE, CERT, NONCE, AUTH, DATA],
  "2.1": Object.values(PROFILE.characteristics),
};
/** How long the tag holds a read of SEC back (milliseconds). */
const HELD = 5_000;

/** What one connection does otherwise. */
export interface Script {
  readonly info?: Partial<Info>;
  readonly suites?: readonly SuiteId[];
  readonly hello?: Partial<Hello>;
  /** Instead of the honest answers to a record. */
  readonly answer?: (
    record: InitiatorRecord,
    honest: readonly ResponderRecord[],
  ) => readonly ResponderRecord[];
  /** Instead of the honest frames of one message of the tag. */
  readonly say?: (frames: readonly Bytes[], type: FrameType) => readonly Bytes[];
  readonly status?: (honest: Status) => Partial<Status>;
  readonly nonce?: () => Bytes;
  /** What of any value reaches the reader. */
  readonly garble?: (value: Bytes) => Bytes;
  /** When the link falls: before or after the tag does what a record, or a message of v2.0, asks. */
  readonly falls?: (message: InitiatorRecord["kind"] | FrameType) => "before" | "after" | undefined;
}

export interface ScriptedTagOptions {
  readonly id: string;
  readonly generation: GattVersion;
  readonly authorities: Authorities;
  readonly credential?: { readonly chain: readonly Bytes[]; readonly privateKey: CryptoKey };
}

/** What the tag is and remembers over its connections. */
export class ScriptedTag {
  readonly options: ScriptedTagOptions;
  readonly connections: ScriptedConnection[] = [];
  commits = 0;
  mark: Bytes | null = null;

  constructor(options: ScriptedTagOptions) {
    this.options = options;
  }

  connect(script: Script = {}): ScriptedConnection {
    const connection = new ScriptedConnection(this, script);
    this.connections.push(connection);
    return connection;
  }

  /** A radio that reaches this tag alone; its connections follow `scripts`, and the last of them from then on. */
  radio(...scripts: readonly (Script | "out of reach")[]): TagRadio {
    const link: TagLink = {
      deviceId: "scripted",
      name: "EBT-0001",
      connect: async () => {
        const script = scripts[Math.min(this.connections.length, scripts.length - 1)];
        if (script === "out of reach") throw new BluetoothError("out_of_reach", "the tag did not connect");
        return this.connect(script);
      },
    };
    return { choose: async () => link, find: async () => link, remembered: async () => [link] };
  }

  commit(mark: Bytes): void {
    this.commits++;
    this.mark = mark;
  }
}

function isRefusal(answer: ResponderRecord | undefined): boolean {
  return answer?.kind === "status" && answer.status !== STATUS.AUTHORIZED;
}

export class ScriptedConnection implements TagConnection {
  readonly openedAt = performance.now();
  /** Every record and every other message that came, and what was read, in order. */
  readonly received: InitiatorRecord[] = [];
  readonly messages: { readonly type: FrameType; readonly message: Bytes }[] = [];
  readonly said: ResponderRecord[] = [];
  readonly reads: string[] = [];
  channel: ResponderChannel | undefined;
  open = true;
  readonly #tag: ScriptedTag;
  readonly #script: Script;
  readonly #outbox: Bytes[] = [];
  #reassembler = new Reassembler(65_535);
  #waiting: WaitMessage3<Peer> | undefined;
  #staged: Bytes = new Uint8Array();
  /** The last token was refused. */
  #dropping = false;
  /** The nonce that was given last. */
  #nonce: Bytes = new Uint8Array();
  #state: Status["state"] = "CONNECTED";

  constructor(tag: ScriptedTag, script: Script) {
    this.#tag = tag;
    this.#script = script;
  }

  has(uuid: string): boolean {
    return ROWS[this.#tag.options.generation].some((row) => row.uuid === uuid);
  }

  properties(): undefined {
    return undefined;
  }

  close(): void {
    this.open = false;
  }

  read(uuid: string, signal: AbortSignal): Promise<Bytes> {
    return this.#operation(signal, async () => {
      this.reads.push(uuid);
      const value = await this.#value(uuid, signal);
      return this.#script.garble?.(value) ?? value;
    });
  }

  async #value(uuid: string, signal: AbortSignal): Promise<Bytes> {
    if (uuid === ID.uuid) return utf8(this.#tag.options.id);
    if (uuid === INFO.uuid) return encodeInfo(this.info);
    if (uuid === STATE.uuid) return encodeStatus(this.#status());
    if (uuid === NONCE.uuid) {
      this.#nonce = this.#script.nonce?.() ?? random(16);
      return this.#nonce;
    }
    return this.#outbox.shift() ?? sleep(HELD, signal).then(() => new Uint8Array());
  }

  write(uuid: string, value: Bytes, signal: AbortSignal): Promise<void> {
    return this.#operation(signal, async () => {
      const whole = this.#reassembler.push(value);
      if (whole === undefined) return;
      this.messages.push(whole);
      if (whole.type === "EDHOC") await this.#edhoc(whole.message);
      else if (whole.type === "APP") await this.#record(whole.message);
      else await this.#unlessFallen(whole.type, () => this.#plain(uuid, whole.message));
    });
  }

  async #operation<Value>(signal: AbortSignal, work: () => Promise<Value>): Promise<Value> {
    if (!this.open) throw new BluetoothError("link_lost", "the link to the tag fell");
    const value = await orCancelled(signal, work());
    if (!this.open) throw new BluetoothError("link_lost", "the link to the tag fell");
    return value;
  }

  get info(): Info {
    const version = VERSION[this.#tag.options.generation];
    return {
      versionMax: version,
      versionMin: VERSION["2.0"],
      caps: { suite6: true, suite3: true, statement: false, button: false },
      frame: 244,
      maxMessage: 2_048,
      state: "CONNECTED",
      flags: { lowBattery: false, displayBlank: true },
      battery: 87,
      id: this.#tag.options.id,
      ...this.#script.info,
    };
  }

  #status(): Status {
    const honest: Status = {
      state: this.#state,
      code: "OK",
      detail: 0,
      battery: 87,
      display: "BLANK",
      markPrefix: this.#tag.mark?.slice(0, 8) ?? new Uint8Array(8),
    };
    return { ...honest, ...this.#script.status?.(honest) };
  }

  /** What it is sent, unless the link falls before. */
  async #unlessFallen(
    message: InitiatorRecord["kind"] | FrameType,
    work: () => Promise<void>,
  ): Promise<void> {
    const falls = this.#script.falls?.(message);
    if (falls !== "before") await work();
    if (falls !== undefined) this.close();
  }

  /** v2.0: the chain, the token, the payload. */
  async #plain(uuid: string, message: Bytes): Promise<void> {
    if (uuid === CERT.uuid) this.#state = "PRESENTED";
    if (uuid === AUTH.uuid) this.#state = "AUTHORIZED";
    if (uuid !== DATA.uuid) return;
    this.#state = "COMMITTED";
    this.#tag.commit(await commitMark(this.#nonce, await payloadDigest(message)));
  }

  async #edhoc(message: Bytes): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    try {
      if (waiting === undefined) return await this.#message1(message);
      const { state } = await readMessage3(waiting, message);
      const last = await writeMessage4(state);
      this.channel = await openResponderChannel(last.session, encodeInfo(this.info));
      this.#send("EDHOC", last.message);
      await this.say(this.hello());
    } catch (error) {
      const answer = error instanceof SecError ? answerTo(error) : undefined;
      if (answer === undefined) throw error;
      this.#send(answer.type, answer.message);
    }
  }

  async #message1(message: Bytes): Promise<void> {
    const { authorities, credential } = this.#tag.options;
    if (credential === undefined) throw new Error("a v2.0 tag knows no handshake");
    const verifyPeer = (chain: readonly Bytes[]) =>
      verifyChain({ chain, anchors: [authorities.clientRoot], eku: EKU_CLIENT });
    const { suites } = this.#script;
    const accepted = await readMessage1({ credential, verifyPeer, ...(suites && { suites }) }, message);
    const second = await writeMessage2(accepted);
    this.#waiting = second.state;
    this.#send("EDHOC", second.message);
  }

  async #record(message: Bytes): Promise<void> {
    const record = await this.channel?.open(message);
    if (record === undefined) throw new Error("a record before keys");
    this.received.push(record);
    if (this.#dropping && (record.kind === "data" || record.kind === "commit")) return;
    await this.#unlessFallen(record.kind, async () => {
      const honest = await this.#honest(record);
      const answers = this.#script.answer?.(record, honest) ?? honest;
      if (record.kind === "token") this.#dropping = isRefusal(answers[0]);
      for (const answer of answers) await this.say(answer);
    });
  }

  async #honest(record: InitiatorRecord): Promise<readonly ResponderRecord[]> {
    switch (record.kind) {
      case "token":
        return [{ kind: "status", status: STATUS.AUTHORIZED }];
      case "fresh":
        return [this.hello()];
      case "data":
        this.#staged = concat(this.#staged, record.data);
        return [];
      case "commit":
        this.#tag.commit(await commitMark(this.#nonce, record.sha256));
        return [{ kind: "status", status: STATUS.COMMITTED }, ...(await this.#statement())];
      case "challenge":
        return this.#statement(record.challenge);
      case "abort":
        return [];
    }
  }

  /** Where INFO says that it signs. It knows no token: it names every commit's cti alike. */
  async #statement(challenge?: Bytes): Promise<readonly ResponderRecord[]> {
    const { credential, id } = this.#tag.options;
    if (!this.info.caps.statement || credential === undefined) return [];
    const { mark, commits } = this.#tag;
    const never = { cti: null, mark: null, operation: null };
    const last = mark === null ? never : { cti: new Uint8Array(8), mark, operation: "write" as const };
    const said = { deviceId: id, ...last, commits, ...(challenge && { challenge }) };
    const hash = await certificateHash(credential.chain[0] as Bytes);
    const key = { certificateHash: hash, privateKey: credential.privateKey };
    return [{ kind: "statement", statement: await signStatement(said, key) }];
  }

  hello(changes: Partial<Hello> = {}): Hello {
    const { commits, mark, options } = this.#tag;
    const honest: Hello = {
      kind: "hello",
      nonce: random(16),
      ttl: 120,
      id: options.id,
      commits,
      mark,
    };
    return { ...honest, ...this.#script.hello, ...changes };
  }

  /** What was staged so far. */
  get staged(): Bytes {
    return this.#staged;
  }

  async say(record: ResponderRecord): Promise<void> {
    if (this.channel === undefined) throw new Error("no keys to say it with");
    this.said.push(record);
    if (record.kind === "hello") this.#nonce = record.nonce;
    this.#send("APP", await this.channel.seal(record));
  }

  #send(type: FrameType, message: Bytes): void {
    const honest = frames(type, message, this.info.frame);
    this.#outbox.push(...(this.#script.say?.(honest, type) ?? honest));
  }
}
