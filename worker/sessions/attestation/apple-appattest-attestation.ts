import { type Bytes, concat, equalBytes, fromHex, toHex, utf8 } from "../../../core/encoding/bytes.ts";
import type { CborReader } from "../../../core/encoding/cbor.ts";
import { contentOf, DER_TAG, onlyValue } from "../../../core/encoding/der.ts";
import { type AttestedLeaf, verifyAttestationChain } from "../../../core/pki/attestation-chain.ts";
import { PkiError, type PkiErrorCode } from "../../../core/pki/errors.ts";
import { verifyApp } from "./apple-appattest-assertion.ts";
import { readAttestationObject, readMembers } from "./attestation-object.ts";
import { readAttestedCredential, readAuthenticatorData } from "./authenticator-data.ts";
import { sha256 } from "./evidence.ts";
import type { AppleAppAttestPolicy } from "./policy.ts";
import { type AttestationReason, attestationRefused, orRefuse } from "./refusal.ts";

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
