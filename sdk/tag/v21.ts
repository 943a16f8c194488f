/**
 * GATT v2.1: the client's half of SEC (docs/protocol.md). {@link secureV21} is the handshake, one function of
 * core/sec per message; it returns a {@link V21Session}. Until message_4 has verified, only the handshake is
 * sent.
 */
import { type Bytes, equalBytes, toHex } from "../../core/encoding/bytes.ts";
import { PROFILE, STATUS } from "../../core/gatt/profile.ts";
import type { Info } from "../../core/gatt/values.ts";
import type { Credential, EdhocSession, Peer, Trace } from "../../core/sec/authentication.ts";
import { type InitiatorChannel, openInitiatorChannel } from "../../core/sec/channel.ts";
import { SecError } from "../../core/sec/errors.ts";
import { readMessage2, readMessage4, writeMessage1, writeMessage3 } from "../../core/sec/initiator.ts";
import type { Hello, InitiatorRecord } from "../../core/sec/records.ts";
import { certificateHash, decodeStatement } from "../../core/sec/statement.ts";
import { nextSuites, SUITES, type SuiteId } from "../../core/sec/suites.ts";
import { TagError } from "../errors.ts";
import { type ClientEvent, type ClientState, ClientSteps } from "./client-table.ts";
import { SecPipe } from "./message-pipe.ts";
import { refusalOf, translated } from "./sec-errors.ts";
import type { Delivery, LastCommit, SecuredTag, SignedStatement, TagNonce } from "./secured-tag.ts";
import type { OpenTag } from "./tag.ts";

/** How long the client reads again for one answer, in milliseconds: the tag's own handshake timer is 30 s. */
const PATIENCE = { message: 20_000, display: 60_000, statement: 8_000 } as const;

export interface SecureOptions {
  readonly credential: Credential;
  /** Verifies chain, EKU and device id of the tag's certificate; throws SecError. */
  readonly verifyTag: (chain: readonly Bytes[], deviceId: string) => Promise<Peer>;
  /** Frames in a row may be written without responses, where tag and platform are safe without; not after a loss. */
  readonly hurry?: boolean;
  /** SUITES_R that this tag sent on an earlier connection. */
  readonly knownSuites?: readonly number[] | undefined;
  readonly onSuites?: (suitesR: readonly number[]) => void;
  /**
   * Gets every value of a finished handshake, secrets included, under its name in transcripts; hexadecimal.
   */
  readonly onHandshake?: ((values: Readonly<Record<string, string>>) => void) | undefined;
}

/**
 * Handshake, then the tag's hello. Throws {@link TagError} `untrusted_tag`, `wrong_tag`, `client_refused`,
 * `secure_session_failed`, `tag_busy`, `lockout`; BluetoothError; `cancelled`. On failure the connection is
 * closed.
 */
export async function secureV21(
  tag: OpenTag,
  options: SecureOptions,
  signal: AbortSignal,
): Promise<SecuredTag> {
  try {
    const pipe = new SecPipe(tag.connection, tag.info, options.hurry);
    const steps = new ClientSteps();
    const finish = await handshake({ tag, pipe, steps, signal }, options);
    const standing = await steps.take("WAIT_M4", async () => {
      const session = await finish();
      const channel = await openInitiatorChannel(session, tag.infoBytes);
      const hello = await channel.open(await pipe.receive("APP", PATIENCE.message, signal));
      if (hello.kind !== "hello") throw new SecError("RECORD", { message: "no hello" });
      if (hello.id !== tag.id) throw new SecError("IDENTITY", { message: "hello names another id" });
      return ["message4", { pipe, channel, hello, certificate: session.peerChain[0], steps }];
    });
    return new V21Session(tag, standing);
  } catch (error) {
    tag.connection.close();
    throw translated(error);
  }
}

/** One connection on its way to a session. */
interface Handshake {
  readonly tag: OpenTag;
  readonly pipe: SecPipe;
  readonly steps: ClientSteps;
  readonly signal: AbortSignal;
}

/** Reads message_4. */
type Finish = () => Promise<EdhocSession<Peer>>;

interface Refused {
  readonly suitesR: readonly number[];
}

/** From INFO to WAIT_M4, with the first suite that both support. */
async function handshake(ongoing: Handshake, options: SecureOptions): Promise<Finish> {
  const refused: SuiteId[] = [];
  for (let suites = nextSuites(options.knownSuites); suites !== undefined; ) {
    const outcome = await handshakeWith(suites, ongoing, options);
    if (typeof outcome === "function") return outcome;
    refused.push(...suites.slice(-1));
    suites = nextSuites(outcome.suitesR, refused);
    if (suites !== undefined) options.onSuites?.(outcome.suitesR);
  }
  throw new SecError("SUITE", { message: "nothing in common" });
}

async function handshakeWith(
  suites: readonly SuiteId[],
  { tag, pipe, steps, signal }: Handshake,
  { credential: own, verifyTag, onHandshake }: SecureOptions,
): Promise<Finish | Refused> {
  // A recorded handshake keeps the whole chain, so that it can be verified by itself.
  const credential = onHandshake ? own : await shortened(own, tag.info);
  const verifyPeer = (chain: readonly Bytes[]) => verifyTag(chain, tag.id);
  const recording = onHandshake && (await startRecording(suites));
  const config = { credential, suites, verifyPeer, ...(recording && { trace: recording.trace }) };
  const first = await steps.take("INFO", async () => {
    const { message, state } = await writeMessage1(config, recording?.ephemeral);
    await pipe.send("EDHOC", message, signal);
    return ["message1", state];
  });
  return steps.take<Finish | Refused>("WAIT_M2", async () => {
    const answer = await pipe.receive("EDHOC", PATIENCE.message, signal).catch(suiteRefusal);
    if ("suitesR" in answer) return ["suiteRefused", answer];
    const second = await readMessage2(first, answer);
    const { message, state } = await writeMessage3(second.state);
    await pipe.send("EDHOC", message, signal);
    const finish: Finish = async () => {
      const session = await readMessage4(state, await pipe.receive("EDHOC", PATIENCE.message, signal));
      if (recording) onHandshake?.(recording.values);
      return session;
    };
    return ["message2", finish];
  });
}

/** The leaf alone, where the tag says that it knows the intermediate (protocol.md, Credentials). */
async function shortened(own: Credential, { intermediate: known }: Info): Promise<Credential> {
  const [leaf, intermediate] = own.chain;
  if (leaf === undefined || intermediate === undefined || known === undefined) return own;
  return equalBytes(await certificateHash(intermediate), known) ? { ...own, chain: [leaf] } : own;
}

/** EDHOC error 2 is an answer; every other failure is thrown again. */
function suiteRefusal(error: unknown): Refused {
  if (error instanceof SecError && error.code === "SUITE" && error.suitesR !== undefined)
    return { suitesR: error.suitesR };
  throw error;
}

/** Records values by name, with an ephemeral key whose private half can be recorded as well. */
async function startRecording(suites: readonly SuiteId[]) {
  const values: Record<string, string> = {};
  const trace: Trace = (name, value) => {
    values[name] = toHex(value);
  };
  const { ecdh } = SUITES[suites.at(-1) as SuiteId];
  return { values, trace, ephemeral: await ecdh.fromPrivate(crypto.getRandomValues(new Uint8Array(32))) };
}

const DATA = PROFILE.characteristics.DATA.uuid;
const FOLLOWED = { followed: true } as const;

/** kind, CBOR heads and the AEAD's tag around the bytes of one data record. */
const DATA_OVERHEAD = 32;

/** The result of a handshake. */
export interface Standing {
  readonly pipe: SecPipe;
  readonly channel: InitiatorChannel;
  readonly hello: Hello;
  readonly certificate: Bytes | undefined;
  readonly steps: ClientSteps;
}

/**
 * An established session: protected records over SEC and DATA. Each step is taken from one state of the
 * client's table.
 */
export class V21Session implements SecuredTag {
  readonly generation = "2.1";
  readonly id: string;
  readonly channelBinding: Bytes;
  readonly certificate?: Bytes;
  readonly lastCommit: LastCommit;
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
    this.lastCommit = { commits: hello.commits, ...(hello.mark && { mark: hello.mark }) };
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

  /**
   * Token, payload and commit leave without a wait between them: the tag acts on them in order, and drops what follows a
   * token that it refuses.
   */
  async write(token: Bytes, delivery: Delivery, signal: AbortSignal): Promise<void> {
    await this.#from("ESTABLISHED", async () => {
      const sealed = await this.#channel.seal({ kind: "token", token });
      await this.#pipe.send("APP", sealed, signal, FOLLOWED);
      await this.#sendPayload(delivery, signal);
      const { digest: sha256, payload } = delivery;
      const commit = await this.#channel.seal({ kind: "commit", sha256, total: payload.length });
      await delivery.onCommit();
      await this.#pipe.send("APP", commit, signal);
      return "payload";
    });
    let refused: TagError | undefined;
    await this.#from("WRITING", async () => {
      const answer = await this.#status(PATIENCE.message, signal);
      if (answer === STATUS.LOCKOUT) throw refusalOf(answer);
      if (answer !== STATUS.AUTHORIZED) {
        refused = refusalOf(answer);
        await this.#takeHello(signal);
        return "tokenRefused";
      }
      const outcome = await this.#status(PATIENCE.display, signal);
      if (outcome !== STATUS.COMMITTED) throw refusalOf(outcome);
      return "committed";
    });
    if (refused !== undefined) throw refused;
  }

  async #sendPayload({ payload, onProgress }: Delivery, signal: AbortSignal): Promise<void> {
    const longest = this.#tag.info.maxMessage - DATA_OVERHEAD;
    for (let offset = 0; offset < payload.length; offset += longest) {
      const data = payload.slice(offset, offset + longest);
      const message = await this.#channel.seal({ kind: "data", offset, data });
      const frame = (fraction: number) => onProgress((offset + fraction * data.length) / payload.length);
      await this.#pipe.send("APP", message, signal, { ...FOLLOWED, uuid: DATA, frame });
    }
  }

  async statement(signal: AbortSignal, challenge?: Bytes): Promise<SignedStatement | undefined> {
    if (!this.#tag.info.caps.statement) return undefined;
    let signed: SignedStatement | undefined;
    await this.#from(challenge === undefined ? "COMMITTED" : "ESTABLISHED", async () => {
      if (challenge !== undefined) await this.#say({ kind: "challenge", challenge }, signal);
      const record = await this.#channel.open(await this.#pipe.receive("APP", PATIENCE.statement, signal));
      if (record.kind === "status") throw refusalOf(record.status);
      if (record.kind !== "statement") throw new TagError("protocol", "the tag gave no statement");
      signed = { bytes: record.statement, statement: decodeStatement(record.statement).statement };
      return "statement";
    });
    return signed;
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
    const record = await this.#channel.open(await this.#pipe.receive("APP", PATIENCE.message, signal));
    if (record.kind === "status") throw refusalOf(record.status);
    if (record.kind !== "hello") throw new TagError("protocol", "the tag gave no hello");
    if (record.id !== this.id) throw new TagError("wrong_tag", "hello names another id");
    this.#nonce = nonceOf(record);
  }
}

function nonceOf(hello: Hello): TagNonce {
  return { value: hello.nonce, readAt: performance.now() };
}
