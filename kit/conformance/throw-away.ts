/**
 * Certificates that no CA would issue and keys that no tag trusts, made on the spot and gone with the page.
 */
import type { Bytes } from "../../core/encoding/bytes.ts";
import type { ClientCredential } from "./types.ts";

export interface ThrowAway {
  /** A key with signatures that no tag accepts. */
  readonly privateKey: CryptoKey;
  /** A client's chain under a root that no tag pins. */
  readonly stranger: ClientCredential;
  /** A tag's leaf under the same root, in a client's place. */
  readonly wrongUsage: ClientCredential;
  /** A leaf that names `intermediate` as its issuer, but was signed by another key. */
  forgedUnder(intermediate: Bytes): Promise<ClientCredential>;
  /** The root of `stranger` and `wrongUsage`, DER. */
  readonly root: Bytes;
}

const DAY = 86_400_000;
const P256 = { name: "ECDSA", namedCurve: "P-256" };
const random = (length: number): Bytes => crypto.getRandomValues(new Uint8Array(length));
const keyPair = () => crypto.subtle.generateKey(P256, true, ["sign", "verify"]);

/**
 * Only here is the issuing code with its ASN.1 library fetched: a page that does not run the checks never loads
 * it.
 */
export async function makeThrowAway(now: number): Promise<ThrowAway> {
  const issuing = await import("../../core/pki/issue.ts");
  const [rootKeys, keys, client] = await Promise.all([keyPair(), keyPair(), keyPair()]);
  const lifetime = { notBefore: new Date(now - DAY), notAfter: new Date(now + 30 * DAY) };
  const root = await issuing.createRoot({
    ...lifetime,
    commonName: "Throw-away root",
    serial: random(16),
    keys: rootKeys,
  });
  const intermediate = await issuing.createIntermediate({
    ...lifetime,
    commonName: "Throw-away clients",
    serial: random(16),
    issuer: { certificate: root, privateKey: rootKeys.privateKey },
    publicKey: keys.publicKey,
  });
  const leafBy = (certificate: Bytes) =>
    issuing.issueClientLeaf({
      issuer: { certificate, privateKey: keys.privateKey },
      commonName: "conformance",
      publicKey: client.publicKey,
      serial: random(16),
      now: new Date(now),
    });
  const tagLeaf = await issuing.issueTagLeaf({
    issuer: { certificate: intermediate, privateKey: keys.privateKey },
    deviceId: "conformance",
    publicKey: client.publicKey,
    serial: random(16),
    notBefore: lifetime.notBefore,
  });
  const { privateKey } = client;
  return {
    privateKey,
    root,
    stranger: { chain: [await leafBy(intermediate), intermediate], privateKey },
    wrongUsage: { chain: [tagLeaf, intermediate], privateKey },
    forgedUnder: async (other) => ({ chain: [await leafBy(other), other], privateKey }),
  };
}
