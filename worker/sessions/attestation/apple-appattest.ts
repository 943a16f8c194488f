import * as v from "valibot";
import {
  type Bytes,
  concat,
  equalBytes,
  fromBase64,
  fromBase64Url,
  fromHex,
  toBase64Url,
  toHex,
  utf8,
} from "../../../core/encoding/bytes.ts";
import type { CborReader } from "../../../core/encoding/cbor.ts";
import { contentOf, DER_TAG, onlyValue, rawSignature } from "../../../core/encoding/der.ts";
import { PkiError, type PkiErrorCode } from "../../../core/pki/certificate.ts";
import { type AttestedLeaf, verifyAttestationChain } from "../../../core/pki/chain.ts";
import {
  readAttestationObject,
  readAttestedCredential,
  readAuthenticatorData,
  readMembers,
} from "./authenticator-data.ts";
import { type Appraisal, sha256, type Verified, type Verifier } from "./evidence.ts";
import type { AppleAppAttestPolicy } from "./policy.ts";
import { type AttestationReason, attestationRefused, orRefuse } from "./refusal.ts";
import type { Evidence } from "./statement.ts";

/**
 * Evidence `apple-appattest` (rules §3): a key of the Secure Enclave, attested by Apple at one login and asserted
 * at later ones. Steps and numbers as in Apple's "Validating apps that connect to your server"; the client data's hash
 * is the challenge itself. Binary members are base64, as iOS gives them.
 */

const base64 = v.pipe(v.string(), v.maxLength(12_288), v.regex(/^[A-Za-z0-9+/]+={0,2}$/));
const keyId = v.pipe(v.string(), v.regex(/^[A-Za-z0-9+/]{43}=$/));

/** Exactly one of the two. */
const evidenceShape = v.union([
  v.strictObject({ fmt: v.string(), keyId, attestation: base64 }),
  v.strictObject({ fmt: v.string(), keyId, assertion: base64 }),
]);

export const verifyAppleAppAttest: Verifier = async (appraisal) => {
  const policy = appraisal.policy["apple-appattest"];
  if (policy === undefined) throw attestationRefused("policy_missing");
  const evidence = orRefuse("appattest_shape", () => v.parse(evidenceShape, appraisal.statement.evidence));
  const id = orRefuse("appattest_shape", () => fromBase64(evidence.keyId));
  return "attestation" in evidence
    ? register(appraisal, policy, id, evidence.attestation)
    : assert(appraisal, policy, evidence.assertion);
};

/** The key that the evidence is about: its id as base64url. */
export function appAttestKeyId(evidence: Evidence): string | undefined {
  const parsed = v.safeParse(evidenceShape, evidence);
  return parsed.success
    ? parsed.output.keyId.replaceAll("+", "-").replaceAll("/", "_").replace("=", "")
    : undefined;
}

async function register(
  { ctx, challenge, stored }: Appraisal,
  policy: AppleAppAttestPolicy,
  keyIdentifier: Bytes,
  attestation: string,
): Promise<Verified> {
  const object = orRefuse("appattest_shape", () => fromBase64(attestation));
  const spki = await verifyAppAttestation(object, {
    keyId: keyIdentifier,
    clientDataHash: challenge,
    policy,
    roots: ctx.settings.appleAppAttestRoots,
    at: new Date(ctx.now),
  });
  if (stored !== undefined) throw attestationRefused("appattest_already_registered");
  const [id, publicKey] = [toBase64Url(keyIdentifier), toBase64Url(spki)];
  return { kind: "registered", format: "apple-appattest", id, publicKey, counter: 0, transports: [] };
}

async function assert(
  { challenge, stored: credential }: Appraisal,
  policy: AppleAppAttestPolicy,
  assertion: string,
): Promise<Verified> {
  if (credential === undefined) throw attestationRefused("appattest_unknown_key");
  const { counter } = await verifyAppAssertion(
    orRefuse("appattest_shape", () => fromBase64(assertion)),
    {
      clientDataHash: challenge,
      policy,
      spki: fromBase64Url(credential.publicKey),
      previousCounter: credential.counter,
    },
  );
  return { kind: "used", format: "apple-appattest", credential, counter };
}

/** A use of an attested key ("Validating apps that connect to your server", assertions). */

interface AssertionCheck {
  readonly clientDataHash: Bytes;
  readonly policy: AppleAppAttestPolicy;
  /** SubjectPublicKeyInfo of the attested key. */
  readonly spki: Bytes;
  /** Counter of the latest use; that of this use must be higher. */
  readonly previousCounter: number;
}

/** Verifies the CBOR of an assertion. Throws `invalid_attestation`. */
export async function verifyAppAssertion(
  assertion: Bytes,
  { clientDataHash, policy, spki, previousCounter }: AssertionCheck,
): Promise<{ readonly counter: number }> {
  const { signature, authenticatorData } = orRefuse("appattest_object", () =>
    readMembers(assertion, { signature: (cbor) => cbor.bstr(), authenticatorData: (cbor) => cbor.bstr() }),
  );
  const data = orRefuse("appattest_authenticator_data", () => readAuthenticatorData(authenticatorData));
  // Apple sets flag AT although it sends no credential: the flags say nothing here.
  if (data.rest.length > 0) throw attestationRefused("appattest_authenticator_data");
  await verifyApp(data.rpIdHash, policy);
  const nonce = await sha256(concat(authenticatorData, clientDataHash));
  const key = await crypto.subtle.importKey("spki", spki, { name: "ECDSA", namedCurve: "P-256" }, false, [
    "verify",
  ]);
  const raw = orRefuse("appattest_signature", () => rawSignature(signature, 32));
  if (!(await crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, key, raw, nonce)))
    throw attestationRefused("appattest_signature");
  if (data.counter <= previousCounter) throw attestationRefused("appattest_counter");
  return { counter: data.counter };
}

/** The RP ID is the App ID: team and bundle of one of the policy's apps. Throws `invalid_attestation`. */
async function verifyApp(rpIdHash: Bytes, { apps }: AppleAppAttestPolicy): Promise<void> {
  const hashes = await Promise.all(apps.map(({ teamId, bundleId }) => sha256(utf8(`${teamId}.${bundleId}`))));
  if (!hashes.some((hash) => equalBytes(hash, rpIdHash))) throw attestationRefused("appattest_app");
}

/**
 * Apple's attestation of a key of one app on one device ("Validating apps that connect to your server",
 * attestations).
 */

export interface AttestationCheck {
  /** SHA-256 of the attested public key, as the app names it. */
  readonly keyId: Bytes;
  readonly clientDataHash: Bytes;
  readonly policy: AppleAppAttestPolicy;
  /** DER of the trusted CAs; without any, everything is refused. */
  readonly roots: readonly Bytes[];
  readonly at: Date;
}

/** The nonce is in this extension of the leaf: SEQUENCE { [1] EXPLICIT OCTET STRING }. */
const NONCE_EXTENSION = "1.2.840.113635.100.8.2";

/** AAGUID in hexadecimal: 16 characters of ASCII, padded with zeros. */
const ENVIRONMENT_OF: Readonly<Record<string, "production" | "development">> = {
  [toHex(concat(utf8("appattest"), new Uint8Array(7)))]: "production",
  [toHex(utf8("appattestdevelop"))]: "development",
};

/** SubjectPublicKeyInfo (DER) of the attested key. Throws `invalid_attestation`. */
export async function verifyAppAttestation(attestation: Bytes, check: AttestationCheck): Promise<Bytes> {
  const object = orRefuse("appattest_object", () => readAttestationObject(attestation));
  if (object.fmt !== "apple-appattest") throw attestationRefused("appattest_object");
  const { x5c } = orRefuse("appattest_statement", () =>
    readMembers(object.attStmt, { x5c: certificatesIn, receipt: (cbor) => cbor.bstr() }),
  );
  const data = orRefuse("appattest_authenticator_data", () => readAuthenticatorData(object.authData));
  const credential = orRefuse("appattest_authenticator_data", () => readAttestedCredential(data));
  const leaf = await trustedLeaf(x5c, check);
  const nonce = await sha256(concat(object.authData, check.clientDataHash));
  if (!equalBytes(nonceIn(leaf), nonce)) throw attestationRefused("appattest_nonce");
  const point = leaf.spki.slice(-65);
  if (!equalBytes(await sha256(point), check.keyId)) throw attestationRefused("appattest_key_id");
  await verifyApp(data.rpIdHash, check.policy);
  if (data.counter !== 0) throw attestationRefused("appattest_counter");
  const environment = ENVIRONMENT_OF[credential.aaguid];
  if (environment === undefined || !check.policy.environments.includes(environment))
    throw attestationRefused("appattest_environment");
  if (!equalBytes(credential.id, check.keyId)) throw attestationRefused("appattest_credential_id");
  if (!equalBytes(credential.publicKey, coseKeyOf(point))) throw attestationRefused("appattest_public_key");
  return leaf.spki;
}

function certificatesIn(cbor: CborReader): Bytes[] {
  return Array.from({ length: cbor.array() }, () => cbor.bstr());
}

const CHAIN_REASONS: Readonly<Record<PkiErrorCode, AttestationReason>> = {
  CHAIN: "appattest_chain",
  EKU: "appattest_chain_usage",
  CRED_TIME: "appattest_chain_expired",
};

async function trustedLeaf(chain: readonly Bytes[], { roots, at }: AttestationCheck): Promise<AttestedLeaf> {
  if (roots.length === 0) throw attestationRefused("appattest_no_roots");
  try {
    return await verifyAttestationChain(chain, roots, at);
  } catch (cause) {
    if (!(cause instanceof PkiError)) throw cause;
    throw attestationRefused(CHAIN_REASONS[cause.code], cause);
  }
}

function nonceIn({ extensions }: AttestedLeaf): Uint8Array {
  const content = extensions.get(NONCE_EXTENSION);
  if (content === undefined) throw attestationRefused("appattest_nonce");
  return orRefuse("appattest_nonce", () => {
    const tagged = onlyValue(contentOf(onlyValue(content), DER_TAG.SEQUENCE));
    return contentOf(onlyValue(contentOf(tagged, DER_TAG.EXPLICIT_1)), DER_TAG.OCTET_STRING);
  });
}

/** COSE_Key {1: EC2, 3: ES256, -1: P-256, -2: x, -3: y} of an uncompressed point. */
const coseKeyOf = (point: Bytes) =>
  concat(fromHex("a5010203262001215820"), point.slice(1, 33), fromHex("225820"), point.slice(33));
