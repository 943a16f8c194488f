/** A tag in the middle of an honest session that is handed one token: the `token` cases of sec-refusals.json. */
import { type Bytes, concat, fromHex, toHex } from "../../encoding/bytes.ts";
import type { GattVersion } from "../../gatt/profile.ts";
import { openResponderChannel } from "../channel.ts";
import { signToken, type TokenClaims } from "../token.ts";
import { checkToken, type TokenExpectations } from "../token-check.ts";
import { honestClaims, honestExpectations, NONCE, tokenKeyPair } from "./honest-token.ts";
import { CHAINS, flipped, publicKeyOf, shakeHands } from "./parties.ts";

/** What a case changes about the honest token, or about the tag that reads it. */
export interface TokenChanges {
  /** Claims instead of the honest ones; byte strings in hexadecimal, `null` takes one away. */
  readonly claims?: Readonly<Record<string, string | number | null>>;
  readonly kid?: string;
  readonly signed_by?: string;
  /** Bytes exchanged after signing. */
  readonly edit?: readonly string[];
  readonly flip?: number;
  readonly append?: string;
  readonly prepend?: string;
  readonly cut?: number;
  /** The token of another session with the same tag. */
  readonly other_session?: boolean;
  /** The tag has received this very token before. */
  readonly again?: boolean;
  readonly path?: string;
  readonly minimum_version?: string;
  /** Milliseconds since the nonce was drawn; null where the tag has none. */
  readonly age?: number | null;
  readonly last_seen?: number;
}

const KID = "kid-1";
const BYTE_STRINGS = ["cti", "nonce", "cnfSpkiSha256", "channelBinding", "payloadDigest"];

/** `forged` is the case's token, `honest` the right one; whatever comes after a refusal finds the nonce spent. */
export async function victimOfToken(changes: TokenChanges) {
  const path = (changes.path ?? "2.1") as GattVersion;
  const [service, stranger] = await Promise.all([tokenKeyPair(), tokenKeyPair()]);
  const spki = new Uint8Array(
    await crypto.subtle.exportKey("spki", await publicKeyOf(CHAINS.initiator[0] as Bytes)),
  );
  const binding = path === "2.1" ? await bindingOfSession() : undefined;
  const claims = await honestClaims(spki, binding);
  const own = { kid: KID, privateKey: service.privateKey };
  const signing = {
    kid: changes.kid ?? KID,
    privateKey: changes.signed_by === "stranger" ? stranger.privateKey : service.privateKey,
  };
  const elsewhere = changes.other_session === true ? { channelBinding: await bindingOfSession() } : {};
  const honest = await signToken(claims, own);
  const token = await signToken(changed({ ...claims, ...elsewhere }, changes.claims ?? {}), signing);
  const tag = tagOf(changes, {
    ...honestExpectations(spki, binding),
    keys: new Map([[KID, service.publicKey]]),
  });
  if (changes.again === true) await tag(honest);
  const forged = changes.again === true ? honest : altered(token, changes);
  return { forged, honest, after: "TOKEN_NONCE" as const, read: tag };
}

async function bindingOfSession(): Promise<Bytes> {
  const { responder } = await shakeHands([6]);
  return (await openResponderChannel(responder, fromHex("15150700f40000100102"))).channelBinding;
}

function changed(honest: TokenClaims, changes: NonNullable<TokenChanges["claims"]>): TokenClaims {
  const names = new Set([...Object.keys(honest), ...Object.keys(changes)]);
  const entries = [...names].map((name) => {
    const before = honest[name as keyof TokenClaims];
    const value = changes[name];
    if (value === undefined) return [name, before];
    return [name, typeof value === "string" && BYTE_STRINGS.includes(name) ? fromHex(value) : value];
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== null)) as unknown as TokenClaims;
}

function altered(token: Bytes, { edit, flip, append = "", prepend = "", cut }: TokenChanges): Bytes {
  const [from = "", to = ""] = edit ?? [];
  const hex = toHex(token);
  if (!hex.includes(from)) throw new Error(`no ${from} in the token`);
  const edited = fromHex(hex.replace(from, to));
  const turned = flip === undefined ? edited : flipped(edited, 8 * edited.length - 1 - flip);
  return concat(fromHex(prepend), turned.slice(0, cut ?? turned.length), fromHex(append));
}

/** Spends its nonce on every token, whatever becomes of it (docs/protocol.md, transaction token). */
function tagOf(changes: TokenChanges, honest: TokenExpectations): (token: Bytes) => Promise<TokenClaims> {
  let nonce = changes.age === null ? undefined : { value: NONCE, age: changes.age ?? 1000 };
  const expected: TokenExpectations = {
    ...honest,
    minimumVersion: (changes.minimum_version ?? "2.0") as GattVersion,
    takeNonce() {
      const taken = nonce;
      nonce = undefined;
      return taken;
    },
    lastSeen: changes.last_seen ?? honest.lastSeen,
  };
  return async (token) => {
    try {
      return await checkToken(token, expected);
    } finally {
      nonce = undefined;
    }
  };
}
