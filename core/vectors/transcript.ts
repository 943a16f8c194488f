/**
 * Transcripts of whole handshakes: recorded by either side, and replayed value by value through both roles. The
 * file format is that of core/vectors/edhoc-method0-x5chain.json: every byte string in hexadecimal.
 */
import { type Bytes, equalBytes, fromHex, toHex } from "../encoding/bytes.ts";
import { CborReader } from "../encoding/cbor.ts";
import type {
  Credential,
  EdhocSession,
  Peer,
  Trace,
  TraceName,
  VerificationOnly,
} from "../sec/authentication.ts";
import { SecError } from "../sec/errors.ts";
import { readMessage2, readMessage4, writeMessage1, writeMessage3 } from "../sec/initiator.ts";
import { decodeMessage1, decodePlaintext2, decodePlaintext3 } from "../sec/messages.ts";
import { readMessage1, readMessage3, writeMessage2, writeMessage4 } from "../sec/responder.ts";
import { type Suite, type SuiteId, suiteOf } from "../sec/suites.ts";

/** One handshake as a file has it. Whatever is not needed for the replay may be there too. */
export interface Transcript {
  readonly method: number;
  readonly suite: number;
  /** SUITES_I. */
  readonly suites_offered: readonly number[];
  /** The integer that travels, or a byte string in hexadecimal. */
  readonly C_I: number | string;
  readonly C_R: number | string;
  /** DER, leaf first. */
  readonly initiator_chain_der: readonly string[];
  readonly responder_chain_der: readonly string[];
  /** ID_CRED_x where it is a reference instead of `x5chain`. */
  readonly ID_CRED_I?: string;
  readonly ID_CRED_R?: string;
  /** Messages, one ephemeral private key at least, the signatures, and any other value to be compared. */
  readonly values: Readonly<Record<string, string>>;
}

export type Role = "initiator" | "responder";

/** What became of a replay: how many values were equal, or the first thing that was not as recorded. */
export type TranscriptReport =
  | { readonly ok: true; readonly compared: number }
  | ({ readonly ok: false; readonly value: string; readonly replayedAs?: Role } & Difference);

/** Why a value is not right; `recorded` and `computed` (hexadecimal) where both exist. */
interface Difference {
  readonly reason: string;
  readonly recorded?: string;
  readonly computed?: string;
}

/** Verifies a chain of either side (leaf first) and gives its leaf's key. */
export type VerifyChainOf = (side: Role, chain: readonly Bytes[]) => Promise<Peer>;

/**
 * Replays a transcript as Initiator (if it has X_priv) and as Responder (if it has Y_priv) and compares every value
 * it has. The recorded signatures are checked and then taken, because ECDSA is randomised. Never rejects because of
 * what a transcript says.
 */
export async function verifyTranscript(
  transcript: Transcript,
  verifyChain: VerifyChainOf,
): Promise<TranscriptReport> {
  const { values } = transcript;
  const seen = new Set<string>();
  let compared = 0;
  for (const role of ["initiator", "responder"] as const) {
    if (values[role === "initiator" ? "X_priv" : "Y_priv"] === undefined) continue;
    const comparison = new Comparison(values, seen);
    const failure = await failureOf(() => replay(role, transcript, verifyChain, comparison));
    if (comparison.difference !== undefined) return { ok: false, replayedAs: role, ...comparison.difference };
    if (failure !== undefined)
      return { ok: false, replayedAs: role, value: comparison.last, reason: failure };
    compared += comparison.equal;
  }
  if (seen.size === 0)
    return { ok: false, value: "X_priv", reason: "no ephemeral private key to replay with" };
  const unknown = Object.keys(values).find((name) => !seen.has(name));
  if (unknown !== undefined) return { ok: false, value: unknown, reason: "no value of this handshake" };
  return { ok: true, compared };
}

async function failureOf(run: () => Promise<void>): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : "failed";
  }
}

/** Compares traced values with recorded ones and keeps the first difference. */
class Comparison {
  readonly #recorded: Readonly<Record<string, string>>;
  readonly #seen: Set<string>;
  difference: ({ readonly value: string } & Difference) | undefined;
  equal = 0;
  last = "message_1";

  constructor(recorded: Readonly<Record<string, string>>, seen: Set<string>) {
    this.#recorded = recorded;
    this.#seen = seen;
  }

  readonly trace = (name: string, value: Bytes): void => {
    const recorded = this.#recorded[name];
    this.last = name;
    this.#seen.add(name);
    if (recorded === undefined || this.difference !== undefined) return;
    const computed = toHex(value);
    if (recorded.toLowerCase() === computed) this.equal++;
    else this.difference = { value: name, reason: "differs", recorded, computed };
  };

  /** Checks recorded exports with an empty context, named `exporter_LABEL_empty_LENGTH`. */
  async exports(session: EdhocSession): Promise<void> {
    for (const name of Object.keys(this.#recorded)) {
      const match = /^exporter_(\d+)_empty_(\d+)$/.exec(name);
      if (match === null) continue;
      this.trace(name, await session.export(Number(match[1]), Number(match[2])));
    }
  }
}

async function replay(
  role: Role,
  transcript: Transcript,
  verifyChain: VerifyChainOf,
  comparison: Comparison,
) {
  if (transcript.method !== 0) throw new SecError("MESSAGE", { message: "method" });
  const suite = suiteOf(transcript.suite);
  if (suite === undefined || transcript.suites_offered.at(-1) !== suite.id) {
    throw new SecError("SUITE", { message: `suite ${transcript.suite} is unknown or not the selected one` });
  }
  const side = await sideOf(role, transcript, suite, verifyChain);
  const config = { ...side, trace: comparison.trace as Trace };
  const session =
    role === "initiator"
      ? await replayInitiator(transcript, suite, config)
      : await replayResponder(transcript, suite, config);
  await comparison.exports(session);
  session.destroy();
}

type Config = Awaited<ReturnType<typeof sideOf>> & { readonly trace: Trace };

async function replayInitiator(transcript: Transcript, suite: Suite, config: Config): Promise<EdhocSession> {
  const ephemeral = await suite.ecdh.fromPrivate(value(transcript, "X_priv"));
  const suites = transcript.suites_offered as readonly SuiteId[];
  const first = await writeMessage1({ ...config, suites }, ephemeral);
  const second = await readMessage2(first.state, value(transcript, "message_2"));
  const third = await writeMessage3(second.state);
  return readMessage4(third.state, value(transcript, "message_4"));
}

async function replayResponder(transcript: Transcript, suite: Suite, config: Config): Promise<EdhocSession> {
  const first = await readMessage1({ ...config, suites: [suite.id] }, value(transcript, "message_1"));
  const second = await writeMessage2(first, await suite.ecdh.fromPrivate(value(transcript, "Y_priv")));
  const third = await readMessage3(second.state, value(transcript, "message_3"));
  return (await writeMessage4(third.state)).session;
}

/** The part of the configuration that both roles share, for one side of a transcript. */
async function sideOf(role: Role, transcript: Transcript, suite: Suite, verifyChain: VerifyChainOf) {
  const initiator = role === "initiator";
  const chains = {
    initiator: transcript.initiator_chain_der.map(fromHex),
    responder: transcript.responder_chain_der.map(fromHex),
  };
  const other: Role = initiator ? "responder" : "initiator";
  const own = await verifyChain(role, chains[role]);
  const [ownIdCred, peerIdCred] = initiator
    ? [transcript.ID_CRED_I, transcript.ID_CRED_R]
    : [transcript.ID_CRED_R, transcript.ID_CRED_I];
  return {
    credential: replayed(chains[role], suite, own, signatureOf(role, transcript)),
    verifyPeer: (chain: readonly Bytes[]) => verifyChain(other, chain),
    connectionIdentifier: identifier(initiator ? transcript.C_I : transcript.C_R),
    ...(ownIdCred !== undefined && peerIdCred !== undefined
      ? { verificationOnly: references(fromHex(ownIdCred), fromHex(peerIdCred), chains[other]) }
      : {}),
  };
}

/** A credential that "signs" with the recorded signature, once it has verified over what shall be signed now. */
function replayed(chain: readonly Bytes[], suite: Suite, own: Peer, signature: Bytes): Credential {
  return {
    chain,
    async sign(toBeSigned) {
      if (await suite.signature.verify(own.publicKey, signature, toBeSigned)) return signature;
      throw new SecError("AUTH_FAIL", { message: "the recorded signature does not verify" });
    },
  };
}

function references(idCred: Bytes, peerIdCred: Bytes, peerChain: readonly Bytes[]): VerificationOnly {
  return { idCred, resolve: (received) => (equalBytes(received, peerIdCred) ? peerChain : undefined) };
}

function signatureOf(role: Role, transcript: Transcript): Bytes {
  const [signature, plaintext] =
    role === "initiator"
      ? (["Signature_or_MAC_3", "PLAINTEXT_3"] as const)
      : (["Signature_or_MAC_2", "PLAINTEXT_2"] as const);
  if (transcript.values[signature] !== undefined) return value(transcript, signature);
  const decode = role === "initiator" ? decodePlaintext3 : decodePlaintext2;
  return decode(value(transcript, plaintext)).signature;
}

function identifier(recorded: number | string): Bytes {
  if (typeof recorded === "string") return fromHex(recorded);
  return Uint8Array.of(recorded < 0 ? 0x1f - recorded : recorded);
}

function value({ values }: Pick<Transcript, "values">, name: TraceName): Bytes {
  const hex = values[name];
  if (hex === undefined) throw new SecError("MESSAGE", { message: `${name} is missing` });
  return fromHex(hex);
}

/** Collects the values of one side; `values` has the form of {@link Transcript.values}. */
export function recorder(): { readonly trace: Trace; readonly values: Readonly<Record<string, string>> } {
  const values: Record<string, string> = {};
  const trace: Trace = (name, bytes) => {
    values[name] = toHex(bytes);
  };
  return { values, trace };
}

/**
 * The file of one finished handshake, from what the recorder of either side holds. It contains that side's secrets.
 * Throws `MESSAGE` where the handshake did not come as far as message_3.
 */
export function transcriptOf(values: Readonly<Record<string, string>>): Transcript {
  const { method, suitesI, cI } = decodeMessage1(value({ values }, "message_1"));
  const second = decodePlaintext2(value({ values }, "PLAINTEXT_2"));
  const third = decodePlaintext3(value({ values }, "PLAINTEXT_3"));
  const references = {
    ...(third.chain === undefined ? { ID_CRED_I: toHex(third.idCred) } : {}),
    ...(second.chain === undefined ? { ID_CRED_R: toHex(second.idCred) } : {}),
  };
  return {
    method,
    suite: suitesI.at(-1) as number,
    suites_offered: suitesI,
    C_I: recordedIdentifier(cI),
    C_R: recordedIdentifier(second.cR),
    initiator_chain_der: (third.chain ?? []).map(toHex),
    responder_chain_der: (second.chain ?? []).map(toHex),
    ...references,
    values,
  };
}

function recordedIdentifier(encoded: Bytes): number | string {
  const reader = new CborReader(encoded);
  return reader.peek() === "int" ? reader.int() : toHex(reader.bstr());
}
