/**
 * Messages that no honest side would write. The attacker here holds the session's secrets (they come from an honest
 * side's trace) and a certified key: everything but the right to deviate.
 */
import { type Bytes, fromHex } from "../../bytes.ts";
import { encodeBstr } from "../cbor.ts";
import { encodeIdentifier, encodeMessage2, encodeX5chain } from "../messages.ts";
import { mac2, mac3, maskPlaintext2, sealMessage, toBeSigned } from "../schedule.ts";
import { SUITES, type SuiteId } from "../suites.ts";
import type { TraceName } from "../trace.ts";
import { CHAINS } from "./parties.ts";

/** What deviates; a missing field is honest. Encoded fields are CBOR. */
export interface Forgery {
  readonly cR?: Bytes;
  readonly idCred?: Bytes;
  readonly cred?: Bytes;
  readonly ead?: Bytes;
  /** In place of the signature's CBOR item. */
  readonly signature?: Bytes;
  /** The whole plaintext. */
  readonly plaintext?: Bytes;
}

type Values = Readonly<Record<string, string>>;
const traced = (values: Values, name: TraceName): Bytes => fromHex(values[name] ?? "");

/** PLAINTEXT_2 as forged, signed with `privateKey` over exactly what it says. */
export async function forgeMessage2(id: SuiteId, values: Values, privateKey: CryptoKey, forgery: Forgery) {
  const suite = SUITES[id];
  const [prk, th2, gY] = [traced(values, "PRK_2e"), traced(values, "TH_2"), traced(values, "G_Y")];
  const cR = forgery.cR ?? encodeIdentifier(Uint8Array.of(1));
  const claim = claimOf(forgery, CHAINS.responder, th2);
  const mac = await mac2(suite, prk, cR, claim);
  const signature = await suite.signature.sign(privateKey, toBeSigned(claim, mac));
  const signed = [cR, claim.idCred, forgery.signature ?? encodeBstr(signature), claim.ead];
  const plaintext = forgery.plaintext ?? joined(signed);
  return encodeMessage2({ gY, ciphertext: await maskPlaintext2(suite, prk, th2, plaintext) });
}

/** message_3 as forged, sealed with the real K_3. */
export async function forgeMessage3(id: SuiteId, values: Values, privateKey: CryptoKey, forgery: Forgery) {
  const suite = SUITES[id];
  const [prk, th3] = [traced(values, "PRK_2e"), traced(values, "TH_3")];
  const claim = claimOf(forgery, CHAINS.initiator, th3);
  const signature = await suite.signature.sign(privateKey, toBeSigned(claim, await mac3(suite, prk, claim)));
  const signed = [claim.idCred, forgery.signature ?? encodeBstr(signature), claim.ead];
  return encodeBstr(await sealMessage(suite, prk, 3, th3, forgery.plaintext ?? joined(signed)));
}

/** message_4 over any plaintext, sealed with the real K_4. */
export async function forgeMessage4(id: SuiteId, values: Values, plaintext: Bytes) {
  return encodeBstr(
    await sealMessage(SUITES[id], traced(values, "PRK_2e"), 4, traced(values, "TH_4"), plaintext),
  );
}

function claimOf(forgery: Forgery, chain: readonly Bytes[], th: Bytes) {
  const cred = forgery.cred ?? (chain[0] as Bytes);
  return { idCred: forgery.idCred ?? encodeX5chain(chain), cred, ead: forgery.ead ?? new Uint8Array(), th };
}

function joined(parts: readonly Bytes[]): Bytes {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}
