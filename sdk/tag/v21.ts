/**
 * GATT v2.1: the client's half of SEC (docs/protocol.md). {@link secureV21} is the handshake, one function of
 * core/sec per message; what it returns is the session. Nothing but the handshake is sent before message_4 verified.
 */
import { type Bytes, toHex } from "../../core/encoding/bytes.ts";
import { openChannel } from "../../core/sec/channel.ts";
import type { Credential, Peer } from "../../core/sec/credential.ts";
import { SecError } from "../../core/sec/errors.ts";
import { readMessage2, readMessage4, writeMessage1, writeMessage3 } from "../../core/sec/initiator.ts";
import type { Session } from "../../core/sec/session.ts";
import { nextSuites, SUITES, type SuiteId } from "../../core/sec/suites.ts";
import type { Trace } from "../../core/sec/trace.ts";
import { ClientSteps } from "./client-table.ts";
import { SecPipe } from "./message-pipe.ts";
import { translated } from "./sec-errors.ts";
import type { SecuredTag } from "./secured-tag.ts";
import type { OpenTag } from "./tag.ts";
import { V21Session } from "./v21-session.ts";

/** How long the client reads again for one message, in milliseconds: the tag's own handshake timer is 30 s. */
const PATIENCE = 20_000;

export interface SecureOptions {
  readonly credential: Credential;
  /** Chain, EKU and device id of the tag's certificate; throws SecError. */
  readonly verifyTag: (chain: readonly Bytes[], deviceId: string) => Promise<Peer>;
  /** SUITES_R this tag answered on an earlier connection. */
  readonly knownSuites?: readonly number[] | undefined;
  readonly onSuites?: (suitesR: readonly number[]) => void;
  /** Told every value of a finished handshake, secrets included, by the names of transcripts; hexadecimal. */
  readonly onHandshake?: ((values: Readonly<Record<string, string>>) => void) | undefined;
}

/**
 * Handshake, then the tag's hello. Throws {@link TagError} `untrusted_tag`, `wrong_tag`, `client_refused`,
 * `secure_session_failed`, `tag_busy`, `lockout`; BluetoothError; `cancelled`. The connection is closed then.
 */
export async function secureV21(
  tag: OpenTag,
  options: SecureOptions,
  signal: AbortSignal,
): Promise<SecuredTag> {
  try {
    const pipe = new SecPipe(tag.connection, tag.info);
    const steps = new ClientSteps();
    const finish = await handshake({ tag, pipe, steps, signal }, options);
    const standing = await steps.take("WAIT_M4", async () => {
      const session = await finish();
      const channel = await openChannel(session, "initiator", tag.infoBytes);
      const hello = await channel.open(await pipe.receive("APP", PATIENCE, signal));
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
interface Attempt {
  readonly tag: OpenTag;
  readonly pipe: SecPipe;
  readonly steps: ClientSteps;
  readonly signal: AbortSignal;
}

/** Reads message_4. */
type Finish = () => Promise<Session<Peer>>;

interface Refused {
  readonly suitesR: readonly number[];
}

/** From INFO to WAIT_M4, by the first suite both have. */
async function handshake(attempt: Attempt, options: SecureOptions): Promise<Finish> {
  const refused: SuiteId[] = [];
  for (let suites = nextSuites(options.knownSuites); suites !== undefined; ) {
    const outcome = await handshakeWith(suites, attempt, options);
    if (typeof outcome === "function") return outcome;
    refused.push(...suites.slice(-1));
    suites = nextSuites(outcome.suitesR, refused);
    if (suites !== undefined) options.onSuites?.(outcome.suitesR);
  }
  throw new SecError("SUITE", { message: "nothing in common" });
}

async function handshakeWith(
  suites: readonly SuiteId[],
  { tag, pipe, steps, signal }: Attempt,
  { credential, verifyTag, onHandshake }: SecureOptions,
): Promise<Finish | Refused> {
  const verifyPeer = (chain: readonly Bytes[]) => verifyTag(chain, tag.id);
  const recording = onHandshake && (await startRecording(suites));
  const config = { credential, suites, verifyPeer, ...(recording && { trace: recording.trace }) };
  const first = await steps.take("INFO", async () => {
    const { message, state } = await writeMessage1(config, recording?.ephemeral);
    await pipe.send("EDHOC", message, signal);
    return ["message1", state];
  });
  return steps.take<Finish | Refused>("WAIT_M2", async () => {
    const answer = await pipe.receive("EDHOC", PATIENCE, signal).catch(suiteRefusal);
    if ("suitesR" in answer) return ["suiteRefused", answer];
    const second = await readMessage2(first, answer);
    const { message, state } = await writeMessage3(second.state);
    await pipe.send("EDHOC", message, signal);
    const finish: Finish = async () => {
      const session = await readMessage4(state, await pipe.receive("EDHOC", PATIENCE, signal));
      if (recording) onHandshake?.(recording.values);
      return session;
    };
    return ["message2", finish];
  });
}

/** EDHOC error 2 is an answer; every other failure stays one. */
function suiteRefusal(error: unknown): Refused {
  if (error instanceof SecError && error.code === "SUITE" && error.suitesR !== undefined)
    return { suitesR: error.suitesR };
  throw error;
}

/** Values by name, and an ephemeral key whose private half can be among them. */
async function startRecording(suites: readonly SuiteId[]) {
  const values: Record<string, string> = {};
  const trace: Trace = (name, value) => {
    values[name] = toHex(value);
  };
  const { ecdh } = SUITES[suites.at(-1) as SuiteId];
  return { values, trace, ephemeral: await ecdh.fromPrivate(crypto.getRandomValues(new Uint8Array(32))) };
}
