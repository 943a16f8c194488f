import {
  type Bytes,
  concat,
  copyBytes,
  fromBase64Url,
  toBase64Url,
  utf8,
} from "../../core/encoding/bytes.ts";
import { encodeBstr, encodeInt, encodeMap, encodeTstr } from "../../core/encoding/cbor.ts";
import { type EvidenceInput, platformLogin, sha256 } from "./platform-login.ts";
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

const ES256 = { name: "ECDSA", namedCurve: "P-256" };

export async function newPasskey(): Promise<Passkey> {
  const { privateKey, publicKey } = await newKeys(ES256);
  const { x, y } = (await crypto.subtle.exportKey("jwk", publicKey)) as { x: string; y: string };
  return { id: newId(), privateKey, cose: coseKey({ x, y }) };
}

/** A passkey that signs as some security keys do. */
export async function newEdDsaPasskey(): Promise<Passkey> {
  const { privateKey, publicKey } = await newKeys({ name: "Ed25519" });
  const { x } = (await crypto.subtle.exportKey("jwk", publicKey)) as { x: string };
  const cose = cosePairs([1, 1], [3, -8], [-1, 6], [-2, x]);
  return { id: newId(), privateKey, cose };
}

/** A passkey that signs as TPMs of personal computers do. */
export async function newRsaPasskey(): Promise<Passkey> {
  const size = { modulusLength: 2_048, publicExponent: Uint8Array.of(1, 0, 1), hash: "SHA-256" };
  const { privateKey, publicKey } = await newKeys({ name: "RSASSA-PKCS1-v1_5", ...size });
  const { n, e } = (await crypto.subtle.exportKey("jwk", publicKey)) as { n: string; e: string };
  const cose = cosePairs([1, 3], [3, -257], [-1, n], [-2, e]);
  return { id: newId(), privateKey, cose };
}

const newId = (): Bytes => crypto.getRandomValues(new Uint8Array(32));
export const newKeys = (algorithm: SubtleCryptoGenerateKeyAlgorithm) =>
  crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]) as Promise<CryptoKeyPair>;

/** COSE_Key (RFC 9053 §7.1); `alg` may be another than the key's. */
export const coseKey = ({ x, y }: { readonly x: string; readonly y: string }, alg = -7) =>
  cosePairs([1, 2], [3, alg], [-1, 1], [-2, x], [-3, y]);

/** A COSE_Key: labels and what they say, numbers or bytes as base64url. */
const cosePairs = (...pairs: readonly (readonly [label: number, value: number | string])[]) =>
  encodeMap(
    ...pairs.map(
      ([label, value]) =>
        [
          encodeInt(label),
          typeof value === "number" ? encodeInt(value) : encodeBstr(fromBase64Url(value)),
        ] as const,
    ),
  );

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
  attStmt: (_signed: Bytes): Bytes | Promise<Bytes> => encodeMap(),
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
) =>
  clientDataJson ??
  JSON.stringify({
    type,
    challenge: toBase64Url(challenge),
    origin: ORIGIN,
    crossOrigin: false,
    ...clientData,
  });

const uint = (value: number, bytes: 2 | 4): Bytes =>
  Uint8Array.from({ length: bytes }, (_, at) => (value >>> (8 * (bytes - 1 - at))) & 0xff);

/** Authenticator data up to its counter (§6.1). */
export const head = async (rpId: string, flags: number, counter: number) =>
  concat(await sha256(utf8(rpId)), Uint8Array.of(flags), uint(counter, 4));

/** Evidence that registers `passkey`. */
export async function registration(
  passkey: Passkey,
  { challenge }: Pick<EvidenceInput, "challenge">,
  changes: RegistrationChanges = {},
) {
  const parts = { ...registering(passkey), ...changes };
  const clientData = utf8(clientDataText("webauthn.create", challenge, parts));
  const { credentialId } = parts;
  const credential = concat(new Uint8Array(16), uint(credentialId.length, 2), credentialId, parts.cose);
  const authData = concat(await head(parts.rpId, parts.flags, parts.counter), credential, parts.surplus);
  const signed = concat(authData, await sha256(clientData));
  const object = encodeMap(
    [encodeTstr("fmt"), encodeTstr(parts.fmt)],
    [encodeTstr("attStmt"), await parts.attStmt(signed)],
    [encodeTstr("authData"), encodeBstr(authData)],
  );
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
export const packedStatement = (sig: Bytes, alg = -7): Bytes =>
  encodeMap([encodeTstr("alg"), encodeInt(alg)], [encodeTstr("sig"), encodeBstr(sig)]);

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
  const integers = [raw.slice(0, 32), raw.slice(32)].map((scalar) => {
    const start = scalar.findIndex((byte) => byte !== 0);
    const magnitude = scalar.slice(start);
    const signed = (magnitude[0] as number) > 0x7f ? concat(Uint8Array.of(0), magnitude) : magnitude;
    return concat(Uint8Array.of(0x02, signed.length), signed);
  });
  const content = concat(...integers);
  return concat(Uint8Array.of(0x30, content.length), content);
}

/** Logins with the passkey of the test that runs, at the service of its file, and what is stored of it. */
export const passkeyCeremonies = (service: () => TestService, passkey: () => Passkey) => ({
  register: (changes: RegistrationChanges = {}) =>
    platformLogin(service(), (input) => registration(passkey(), input, changes)),
  assert: (changes: AssertionChanges = {}) =>
    platformLogin(service(), (input) => assertion(passkey(), input, changes)),
  stored: () => credentialsNamed(service(), toBase64Url(passkey().id)),
});
