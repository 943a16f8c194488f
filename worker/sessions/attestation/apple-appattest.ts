import * as v from "valibot";
import { type Bytes, fromBase64, fromBase64Url, toBase64Url } from "../../../core/encoding/bytes.ts";
import { verifyAppAssertion } from "./apple-appattest-assertion.ts";
import { verifyAppAttestation } from "./apple-appattest-attestation.ts";
import type { Appraisal, Verified, Verifier } from "./evidence.ts";
import type { AppleAppAttestPolicy } from "./policy.ts";
import { attestationRefused, orRefuse } from "./refusal.ts";
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
