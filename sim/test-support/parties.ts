/**
 * All parties that a tag knows or must refuse: the CAs of clients and tags, the token service, and strangers with the same
 * names.
 */
import type { Bytes } from "../../core/encoding/bytes.ts";
import {
  createIntermediate,
  createRoot,
  createTagCa,
  issueClientLeaf,
  issueTagLeaf,
} from "../../core/pki/issue.ts";
import { signToken, type TokenClaims } from "../../core/sec/token.ts";
import { TagSimulator } from "../tag/tag-simulator.ts";
import type { TagConfig, TagCredential, TagWorld } from "../tag/tag-types.ts";

export const NOW = Date.UTC(2026, 10, 21, 12);
const DAY = 86_400_000;
export const random = (length: number): Bytes => crypto.getRandomValues(new Uint8Array(length));

export async function keyPair(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
}

const lifetimeAt = (now: number) => ({
  notBefore: new Date(now - 30 * DAY),
  notAfter: new Date(now + 365 * DAY),
});

export async function clientCa(made = NOW) {
  const lifetime = lifetimeAt(made);
  const rootKeys = await keyPair();
  const keys = await keyPair();
  const request = { serial: random(16), ...lifetime };
  const root = await createRoot({ ...request, commonName: "Operator root", keys: rootKeys });
  const intermediate = await createIntermediate({
    ...request,
    commonName: "Clients",
    issuer: { certificate: root, privateKey: rootKeys.privateKey },
    publicKey: keys.publicKey,
  });
  const issuer = { certificate: intermediate, privateKey: keys.privateKey };
  return {
    root,
    /** The intermediate and its key. */
    issuer,
    /** A credential from this CA whose leaf is for tags. */
    async misuse(): Promise<TagCredential> {
      const own = await keyPair();
      const { notBefore } = lifetime;
      const request = { issuer, deviceId: TAG_ID, publicKey: own.publicKey, serial: random(16), notBefore };
      return { chain: [await issueTagLeaf(request), intermediate], privateKey: own.privateKey };
    },
    /** A credential of a new client; `now` is when its leaf was issued. */
    async issue(now = made): Promise<TagCredential> {
      const own = await keyPair();
      const leaf = await issueClientLeaf({
        issuer,
        commonName: "client 1",
        publicKey: own.publicKey,
        serial: random(16),
        now: new Date(now),
      });
      return { chain: [leaf, intermediate], privateKey: own.privateKey };
    },
  };
}

export async function tagCa(made = NOW) {
  const lifetime = lifetimeAt(made);
  const keys = await keyPair();
  const root = await createTagCa({ serial: random(16), ...lifetime, commonName: "Tags", keys });
  const issue = async (deviceId: string): Promise<TagCredential> => {
    const own = await keyPair();
    const leaf = await issueTagLeaf({
      issuer: { certificate: root, privateKey: keys.privateKey },
      deviceId,
      publicKey: own.publicKey,
      serial: random(8),
      notBefore: lifetime.notBefore,
    });
    return { chain: [leaf], privateKey: own.privateKey };
  };
  return {
    root,
    issue,
    /** A chain of two, which no tag has: for playing the client with a tag's key (reflection). */
    async issueWithRoot(): Promise<TagCredential> {
      const { chain, privateKey } = await issue("ebt-21-0009");
      return { chain: [...chain, root], privateKey };
    },
  };
}

export async function tokenService(kid = "t1") {
  const { publicKey, privateKey } = await keyPair();
  const jwk = await crypto.subtle.exportKey("jwk", publicKey);
  return {
    keys: [{ ...jwk, kid }] as const,
    privateKey,
    /** A token; a claim that is left out binds nothing. */
    sign(claims: Pick<TokenClaims, "aud" | "nonce"> & Partial<TokenClaims>): Promise<Bytes> {
      const iat = NOW / 1000;
      const defaults = { iss: "taglatch", iat, exp: iat + 120, ttl: 120, cti: random(8) };
      return signToken({ ...defaults, ...claims }, { kid, privateKey });
    },
  };
}

/** One world of people and keys; made once per test file, because keys cost time. */
export type Parties = Awaited<ReturnType<typeof parties>>;

export const TAG_ID = "ebt-21-0001";

export async function parties() {
  const [clients, tags, tokens] = await Promise.all([clientCa(), tagCa(), tokenService()]);
  const [client, credential] = await Promise.all([clients.issue(), tags.issue(TAG_ID)]);
  return { clients, tags, tokens, client, credential };
}

export function tagOf(
  { clients, tokens, credential }: Parties,
  world: TagWorld,
  changes: Partial<TagConfig> = {},
): Promise<TagSimulator> {
  const config = {
    id: TAG_ID,
    generation: "2.1",
    clientRoots: [clients.root],
    tokenKeys: tokens.keys,
  } as const;
  return TagSimulator.create({ ...config, credential, ...changes }, world);
}
