/**
 * The key schedule and the authenticated content of EDHOC for method 0 (RFC 9528 §4, §5.3–5.5). In method 0
 * PRK_4e3m = PRK_3e2m = PRK_2e, so one `prk` serves throughout. `cred` is CRED_x: the leaf's DER, wrapped once here.
 */
import { type Bytes, concat, utf8 } from "../encoding/bytes.ts";
import { encodeArray, encodeBstr, encodeInt, encodeTstr } from "../encoding/cbor.ts";
import type { Suite } from "./suites.ts";

/** Labels of EDHOC_KDF (§4.1.2). */
const LABEL = {
  KEYSTREAM_2: 0,
  MAC_2: 2,
  K_3: 3,
  IV_3: 4,
  MAC_3: 6,
  PRK_OUT: 7,
  K_4: 8,
  IV_4: 9,
  PRK_EXPORTER: 10,
} as const;

/** Longest output of HKDF-Expand with SHA-256, hence of PLAINTEXT_2 (§5.3.2). */
export const LONGEST_PLAINTEXT_2 = 255 * 32;

/** EDHOC_KDF (§4.1.2): `length` bytes. */
export async function edhocKdf(
  suite: Suite,
  prk: Bytes,
  label: number,
  context: Bytes,
  length: number,
): Promise<Bytes> {
  return suite.hash.expand(prk, concat(encodeInt(label), encodeBstr(context), encodeInt(length)), length);
}

/** TH_2 = H( G_Y, H(message_1) ). */
export async function transcriptHash2(suite: Suite, gY: Bytes, hashOfMessage1: Bytes): Promise<Bytes> {
  return suite.hash.digest(concat(encodeBstr(gY), encodeBstr(hashOfMessage1)));
}

/** TH_3 = H( TH_2, PLAINTEXT_2, CRED_R ) and TH_4 = H( TH_3, PLAINTEXT_3, CRED_I ). */
export async function nextTranscriptHash(
  suite: Suite,
  previous: Bytes,
  plaintext: Bytes,
  cred: Bytes,
): Promise<Bytes> {
  return suite.hash.digest(concat(encodeBstr(previous), plaintext, encodeBstr(cred)));
}

/** PLAINTEXT_2 xor KEYSTREAM_2, which is its own inverse. */
export async function maskPlaintext2(suite: Suite, prk: Bytes, th2: Bytes, text: Bytes): Promise<Bytes> {
  const stream = await edhocKdf(suite, prk, LABEL.KEYSTREAM_2, th2, text.length);
  return text.map((byte, i) => byte ^ (stream[i] as number));
}

/** What a side claims about itself, and the transcript hash it claims it under. */
export interface Claim {
  readonly idCred: Bytes;
  readonly cred: Bytes;
  /** EAD_x, encoded. */
  readonly ead: Bytes;
  /** TH_2 for the Responder, TH_3 for the Initiator. */
  readonly th: Bytes;
}

/** MAC_2 over context_2 = C_R, ID_CRED_R, TH_2, CRED_R, ? EAD_2. */
export async function mac2(suite: Suite, prk: Bytes, cR: Bytes, claim: Claim): Promise<Bytes> {
  return edhocKdf(suite, prk, LABEL.MAC_2, concat(cR, claimContext(claim)), suite.hash.length);
}

/** MAC_3 over context_3 = ID_CRED_I, TH_3, CRED_I, ? EAD_3. */
export async function mac3(suite: Suite, prk: Bytes, claim: Claim): Promise<Bytes> {
  return edhocKdf(suite, prk, LABEL.MAC_3, claimContext(claim), suite.hash.length);
}

function claimContext({ idCred, th, cred, ead }: Claim): Bytes {
  return concat(idCred, encodeBstr(th), encodeBstr(cred), ead);
}

/** The Sig_structure of COSE_Sign1 (RFC 9052 §4.4) that Signature_2 and Signature_3 are made over. */
export function toBeSigned({ idCred, th, cred, ead }: Claim, mac: Bytes): Bytes {
  const external = concat(encodeBstr(th), encodeBstr(cred), ead);
  return encodeArray(encodeTstr("Signature1"), encodeBstr(idCred), encodeBstr(external), encodeBstr(mac));
}

/** CIPHERTEXT_3 or CIPHERTEXT_4 under TH_3 or TH_4. */
export async function sealMessage(
  suite: Suite,
  prk: Bytes,
  which: 3 | 4,
  th: Bytes,
  plaintext: Bytes,
): Promise<Bytes> {
  const { key, iv } = await messageKey(suite, prk, which, th);
  return key.seal(iv, encrypt0(th), plaintext);
}

/** The plaintext of CIPHERTEXT_3 or CIPHERTEXT_4, undefined where the tag is wrong. */
export async function openMessage(
  suite: Suite,
  prk: Bytes,
  which: 3 | 4,
  th: Bytes,
  ciphertext: Bytes,
): Promise<Bytes | undefined> {
  const { key, iv } = await messageKey(suite, prk, which, th);
  return key.open(iv, encrypt0(th), ciphertext);
}

async function messageKey(suite: Suite, prk: Bytes, which: 3 | 4, th: Bytes) {
  const [keyLabel, ivLabel] = which === 3 ? [LABEL.K_3, LABEL.IV_3] : [LABEL.K_4, LABEL.IV_4];
  const [bytes, iv] = await Promise.all([
    edhocKdf(suite, prk, keyLabel, th, suite.aead.keyLength),
    edhocKdf(suite, prk, ivLabel, th, suite.aead.nonceLength),
  ]);
  const key = await suite.aead.key(bytes);
  bytes.fill(0);
  return { key, iv };
}

// Enc_structure of COSE_Encrypt0 (RFC 9052 §5.3).
function encrypt0(th: Bytes): Bytes {
  return encodeArray(encodeTstr("Encrypt0"), encodeBstr(utf8("")), encodeBstr(th));
}

/** PRK_out and PRK_exporter (§4.1.3, §4.2.1). */
export async function outputKeys(
  suite: Suite,
  prk: Bytes,
  th4: Bytes,
): Promise<{ prkOut: Bytes; prkExporter: Bytes }> {
  const { length } = suite.hash;
  const prkOut = await edhocKdf(suite, prk, LABEL.PRK_OUT, th4, length);
  return { prkOut, prkExporter: await edhocKdf(suite, prkOut, LABEL.PRK_EXPORTER, new Uint8Array(), length) };
}
