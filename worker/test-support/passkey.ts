// Before the helpers, which read certificates with @peculiar/x509.
import "reflect-metadata/lite";
import { p256 } from "@noble/curves/nist.js";
import { isoCBOR } from "@simplewebauthn/server/helpers";
import {
  type Bytes,
  concat,
  copyBytes,
  fromBase64Url,
  toBase64Url,
  utf8,
} from "../../core/encoding/bytes.ts";
import { sha256 } from "../sessions/attestation/evidence.ts";
import { type EvidenceInput, platformLogin } from "./logins.ts";
import { credentialsNamed } from "./rows.ts";
import type { TestService } from "./service.ts";

/**
 * An authenticator and a browser in software, written from WebAuthn Level 3 and not from the worker. A test may replace
 * every part of their answers before it is signed.
 */
export interface Passkey {
  readonly id: Bytes;
  readonly privateKey: CryptoKey;
  readonly cose: Bytes;
}

type Cbor = Parameters<typeof isoCBOR.encode>[0];
type CborMap = ReadonlyMap<string | number, Cbor>;
/** By a library: the service has a reader of its own. */
export const cbor = (value: Cbor | CborMap): Bytes => copyBytes(isoCBOR.encode(value as Cbor));
/** A map with the names of `record`. */
export const cborMap = (record: Readonly<Record<string, Cbor | CborMap>>): CborMap =>
  new Map(Object.entries(record) as [string, Cbor][]);

/** A COSE_Key (RFC 9053 §7.1) of `members` by label. */
export const coseOf = (members: Readonly<Record<number, number | Bytes>>) =>
  cbor(new Map(Object.entries(members).map(([label, value]) => [Number(label), value])));

const RSA = { modulusLength: 2_048, publicExponent: Uint8Array.of(1, 0, 1), hash: "SHA-256" };
const bytes = (member = "") => fromBase64Url(member);
export const coseKey = ({ x, y }: JsonWebKey) =>
  coseOf({ 1: 2, 3: -7, [-1]: 1, [-2]: bytes(x), [-3]: bytes(y) });
const KINDS = {
  ES256: { algorithm: { name: "ECDSA", namedCurve: "P-256" }, cose: coseKey },
  /** Some security keys. */
  EdDSA: {
    algorithm: { name: "Ed25519" },
    cose: ({ x }: JsonWebKey) => coseOf({ 1: 1, 3: -8, [-1]: 6, [-2]: bytes(x) }),
  },
  /** TPMs of personal computers. */
  RS256: {
    algorithm: { name: "RSASSA-PKCS1-v1_5", ...RSA },
    cose: ({ n, e }: JsonWebKey) => coseOf({ 1: 3, 3: -257, [-1]: bytes(n), [-2]: bytes(e) }),
  },
};

export async function newPasskey(kind: keyof typeof KINDS = "ES256"): Promise<Passkey> {
  const { algorithm, cose } = KINDS[kind];
  const { privateKey, publicKey } = await newKeys(algorithm);
  const jwk = (await crypto.subtle.exportKey("jwk", publicKey)) as JsonWebKey;
  return { id: crypto.getRandomValues(new Uint8Array(32)), privateKey, cose: cose(jwk) };
}

export const newKeys = (algorithm: SubtleCryptoGenerateKeyAlgorithm) =>
  crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]) as Promise<CryptoKeyPair>;

export const FLAGS = { UP: 0x01, UV: 0x04, BE: 0x08, BS: 0x10, AT: 0x40, ED: 0x80 } as const;
const PRESENT_AND_VERIFIED = FLAGS.UP | FLAGS.UV;

type Members = Readonly<Record<string, unknown>>;

/** What authenticator and browser say; a test replaces what is to be wrong. */
const ceremony = {
  rpId: "localhost",
  flags: PRESENT_AND_VERIFIED as number,
  counter: 0,
  /** Behind the authenticator data, signed with it. */
  surplus: new Uint8Array() as Bytes,
  clientData: {} as Members,
  /** Instead of JSON of the client data. */
  clientDataJson: undefined as string | undefined,
  /** Over the members of the credential's JSON. */
  json: {} as Members,
};

const registering = (passkey: Passkey) => ({
  ...ceremony,
  flags: ceremony.flags | FLAGS.AT,
  cose: passkey.cose,
  /** The id in the authenticator data. */
  credentialId: passkey.id,
  fmt: "none",
  attStmt: (_signed: Bytes): CborMap | Promise<CborMap> => cborMap({}),
  /** What becomes of the whole attestation object. */
  object: (object: Bytes) => object,
});

const asserting = (passkey: Passkey) => ({
  ...ceremony,
  signer: passkey.privateKey,
  signature: (der: Bytes) => der,
  /** Sent instead of what was signed. */
  sentCounter: undefined as number | undefined,
  sentClientData: undefined as string | undefined,
});

export type RegistrationChanges = Partial<ReturnType<typeof registering>>;
export type AssertionChanges = Partial<ReturnType<typeof asserting>>;

export const ORIGIN = "http://localhost:5173";

const clientDataText = (
  type: string,
  challenge: Bytes,
  { clientData, clientDataJson }: Pick<typeof ceremony, "clientData" | "clientDataJson">,
) => {
  const said = { type, challenge: toBase64Url(challenge), origin: ORIGIN, crossOrigin: false };
  return clientDataJson ?? JSON.stringify({ ...said, ...clientData });
};

/** Authenticator data up to its counter (§6.1). */
export const head = async (rpId: string, flags: number, counter: number) =>
  concat(await sha256(utf8(rpId)), Uint8Array.of(flags, 0, 0, counter >> 8, counter & 0xff));

/** The credential behind it (§6.5.1). */
export const attestedCredential = (aaguid: Bytes, id: Bytes, cose: Bytes) =>
  concat(aaguid, Uint8Array.of(0, id.length), id, cose);

/** Evidence that registers `passkey`. */
export async function registration(
  passkey: Passkey,
  { challenge }: Pick<EvidenceInput, "challenge">,
  changes: RegistrationChanges = {},
) {
  const parts = { ...registering(passkey), ...changes };
  const clientData = utf8(clientDataText("webauthn.create", challenge, parts));
  const credential = attestedCredential(new Uint8Array(16), parts.credentialId, parts.cose);
  const authData = concat(await head(parts.rpId, parts.flags, parts.counter), credential, parts.surplus);
  const attStmt = await parts.attStmt(concat(authData, await sha256(clientData)));
  const object = cbor(cborMap({ fmt: parts.fmt, attStmt, authData }));
  return {
    fmt: "webauthn",
    registration: {
      ...publicKeyCredential(passkey),
      response: {
        clientDataJSON: toBase64Url(clientData),
        attestationObject: toBase64Url(parts.object(object)),
        transports: ["internal"],
      },
      ...parts.json,
    },
  };
}

/** Evidence that uses `passkey`. */
export async function assertion(
  passkey: Passkey,
  { challenge }: Pick<EvidenceInput, "challenge">,
  changes: AssertionChanges = {},
) {
  const parts = { ...asserting(passkey), ...changes };
  const { rpId, flags, counter, surplus } = parts;
  const clientData = clientDataText("webauthn.get", challenge, parts);
  const authData = concat(await head(rpId, flags, counter), surplus);
  const signature = await signAs(parts.signer, concat(authData, await sha256(utf8(clientData))));
  const sent = concat(await head(rpId, flags, parts.sentCounter ?? counter), surplus);
  return {
    fmt: "webauthn",
    assertion: {
      ...publicKeyCredential(passkey),
      response: {
        clientDataJSON: toBase64Url(utf8(parts.sentClientData ?? clientData)),
        authenticatorData: toBase64Url(sent),
        signature: toBase64Url(parts.signature(signature)),
      },
      ...parts.json,
    },
  };
}

/** A statement of format `packed` without certificates (§8.2). */
export const packedStatement = (sig: Bytes, alg = -7) => cborMap({ alg, sig });

const publicKeyCredential = ({ id }: Passkey) => {
  const text = toBase64Url(id);
  return { id: text, rawId: text, type: "public-key", clientExtensionResults: {} };
};

function signAs(key: CryptoKey, data: Bytes): Promise<Bytes> {
  if (key.algorithm.name === "ECDSA") return signDer(key, data);
  return crypto.subtle.sign(key.algorithm.name, key, data).then(copyBytes);
}

/** An ES256 signature as authenticators send it: ECDSA-Sig-Value, DER (§6.5.5). */
export async function signDer(key: CryptoKey, data: Bytes): Promise<Bytes> {
  const raw = new Uint8Array(await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, key, data));
  return copyBytes(p256.Signature.fromBytes(raw).toBytes("der"));
}

/** Logins with the passkey of the test that runs, at the service of its file, and what is stored of it. */
export const passkeyCeremonies = (service: () => TestService, passkey: () => Passkey) => ({
  register: (changes: RegistrationChanges = {}) =>
    platformLogin(service(), (input) => registration(passkey(), input, changes)),
  assert: (changes: AssertionChanges = {}) =>
    platformLogin(service(), (input) => assertion(passkey(), input, changes)),
  stored: () => credentialsNamed(service(), toBase64Url(passkey().id)),
});
