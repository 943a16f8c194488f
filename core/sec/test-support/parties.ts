/**
 * Parties for the tests of this folder: the certificates and keys of the published transcripts, and a `verifyPeer`
 * that knows exactly the expected chain. No PKI: the key is cut out of the certificate by its known prefix.
 */
import { type Bytes, equalBytes, fromHex, toBase64Url, toHex } from "../../encoding/bytes.ts";
import file from "../../vectors/edhoc-method0-x5chain.json" with { type: "json" };
import type { Role } from "../../vectors/transcript.ts";
import type { Credential, Peer } from "../authentication.ts";
import type { EphemeralKey } from "../ecdh.ts";
import { SecError, type SecErrorCode } from "../errors.ts";
import {
  type InitiatorConfig,
  readMessage2,
  readMessage4,
  writeMessage1,
  writeMessage3,
} from "../initiator.ts";
import {
  type ResponderConfig,
  readMessage1,
  readMessage3,
  writeMessage2,
  writeMessage4,
} from "../responder.ts";
import type { SuiteId } from "../suites.ts";

export const TRANSCRIPTS = file;

const P256_SPKI = "3059301306072a8648ce3d020106082a8648ce3d030107034200";
const ED25519_SPKI = "302a300506032b6570032100";

/** The leaf's public key, P-256 or Ed25519. */
export async function publicKeyOf(leaf: Bytes): Promise<CryptoKey> {
  const hex = toHex(leaf);
  const at = hex.indexOf(P256_SPKI);
  if (at >= 0) {
    const spki = fromHex(hex.slice(at, at + 2 * 91));
    return crypto.subtle.importKey("spki", spki, { name: "ECDSA", namedCurve: "P-256" }, true, ["verify"]);
  }
  const spki = fromHex(hex.slice(hex.indexOf(ED25519_SPKI)).slice(0, 2 * 44));
  return crypto.subtle.importKey("spki", spki, "Ed25519", true, ["verify"]);
}

async function privateKeyOf(leaf: Bytes, d: Bytes): Promise<CryptoKey> {
  const jwk = await crypto.subtle.exportKey("jwk", await publicKeyOf(leaf));
  const { kty, crv, x, y } = jwk as Record<"kty" | "crv" | "x" | "y", string>;
  const parameters = { name: "ECDSA", namedCurve: "P-256" };
  return crypto.subtle.importKey("jwk", { kty, crv, x, y, d: toBase64Url(d) }, parameters, false, ["sign"]);
}

const recorded = file.suite6_chain2_both;
export const CHAINS: Readonly<Record<Role, readonly Bytes[]>> = {
  initiator: recorded.initiator_chain_der.map(fromHex),
  responder: recorded.responder_chain_der.map(fromHex),
};

/** A side's credential with a working private key. */
export async function credentialOf(role: Role): Promise<Credential & { readonly privateKey: CryptoKey }> {
  const chain = CHAINS[role];
  const d = role === "initiator" ? recorded.initiator_sign_key_d : recorded.responder_sign_key_d;
  return { chain, privateKey: await privateKeyOf(chain[0] as Bytes, fromHex(d)) };
}

export function accepting(chain: readonly Bytes[]): (received: readonly Bytes[]) => Promise<Peer> {
  return async (received) => {
    const same =
      received.length === chain.length && received.every((der, i) => equalBytes(der, chain[i] as Bytes));
    if (!same) throw new SecError("CHAIN", { message: "another chain" });
    return { publicKey: await publicKeyOf(chain[0] as Bytes) };
  };
}

export async function initiatorConfig(suites: readonly SuiteId[] = [6]): Promise<InitiatorConfig<Peer>> {
  return { credential: await credentialOf("initiator"), verifyPeer: accepting(CHAINS.responder), suites };
}

export async function responderConfig(suites?: readonly SuiteId[]): Promise<ResponderConfig<Peer>> {
  const base = { credential: await credentialOf("responder"), verifyPeer: accepting(CHAINS.initiator) };
  return suites === undefined ? base : { ...base, suites };
}

/** One complete handshake between both roles, step by step; with these ephemeral keys where they are given. */
export async function handshakeOf<I extends Peer, R extends Peer>(
  initiator: InitiatorConfig<I>,
  responder: ResponderConfig<R>,
  { x, y }: { readonly x?: EphemeralKey | undefined; readonly y?: EphemeralKey | undefined } = {},
) {
  const first = await writeMessage1(initiator, x);
  const accepted = await readMessage1(responder, first.message);
  const second = await writeMessage2(accepted, y);
  const verified = await readMessage2(first.state, second.message);
  const third = await writeMessage3(verified.state);
  const authenticated = await readMessage3(second.state, third.message);
  const fourth = await writeMessage4(authenticated.state);
  const session = await readMessage4(third.state, fourth.message);
  const messages = [first.message, second.message, third.message, fourth.message] as const;
  const states = [first.state, accepted, second.state, verified.state, third.state, authenticated.state];
  const peers = [verified.peer, authenticated.peer];
  return { messages, states, peers, initiator: session, responder: fourth.session };
}

export const shakeHands = async (suites: readonly SuiteId[] = [6]) =>
  handshakeOf(await initiatorConfig(suites), await responderConfig(suites.slice(-1)));

/** What `run` failed with; the code alone, because that is the contract. */
export async function codeOf(run: () => Promise<unknown> | unknown): Promise<SecErrorCode | "no failure"> {
  try {
    await run();
    return "no failure";
  } catch (error) {
    if (error instanceof SecError) return error.code;
    throw error;
  }
}

/** A copy with one bit changed. */
export function flipped(bytes: Bytes, bit: number): Bytes {
  const copy = bytes.slice();
  copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7));
  return copy;
}
