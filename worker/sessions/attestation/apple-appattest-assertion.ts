import { type Bytes, concat, equalBytes, utf8 } from "../../../core/encoding/bytes.ts";
import { rawSignature } from "../../../core/encoding/der.ts";
import { readMembers } from "./attestation-object.ts";
import { readAuthenticatorData } from "./authenticator-data.ts";
import { sha256 } from "./evidence.ts";
import type { AppleAppAttestPolicy } from "./policy.ts";
import { attestationRefused, orRefuse } from "./refusal.ts";

/** A use of an attested key ("Validating apps that connect to your server", assertions). */

export interface AssertionCheck {
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
export async function verifyApp(rpIdHash: Bytes, { apps }: AppleAppAttestPolicy): Promise<void> {
  const hashes = await Promise.all(apps.map(({ teamId, bundleId }) => sha256(utf8(`${teamId}.${bundleId}`))));
  if (!hashes.some((hash) => equalBytes(hash, rpIdHash))) throw attestationRefused("appattest_app");
}
