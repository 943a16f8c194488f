/** Every key of other parties: the operator's and the tag maker's CAs, the token service. */
import type { Bytes } from "../../core/encoding/bytes.ts";
import {
  createIntermediate,
  createRoot,
  createTagCa,
  type Issuer,
  issueTagLeaf,
} from "../../core/pki/issue.ts";

const DAY = 86_400_000;

export interface Authorities {
  readonly clientRoot: Bytes;
  readonly intermediate: Issuer;
  readonly tagRoot: Bytes;
  readonly tokenKey: { readonly kid: string; readonly privateKey: CryptoKey };
  readonly tokenJwk: JsonWebKey & { readonly kid: string };
  tag(id: string): Promise<{ readonly chain: Bytes[]; readonly privateKey: CryptoKey }>;
}

export const random = (length: number): Bytes => crypto.getRandomValues(new Uint8Array(length));

const keyPair = () =>
  crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);

export async function makeAuthorities(): Promise<Authorities> {
  const [root, intermediate, tags, tokens] = await Promise.all([keyPair(), keyPair(), keyPair(), keyPair()]);
  const now = Date.now();
  const life = { notBefore: new Date(now - 30 * DAY), notAfter: new Date(now + 365 * DAY) };
  const clientRoot = await createRoot({
    ...life,
    serial: random(16),
    commonName: "Taglatch Dev Root",
    keys: root,
  });
  const clients = await createIntermediate({
    ...life,
    serial: random(16),
    commonName: "Taglatch Dev CA",
    issuer: { certificate: clientRoot, privateKey: root.privateKey },
    publicKey: intermediate.publicKey,
  });
  const tagRoot = await createTagCa({
    ...life,
    serial: random(16),
    commonName: "Taglatch Demo Tag CA",
    keys: tags,
  });
  const tokenJwk = { ...(await crypto.subtle.exportKey("jwk", tokens.publicKey)), kid: "t1" };
  return {
    clientRoot,
    intermediate: { certificate: clients, privateKey: intermediate.privateKey },
    tagRoot,
    tokenKey: { kid: "t1", privateKey: tokens.privateKey },
    tokenJwk,
    async tag(id) {
      const own = await keyPair();
      const issuer = { certificate: tagRoot, privateKey: tags.privateKey };
      const serial = random(8);
      const { publicKey } = own;
      const leaf = await issueTagLeaf({ issuer, deviceId: id, publicKey, serial, notBefore: life.notBefore });
      return { chain: [leaf], privateKey: own.privateKey };
    },
  };
}
