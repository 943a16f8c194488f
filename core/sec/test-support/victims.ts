/**
 * One honest session per refusal case, stopped just before the message that the case forges: who reads it, the
 * honest message, and the forged one.
 */
import { type Bytes, concat, fromHex, toHex } from "../../encoding/bytes.ts";
import { encodeBstr } from "../../encoding/cbor.ts";
import { verifyChain } from "../../pki/chain.ts";
import { EKU_CLIENT, EKU_TAG } from "../../pki/profiles.ts";
import certificates from "../../vectors/certificates.json" with { type: "json" };
import { type Role, recorder } from "../../vectors/transcript.ts";
import type { Peer } from "../authentication.ts";
import { openInitiatorChannel, openResponderChannel } from "../channel.ts";
import { SecError } from "../errors.ts";
import { Reassembler } from "../framing.ts";
import { readMessage2, readMessage4, writeMessage1, writeMessage3 } from "../initiator.ts";
import { encodeIdentifier, encodeX5chain } from "../messages.ts";
import { readMessage1, readMessage3, writeMessage2, writeMessage4 } from "../responder.ts";
import { SUITES, type SuiteId } from "../suites.ts";
import { forgePlaintext, forgeRecords, traced, wrapPlaintext, wrapPlaintext2 } from "./forge.ts";
import {
  CHAINS,
  credentialOf,
  flipped,
  initiatorConfig,
  responderConfig,
  shakeHands,
  TRANSCRIPTS,
} from "./parties.ts";
import { type TokenChanges, victimOfToken } from "./token-victim.ts";

/** A case of core/vectors/sec-refusals.json; byte strings in hexadecimal, see its `source`. */
export interface RefusalCase extends TokenChanges {
  readonly at: string;
  readonly name: string;
  readonly code: string | null;
  readonly rule: string;
  /** The number of the pitfall (docs/protocol.md, Threat model). */
  readonly pitfall?: number;
  readonly suite?: number;
  readonly bytes?: string;
  readonly c_r?: string;
  readonly sent_c_r?: string;
  readonly id_cred?: string;
  readonly claimed_id_cred?: string;
  readonly cred?: string;
  readonly ead?: string;
  readonly sent_ead?: string;
  readonly signature?: string;
  readonly role?: string;
  readonly th?: string;
  readonly plaintext?: string;
  readonly kind?: number;
  readonly sequence?: number;
  readonly keys?: string;
  readonly aad_kind?: number;
  readonly aad_length?: number;
  readonly aad_sequence?: number;
  readonly frames?: readonly string[];
  readonly type?: string;
  /** message_1 as the tag receives it, where it was changed on the way. */
  readonly received?: string;
  /** SUITES_I of the client, where it is more than the one suite. */
  readonly offered?: readonly number[];
  /** INFO as the reader of a record has it, where it was changed on the way. */
  readonly info?: string;
  /** The tag the client has chosen, where it is another one. */
  readonly chosen?: string;
}

/** The reader of the forged message; `after` is what becomes of the honest one that follows a refusal. */
export interface Victim {
  readonly forged: Bytes;
  readonly honest: Bytes;
  readonly after: "STATE" | "FRAME" | "TOKEN_NONCE" | "no failure";
  read(message: Bytes): Promise<unknown>;
}

const INFO = fromHex("15150700f40000100102");

/** The victim of a case; `error` cases have none. */
export async function victimOf(refusal: RefusalCase): Promise<Victim> {
  const suite: SuiteId = refusal.suite === 3 ? 3 : 6;
  switch (refusal.at) {
    case "message_1":
      return victimOfMessage1(refusal, suite);
    case "message_2":
    case "plaintext_2":
      return victimOfMessage(2, refusal, suite);
    case "message_3":
    case "plaintext_3":
      return victimOfMessage(3, refusal, suite);
    case "message_4":
    case "plaintext_4":
      return victimOfMessage(4, refusal, suite);
    case "certificates":
      return victimOfCertificates(refusal);
    case "record_i2r":
    case "record_r2i":
      return victimOfRecord(refusal, suite);
    case "token":
      return victimOfToken(refusal);
    case "frames":
      return victimOfFrames(refusal);
    default:
      throw new Error(`unknown place ${refusal.at}`);
  }
}

/** An honest handshake with the published ephemeral keys, so that flipped bits always mean the same. */
async function begin(
  suite: SuiteId,
  verify: Partial<Record<Role, (chain: readonly Bytes[]) => Promise<Peer>>> = {},
  { offered = [suite], received }: Pick<RefusalCase, "offered" | "received"> = {},
) {
  const { X_priv, Y_priv } = (suite === 3 ? TRANSCRIPTS.suite3_chain2_both : TRANSCRIPTS.suite6_chain2_both)
    .values;
  const { ecdh } = SUITES[suite];
  const { trace, values } = recorder();
  const initiator = await initiatorConfig(offered as readonly SuiteId[]);
  const verifyTag = verify.responder ?? initiator.verifyPeer;
  const first = await writeMessage1(
    { ...initiator, verifyPeer: verifyTag, trace },
    await ecdh.fromPrivate(fromHex(X_priv)),
  );
  const base = await responderConfig([suite]);
  const responder = { ...base, verifyPeer: verify.initiator ?? base.verifyPeer };
  const gX = first.message.slice(-33, -1);
  const arrived = received === undefined ? first.message : filled(received, { G_X: gX });
  const accepted = await readMessage1({ ...responder, trace }, arrived);
  const second = await writeMessage2(accepted, await ecdh.fromPrivate(fromHex(Y_priv)));
  return { first, second, responder, values, gX };
}
type Begun = Awaited<ReturnType<typeof begin>>;

async function victimOfMessage1(refusal: RefusalCase, suite: SuiteId): Promise<Victim> {
  const { first, gX } = await begin(suite);
  const config = await responderConfig(suite === 3 ? [3] : [6, 3]);
  return {
    forged: filled(refusal.bytes ?? "", { G_X: gX }),
    honest: first.message,
    after: "no failure",
    read: async (message) => writeMessage2(await readMessage1(config, message)),
  };
}

/** A message of an honest session: what of it a case may name, and the reader that it is for. */
interface Sent {
  readonly honest: Bytes;
  readonly parts: Readonly<Record<string, Bytes>>;
  readonly read: Victim["read"];
}

function message2({ first, second, gX }: Begun): Sent {
  const content = second.message.slice(3);
  const [gY, ciphertext] = [content.slice(0, 32), content.slice(32)];
  return {
    honest: second.message,
    parts: { G_X: gX, G_Y: gY, CIPHERTEXT_2: ciphertext, MESSAGE_1: first.message },
    read: async (message) => writeMessage3((await readMessage2(first.state, message)).state),
  };
}

async function message3({ first, second }: Begun): Promise<Sent> {
  const third = await writeMessage3((await readMessage2(first.state, second.message)).state);
  return {
    honest: third.message,
    parts: { CIPHERTEXT_3: third.message.slice(3), MESSAGE_1: first.message, MESSAGE_2: second.message },
    read: async (message) => writeMessage4((await readMessage3(second.state, message)).state),
  };
}

async function message4({ first, second }: Begun): Promise<Sent> {
  const third = await writeMessage3((await readMessage2(first.state, second.message)).state);
  const fourth = await writeMessage4((await readMessage3(second.state, third.message)).state);
  return {
    honest: fourth.message,
    parts: { CIPHERTEXT_4: fourth.message.slice(1), MESSAGE_3: third.message },
    read: (message) => readMessage4(third.state, message),
  };
}

const SENT = { 2: message2, 3: message3, 4: message4 };

async function victimOfMessage(
  number: keyof typeof SENT,
  refusal: RefusalCase,
  suite: SuiteId,
  verify?: Parameters<typeof begin>[1],
): Promise<Victim> {
  const begun = await begin(suite, verify, refusal);
  const { honest, parts, read } = await SENT[number](begun);
  const forged = refusal.at.startsWith("plaintext")
    ? await wrapped(number, refusal, suite, begun)
    : await altered(refusal, honest, parts, async () => (await shakeHands([suite])).messages[number - 1]);
  return { forged, honest, after: "STATE", read };
}

async function wrapped(number: keyof typeof SENT, refusal: RefusalCase, suite: SuiteId, begun: Begun) {
  const { values } = begun;
  if (number === 4) return wrapPlaintext(suite, values, 4, filled(refusal.plaintext ?? "", {}));
  const plaintext = await plaintextOf(refusal, suite, begun);
  return number === 2 ? wrapPlaintext2(suite, values, plaintext) : wrapPlaintext(suite, values, 3, plaintext);
}

/** A sender with a chain of certificates.json, before a reader with the rules of core/pki. */
async function victimOfCertificates(refusal: RefusalCase): Promise<Victim> {
  const rows = refusal.chosen === undefined ? certificates.refused : certificates.valid;
  const entry = rows.find((row) =>
    refusal.chosen === undefined ? row.name === refusal.name : row.role === "tag",
  );
  if (entry === undefined) throw new Error(`no certificates for ${refusal.name}`);
  const der = (index: number) => fromHex(certificates.certificates[index] ?? "");
  const isClient = entry.role === "client";
  const eku = isClient ? EKU_CLIENT : EKU_TAG;
  const anchors = entry.anchors.map(der);
  const verify = async (chain: readonly Bytes[]) => {
    const leaf = await verifyChain({ chain, anchors, eku, at: new Date(entry.at) });
    if (refusal.chosen === undefined || leaf.subjectSerialNumber === refusal.chosen) return leaf;
    throw new SecError("IDENTITY", { message: "another tag than the chosen one" });
  };
  const number = isClient ? 3 : 2;
  const sent = { ...refusal, at: `plaintext_${number}`, id_cred: toHex(encodeX5chain(entry.chain.map(der))) };
  return victimOfMessage(number, sent, 6, { [isClient ? "initiator" : "responder"]: verify });
}

async function plaintextOf(refusal: RefusalCase, suite: SuiteId, { values }: Begun): Promise<Bytes> {
  const parts = certificateParts();
  const field = (hex: string | undefined, honest: Bytes) => (hex === undefined ? honest : filled(hex, parts));
  if (refusal.plaintext !== undefined) return filled(refusal.plaintext, parts);
  const [own, other]: [Role, Role] =
    refusal.at === "plaintext_2" ? ["responder", "initiator"] : ["initiator", "responder"];
  const cR = field(refusal.c_r, own === "responder" ? encodeIdentifier(Uint8Array.of(1)) : new Uint8Array());
  const idCred = field(refusal.id_cred, encodeX5chain(CHAINS[own]));
  const ead = field(refusal.ead, new Uint8Array());
  const certificate = CHAINS[own][refusal.cred === undefined ? 0 : 1] as Bytes;
  const claim = {
    idCred: field(refusal.claimed_id_cred, idCred),
    cred: certificate,
    ead,
    th: field(refusal.th, traced(values, own === "responder" ? "TH_2" : "TH_3")),
  };
  const { privateKey } = await credentialOf(refusal.signed_by === undefined ? own : other);
  const sent = { cR: field(refusal.sent_c_r, cR), idCred, ead: field(refusal.sent_ead, ead) };
  return forgePlaintext(suite, values, {
    role: refusal.role === undefined ? own : other,
    claim,
    cR,
    privateKey,
    sent: refusal.signature === undefined ? sent : { ...sent, signature: filled(refusal.signature, {}) },
  });
}

/** What carries INFO's digest to the client. */
const HELLO = {
  kind: "hello",
  nonce: new Uint8Array(16),
  ttl: 120,
  id: "ebt-21-0001",
  commits: 0,
  mark: null,
} as const;

async function victimOfRecord(refusal: RefusalCase, suite: SuiteId): Promise<Victim> {
  const session = await shakeHands([suite]);
  const source = refusal.other_session === true ? await shakeHands([suite]) : session;
  const forge = await forgeRecords(source.initiator);
  const towardsTag = refusal.at === "record_i2r";
  const read = fromHex(refusal.info ?? toHex(INFO));
  const tag = await openResponderChannel(session.responder, towardsTag ? read : INFO);
  const client = await openInitiatorChannel(session.initiator, towardsTag ? INFO : read);
  const plaintext = filled(refusal.plaintext ?? "", { INFO_DIGEST: await SUITES[suite].hash.digest(INFO) });
  const { kind = 0, sequence = 0 } = refusal;
  const forged = await forge({
    kind,
    plaintext,
    keys: (refusal.keys ?? (towardsTag ? "i2r" : "r2i")) === "i2r" ? "i2r" : "r2i",
    sequence,
    associated: {
      kind: refusal.aad_kind ?? kind,
      sequence: refusal.aad_sequence ?? sequence,
      length: refusal.aad_length ?? plaintext.length,
    },
  });
  const honest = towardsTag
    ? await client.seal({ kind: "fresh" })
    : await tag.seal(refusal.info === undefined ? { kind: "status", status: 0 } : HELLO);
  const reader = towardsTag ? tag : client;
  if (refusal.again === true) await reader.open(honest);
  const same = refusal.again === true || refusal.info !== undefined || refusal.plaintext === undefined;
  const sent = same ? await recordAltered(refusal, honest) : forged;
  return { forged: sent, honest, after: "STATE", read: (message) => reader.open(message) };
}

/** The honest record, or what a case made of its bytes. */
async function recordAltered(refusal: RefusalCase, honest: Bytes): Promise<Bytes> {
  if (refusal.cut !== undefined) return honest.slice(0, refusal.cut);
  if (refusal.flip === undefined && refusal.append === undefined) return honest;
  return altered(refusal, honest, {}, async () => honest);
}

function victimOfFrames(refusal: RefusalCase): Victim {
  const reassembler = new Reassembler(100, 20);
  const parts = (refusal.frames ?? []).map(fromHex);
  const last = parts.pop() ?? new Uint8Array();
  for (const part of parts) reassembler.push(part);
  const honest = fromHex("c07f010010");
  return { forged: last, honest, after: "FRAME", read: async (frame) => reassembler.push(frame) };
}

async function altered(
  refusal: RefusalCase,
  honest: Bytes,
  parts: Readonly<Record<string, Bytes>>,
  elsewhere: () => Promise<Bytes | undefined>,
): Promise<Bytes> {
  if (refusal.other_session === true) return (await elsewhere()) ?? honest;
  if (refusal.flip !== undefined) return flipped(honest, refusal.flip);
  if (refusal.append !== undefined) return concat(honest, fromHex(refusal.append));
  if (refusal.received !== undefined) return honest;
  return filled(refusal.bytes ?? "", parts);
}

function certificateParts(): Readonly<Record<string, Bytes>> {
  const [tagLeaf, tagCa] = CHAINS.responder as readonly [Bytes, Bytes];
  const [clientLeaf, clientCa] = CHAINS.initiator as readonly [Bytes, Bytes];
  const surplus = (der: Bytes) => encodeBstr(concat(der, Uint8Array.of(0)));
  return {
    TAG_LEAF: encodeBstr(tagLeaf),
    TAG_CA: encodeBstr(tagCa),
    CLIENT_LEAF: encodeBstr(clientLeaf),
    CLIENT_CA: encodeBstr(clientCa),
    "TAG_LEAF+00": surplus(tagLeaf),
    "CLIENT_LEAF+00": surplus(clientLeaf),
  };
}

/** Hexadecimal with spaces, and with names in braces for values of the session. */
function filled(template: string, parts: Readonly<Record<string, Bytes>>): Bytes {
  const hex = template.replaceAll(/\{([^}]+)\}/g, (_match, name: string) => {
    const part = parts[name];
    if (part === undefined) throw new Error(`no ${name} here`);
    return toHex(part);
  });
  return fromHex(hex.replaceAll(" ", ""));
}
