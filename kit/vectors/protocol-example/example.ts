/**
 * Computes the worked example of docs/protocol.md: one handshake in suite 6, token, records and payload. Both roles of
 * core/sec run against each other. What they do not reveal (keys, nonces, associated data) is computed here from the
 * document's formulas, and compared with their messages.
 */
import { encodePayload, payloadDigest, type TicketPayload } from "../../../core/bag/payload.ts";
import { type Bytes, concat, equalBytes, fromHex, toHex, utf8 } from "../../../core/encoding/bytes.ts";
import { encodeArray, encodeBstr, encodeTstr } from "../../../core/encoding/cbor.ts";
import { encodeInfo } from "../../../core/gatt/values.ts";
import { verifyChain } from "../../../core/pki/chain.ts";
import { EKU_CLIENT, EKU_TAG } from "../../../core/pki/profiles.ts";
import type { EdhocSession } from "../../../core/sec/authentication.ts";
import { openInitiatorChannel, openResponderChannel } from "../../../core/sec/channel.ts";
import { frames } from "../../../core/sec/framing.ts";
import { readMessage2, readMessage4, writeMessage1, writeMessage3 } from "../../../core/sec/initiator.ts";
import {
  encodeInitiatorRecord,
  encodeResponderRecord,
  type Hello,
  type InitiatorRecord,
  RECORD_KIND,
  type ResponderRecord,
} from "../../../core/sec/records.ts";
import { readMessage1, readMessage3, writeMessage2, writeMessage4 } from "../../../core/sec/responder.ts";
import { edhocKdf, toBeSigned } from "../../../core/sec/schedule.ts";
import { SUITES } from "../../../core/sec/suites.ts";
import { checkToken } from "../../../core/sec/token-check.ts";
import { recorder, type Transcript, transcriptOf } from "../../../core/vectors/transcript.ts";
import {
  type Add,
  chainsOf,
  type ExampleInputs,
  IAT,
  sign,
  statementOf,
  TAG_ID,
  TOKEN_KID,
  tokenOf,
  tokenVerificationKey,
} from "./signed.ts";

/** One value of the example: its name, how it comes about, and its bytes in hexadecimal. */
export interface Step {
  readonly part:
    | "parties"
    | "info"
    | "handshake"
    | "channel"
    | "payload"
    | "token"
    | "statement"
    | "records"
    | "frames";
  readonly name: string;
  readonly from: string;
  readonly value: string;
}

export interface Example {
  readonly steps: readonly Step[];
  /** A file for sec:verify. */
  readonly transcript: Transcript & { readonly trust_anchor_der: string; readonly tag_ca_der: string };
}

const SUITE = SUITES[6];
const FRAME = 244;
const INFO = encodeInfo({
  versionMax: 21,
  versionMin: 20,
  caps: { suite6: true, suite3: true, statement: true, button: false },
  frame: FRAME,
  maxMessage: 2048,
  state: "CONNECTED",
  flags: { lowBattery: false, displayBlank: true },
  battery: 87,
  id: TAG_ID,
});
const LABEL: TicketPayload = {
  kind: "write",
  licencePlate: "0117123456",
  name: "LOVELACE/ADA",
  from: "OSL",
  segments: [
    { flight: "SK1234", day: "22NOV", airport: "ARN" },
    { flight: "SK0999", day: "22NOV", airport: "HEL" },
  ],
  destinationCity: "HELSINKI",
  readable: "SK 123456",
  flags: 1,
};

/** The whole example. The same inputs give the same bytes. */
export async function exampleOf(inputs: ExampleInputs): Promise<Example> {
  const steps: Step[] = [];
  const part = (name: Step["part"]) => (title: string, from: string, value: Bytes) => {
    steps.push({ part: name, name: title, from, value: toHex(value) });
  };
  showParties(inputs, part("parties"));
  part("info")("INFO", "as read before message_1", INFO);
  part("info")("ID", "UTF-8", utf8(TAG_ID));
  const handshake = await shakeHands(inputs, part("handshake"));
  const keys = await channelKeys(handshake.initiator, part("channel"));
  const payload = encodePayload(LABEL);
  const digest = await payloadDigest(payload);
  part("payload")("payload", "CBOR of the label", payload);
  part("payload")("payload digest", "SHA-256(payload)", digest);
  const token = await tokenOf(inputs, { binding: keys.binding, digest }, part("token"));
  const statement = await statementOf(inputs, digest, part("statement"));
  await exchange(inputs, handshake, keys, { token, payload, digest, statement }, part("records"));
  showFrames(handshake.values, part("frames"));
  return { steps, transcript: handshake.transcript };
}

function showParties(inputs: ExampleInputs, add: Add): void {
  const show = (name: string, from: string, hex: string) => add(name, from, fromHex(hex));
  show("client root", "DER; pinned by the tag", inputs.client_root_der);
  show("intermediate", "DER", inputs.client_intermediate_der);
  show("client leaf", "DER; CRED_I", inputs.client_leaf_der);
  show("client leaf's private key", "d", inputs.client_sign_key_d);
  show("tag CA", "DER; pinned by the client", inputs.tag_ca_der);
  show("tag leaf", "DER; CRED_R", inputs.tag_leaf_der);
  show("tag leaf's private key", "d", inputs.tag_sign_key_d);
  const { x, y } = inputs.token_public_key;
  show("token key", `x | y, kid "${TOKEN_KID}"; pinned by the tag`, `${x}${y}`);
  show("token key's private key", "d", inputs.token_sign_key_d);
}

async function shakeHands(inputs: ExampleInputs, add: Add) {
  const { client, tag, clientRoot, tagCa } = chainsOf(inputs);
  const { trace, values } = recorder();
  const at = new Date(IAT * 1000);
  const initiator = {
    credential: { chain: client, sign: async (data: Bytes) => sign(inputs.client_sign_key_d, data) },
    verifyPeer: (chain: readonly Bytes[]) => verifyChain({ chain, anchors: [tagCa], eku: EKU_TAG, at }),
    suites: [6] as const,
    trace,
  };
  const responder = {
    credential: { chain: tag, sign: async (data: Bytes) => sign(inputs.tag_sign_key_d, data) },
    verifyPeer: (chain: readonly Bytes[]) => verifyChain({ chain, anchors: [clientRoot], eku: EKU_CLIENT }),
    trace,
  };
  const first = await writeMessage1(initiator, await SUITE.ecdh.fromPrivate(fromHex(inputs.X_priv)));
  const accepted = await readMessage1(responder, first.message);
  const second = await writeMessage2(accepted, await SUITE.ecdh.fromPrivate(fromHex(inputs.Y_priv)));
  const third = await writeMessage3((await readMessage2(first.state, second.message)).state);
  const verified = await readMessage3(second.state, third.message);
  const fourth = await writeMessage4(verified.state);
  const session = await readMessage4(third.state, fourth.message);
  await showHandshake(values, { client, tag }, add);
  const anchors = { trust_anchor_der: toHex(clientRoot), tag_ca_der: toHex(tagCa) };
  const transcript = { ...transcriptOf(values), ...anchors };
  return { initiator: session, responder: fourth.session, leaf: verified.peer, values, transcript };
}

interface Shown {
  readonly value: (name: string) => Bytes;
  /** Adds the value of that name as the parties computed it. */
  readonly show: (name: string, from: string) => void;
  readonly kdf: (label: number, context: Bytes, length: number) => Promise<Bytes>;
  readonly add: Add;
}

async function showHandshake(
  values: Readonly<Record<string, string>>,
  chains: { readonly client: readonly Bytes[]; readonly tag: readonly Bytes[] },
  add: Add,
): Promise<void> {
  const value = (name: string) => fromHex(values[name] ?? "");
  const shown: Shown = {
    value,
    show: (name, from) => add(name, from, value(name)),
    kdf: (label, context, length) => edhocKdf(SUITE, value("PRK_2e"), label, context, length),
    add,
  };
  shown.show("X_priv", "the client's ephemeral key");
  shown.show("message_1", "00 | 06 | bstr(G_X) | 00");
  shown.show("TH_1", "H(message_1)");
  await showMessage2(shown, chains.tag);
  await showMessage3(shown, chains.client);
  await showMessage4(shown);
}

/** ID_CRED of a plaintext: between `skip` bytes before it and the signature behind it. */
const idCredOf = (plaintext: Bytes, skip: number) => plaintext.slice(skip, plaintext.length - 66);

const claimOf = (th: Bytes, idCred: Bytes, chain: readonly Bytes[]) => ({
  idCred,
  cred: chain[0] as Bytes,
  ead: new Uint8Array(),
  th,
});

async function showMessage2({ value, show, kdf, add }: Shown, chain: readonly Bytes[]): Promise<void> {
  const idCred = idCredOf(value("PLAINTEXT_2"), 1);
  const signed = toBeSigned(claimOf(value("TH_2"), idCred, chain), value("MAC_2"));
  show("Y_priv", "the tag's ephemeral key");
  show("G_Y", "X25519(Y_priv, 9)");
  show("G_XY", "X25519(Y_priv, G_X) = X25519(X_priv, G_Y)");
  show("TH_2", "H(bstr(G_Y) | bstr(TH_1))");
  show("PRK_2e", "HMAC(TH_2, G_XY); also PRK_3e2m and PRK_4e3m");
  add("C_R", "the integer 1", Uint8Array.of(1));
  add("ID_CRED_R", "{33: bstr(tag leaf)}", idCred);
  show("MAC_2", "KDF(PRK_2e, 2, C_R | ID_CRED_R | bstr(TH_2) | bstr(CRED_R), 32)");
  add("signed by the tag", "Sig_structure of Signature_2", signed);
  show("Signature_or_MAC_2", "ES256 by the tag's key");
  show("PLAINTEXT_2", "C_R | ID_CRED_R | bstr(Signature_2)");
  const { length } = value("PLAINTEXT_2");
  add("KEYSTREAM_2", "KDF(PRK_2e, 0, TH_2, |PLAINTEXT_2|)", await kdf(0, value("TH_2"), length));
  show("message_2", "bstr(G_Y | PLAINTEXT_2 xor KEYSTREAM_2)");
}

async function showMessage3({ value, show, kdf, add }: Shown, chain: readonly Bytes[]): Promise<void> {
  const idCred = idCredOf(value("PLAINTEXT_3"), 0);
  const signed = toBeSigned(claimOf(value("TH_3"), idCred, chain), value("MAC_3"));
  const associated = [encodeTstr("Encrypt0"), encodeBstr(new Uint8Array()), encodeBstr(value("TH_3"))];
  show("TH_3", "H(bstr(TH_2) | PLAINTEXT_2 | bstr(CRED_R))");
  add("K_3", "KDF(PRK_2e, 3, TH_3, 16)", await kdf(3, value("TH_3"), 16));
  add("IV_3", "KDF(PRK_2e, 4, TH_3, 12)", await kdf(4, value("TH_3"), 12));
  add("A_3", "[\"Encrypt0\", h'', TH_3]", encodeArray(...associated));
  add("ID_CRED_I", "{33: [client leaf, intermediate]}", idCred);
  show("MAC_3", "KDF(PRK_2e, 6, ID_CRED_I | bstr(TH_3) | bstr(CRED_I), 32)");
  add("signed by the client", "Sig_structure of Signature_3", signed);
  show("Signature_or_MAC_3", "ES256 by the client's key");
  show("PLAINTEXT_3", "ID_CRED_I | bstr(Signature_3)");
  show("message_3", "bstr(AEAD(K_3, IV_3, A_3, PLAINTEXT_3))");
}

async function showMessage4({ value, show, kdf, add }: Shown): Promise<void> {
  show("TH_4", "H(bstr(TH_3) | PLAINTEXT_3 | bstr(CRED_I))");
  add("K_4", "KDF(PRK_2e, 8, TH_4, 16)", await kdf(8, value("TH_4"), 16));
  add("IV_4", "KDF(PRK_2e, 9, TH_4, 12)", await kdf(9, value("TH_4"), 12));
  show("message_4", "bstr(AEAD(K_4, IV_4, A_4, empty))");
  show("PRK_out", "KDF(PRK_2e, 7, TH_4, 32)");
  show("PRK_exporter", "KDF(PRK_out, 10, h'', 32)");
}

interface ChannelKeys {
  readonly binding: Bytes;
  readonly i2r: { readonly key: Bytes; readonly iv: Bytes };
  readonly r2i: { readonly key: Bytes; readonly iv: Bytes };
}

async function channelKeys(session: EdhocSession, add: Add): Promise<ChannelKeys> {
  const exported = async (name: string, label: number, length: number) => {
    const value = await session.export(label, length);
    add(name, `KDF(PRK_exporter, ${label}, h'', ${length})`, value);
    return value;
  };
  const [k1, k2] = [await exported("k_i2r", 32768, 16), await exported("k_r2i", 32769, 16)];
  const [iv1, iv2] = [await exported("iv_i2r", 32770, 12), await exported("iv_r2i", 32771, 12)];
  const binding = await exported("channel binding", 32772, 32);
  return { binding, i2r: { key: k1, iv: iv1 }, r2i: { key: k2, iv: iv2 } };
}

interface Content {
  readonly statement: Bytes;
  readonly token: Bytes;
  readonly payload: Bytes;
  readonly digest: Bytes;
}

type Kind = InitiatorRecord["kind"] | ResponderRecord["kind"];

/** Seals each record once more by the formulas, compares it with what was sent, and adds what it is made of. */
function recordsShown(keys: ChannelKeys, add: Add) {
  const sent = { i2r: 0, r2i: 0 };
  return async (way: "i2r" | "r2i", kind: Kind, plaintext: Bytes, record: Bytes) => {
    const sequence = sent[way]++;
    const { nonce, associated } = protectionOf(keys[way].iv, RECORD_KIND[kind], sequence, plaintext.length);
    const key = await SUITE.aead.key(keys[way].key);
    const own = concat(Uint8Array.of(RECORD_KIND[kind]), await key.seal(nonce, associated, plaintext));
    if (!equalBytes(own, record)) throw new Error(`${kind} is not what the formulas give`);
    add(`${way} ${sequence}: ${kind}`, "plaintext", plaintext);
    add(`${way} ${sequence}: nonce`, `iv_${way} xor ${sequence}`, nonce);
    add(`${way} ${sequence}: associated data`, "kind | sequence | length", associated);
    add(`${way} ${sequence}: record`, "kind | AEAD", record);
  };
}

async function exchange(
  inputs: ExampleInputs,
  { initiator, responder, leaf }: Awaited<ReturnType<typeof shakeHands>>,
  keys: ChannelKeys,
  { token, payload, digest, statement }: Content,
  add: Add,
): Promise<void> {
  const client = await openInitiatorChannel(initiator, INFO);
  const tag = await openResponderChannel(responder, INFO);
  if (!equalBytes(client.channelBinding, keys.binding)) throw new Error("another channel binding");
  const infoDigest = await SUITE.hash.digest(INFO);
  const show = recordsShown(keys, add);
  const say = async (record: InitiatorRecord) => {
    const bytes = await client.seal(record);
    await tag.open(bytes);
    await show("i2r", record.kind, encodeInitiatorRecord(record), bytes);
  };
  const answer = async (record: ResponderRecord) => {
    const bytes = await tag.seal(record);
    await client.open(bytes);
    await show("r2i", record.kind, encodeResponderRecord(record, infoDigest), bytes);
  };
  const nonce = fromHex(inputs.nonce);
  const hello: Hello = { kind: "hello", nonce, ttl: 120, id: TAG_ID, commits: 0, mark: null };
  await answer(hello);
  await say({ kind: "token", token });
  await checkToken(token, {
    path: "2.1",
    minimumVersion: "2.0",
    keys: new Map([[TOKEN_KID, await tokenVerificationKey(inputs)]]),
    deviceId: TAG_ID,
    takeNonce: () => ({ value: nonce, age: 900 }),
    nonceLifetime: 120_000,
    channelBinding: tag.channelBinding,
    leaf,
    operation: "write",
    lastSeen: 0,
  });
  await answer({ kind: "status", status: 1 });
  await say({ kind: "data", offset: 0, data: payload });
  await say({ kind: "commit", sha256: digest, total: payload.length });
  await answer({ kind: "status", status: 2 });
  await answer({ kind: "statement", statement });
}

function protectionOf(iv: Bytes, kind: number, sequence: number, length: number) {
  const counter = new Uint8Array(iv.length);
  new DataView(counter.buffer).setBigUint64(iv.length - 8, BigInt(sequence));
  const associated = new Uint8Array(11);
  const view = new DataView(associated.buffer);
  view.setUint8(0, kind);
  view.setBigUint64(1, BigInt(sequence));
  view.setUint16(9, length);
  return { nonce: iv.map((byte, i) => byte ^ (counter[i] as number)), associated };
}

function showFrames(values: Readonly<Record<string, string>>, add: Add): void {
  for (const name of ["message_1", "message_3"]) {
    const all = frames("EDHOC", fromHex(values[name] ?? ""), FRAME);
    for (const [i, frame] of all.entries())
      add(`${name}, frame ${i + 1} of ${all.length}`, `at most ${FRAME} bytes`, frame);
  }
}
