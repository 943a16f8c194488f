/**
 * Messages that no honest side would write. The attacker here holds the session's secrets (they come from an honest
 * side's trace) and the honest side's certified key: it can do everything, and deviates in one thing.
 */
import { type Bytes, concat, fromHex } from "../../encoding/bytes.ts";
import { encodeBstr } from "../../encoding/cbor.ts";
import { Writer } from "../../encoding/cursor.ts";
import type { EdhocSession, TraceName } from "../authentication.ts";
import { encodeMessage2 } from "../messages.ts";
import { type Claim, mac2, mac3, maskPlaintext2, sealMessage, toBeSigned } from "../schedule.ts";
import { SUITES, type SuiteId } from "../suites.ts";

type Values = Readonly<Record<string, string>>;
export const traced = (values: Values, name: TraceName): Bytes => fromHex(values[name] ?? "");

/** The parts of PLAINTEXT_2 or 3, encoded: as signed over, and as sent. */
export interface ForgedPlaintext {
  readonly role: "initiator" | "responder";
  readonly claim: Claim;
  /** C_R as signed over; empty for PLAINTEXT_3. */
  readonly cR: Bytes;
  readonly privateKey: CryptoKey;
  readonly sent: {
    readonly cR: Bytes;
    readonly idCred: Bytes;
    readonly ead: Bytes;
    readonly signature?: Bytes;
  };
}

/** A plaintext whose signature is valid over what `claim` says, whatever is sent. */
export async function forgePlaintext(id: SuiteId, values: Values, forged: ForgedPlaintext): Promise<Bytes> {
  const suite = SUITES[id];
  const prk = traced(values, "PRK_2e");
  const { role, claim, cR, privateKey, sent } = forged;
  const mac = role === "responder" ? await mac2(suite, prk, cR, claim) : await mac3(suite, prk, claim);
  const signature = await suite.signature.sign(privateKey, toBeSigned(claim, mac));
  return concat(sent.cR, sent.idCred, sent.signature ?? encodeBstr(signature), sent.ead);
}

/** message_2 around any plaintext. */
export async function wrapPlaintext2(id: SuiteId, values: Values, plaintext: Bytes): Promise<Bytes> {
  const [prk, th2, gY] = [traced(values, "PRK_2e"), traced(values, "TH_2"), traced(values, "G_Y")];
  return encodeMessage2({ gY, ciphertext: await maskPlaintext2(SUITES[id], prk, th2, plaintext) });
}

/** message_3 or message_4 around any plaintext, sealed with the real key. */
export async function wrapPlaintext(
  id: SuiteId,
  values: Values,
  which: 3 | 4,
  plaintext: Bytes,
): Promise<Bytes> {
  const th = traced(values, which === 3 ? "TH_3" : "TH_4");
  return encodeBstr(await sealMessage(SUITES[id], traced(values, "PRK_2e"), which, th, plaintext));
}

/** What deviates in a record; the sequence number is honestly 0. */
export interface ForgedRecord {
  readonly kind: number;
  readonly plaintext: Bytes;
  readonly keys: "i2r" | "r2i";
  readonly sequence: number;
  readonly associated: { readonly kind: number; readonly sequence: number; readonly length: number };
}

/**
 * Seals a record with keys exported from the session, as protocol.md, Records, describes it and not as channel.ts does it.
 * The session must not be used up yet.
 */
export async function forgeRecords(session: EdhocSession) {
  const { suite } = session;
  const exported = async (key: number, iv: number) => ({
    key: await suite.aead.key(await session.export(key, suite.aead.keyLength)),
    iv: await session.export(iv, suite.aead.nonceLength),
  });
  const directions = { i2r: await exported(32768, 32770), r2i: await exported(32769, 32771) };
  return async ({ kind, plaintext, keys, sequence, associated }: ForgedRecord): Promise<Bytes> => {
    const { key, iv } = directions[keys];
    const counter = new Uint8Array(iv.length);
    new DataView(counter.buffer).setBigUint64(iv.length - 8, BigInt(sequence));
    const nonce = iv.map((byte, i) => byte ^ (counter[i] as number));
    const data = new Writer().u8(associated.kind).u64be(associated.sequence).u16be(associated.length).bytes();
    return concat(Uint8Array.of(kind), await key.seal(nonce, data, plaintext));
  };
}
